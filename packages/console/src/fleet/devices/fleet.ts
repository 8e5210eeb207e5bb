import { maintenanceOf, type Device } from './devices.ts'

type FleetState = 'connected' | 'disconnected' | 'disabled' | 'maintenance'

export type FleetBar = {
  connected: number
  disconnected: number
  disabled: number
  maintenance: number
  /** How much its devices send, from 0 to 1, relative to the busiest device. */
  strength: number
}

export type CarrierGroup = {
  label: string
  /** Empty if it is not known; undefined if several share the group. */
  carrier: string | undefined
  size: number
  connected: number
  /** A device of it is in maintenance. */
  rests: boolean
  bars: FleetBar[]
}

/** Carriers shown by name; the rest share one group. */
const MOST_GROUPS = 6

/**
 * The fleet as bars, grouped by carrier, the largest first. With more devices than `room`, each bar represents several.
 * Devices without a known carrier come last, under `words.none`.
 */
export function fleetBars(
  devices: readonly Device[],
  room: number,
  words: { none: string; others: string },
): { perBar: number; groups: CarrierGroup[] } {
  const perBar = Math.max(1, Math.ceil(devices.length / room))
  const busiest = devices.reduce((most, { sent_today = 0 }) => Math.max(most, sent_today), 1)
  const groups = byCarrier(devices, words).map(({ label, carrier, members }) => {
    const bars: FleetBar[] = []
    for (let at = 0; at < members.length; at += perBar)
      bars.push(barOf(members.slice(at, at + perBar), busiest))
    const connected = bars.reduce((sum, bar) => sum + bar.connected, 0)
    const rests = bars.some(({ maintenance }) => maintenance > 0)
    return { label, carrier, size: members.length, connected, rests, bars }
  })
  return { perBar, groups }
}

/** A device in maintenance is meant neither to send nor to be connected. */
export function fleetState(device: Device, now = Date.now()): FleetState {
  if (!device.enabled) return 'disabled'
  return maintenanceOf(device, now) === undefined ? device.status : 'maintenance'
}

function byCarrier(
  devices: readonly Device[],
  words: { none: string; others: string },
): { label: string; carrier: string | undefined; members: Device[] }[] {
  const members = new Map<string, Device[]>()
  for (const device of devices) {
    const carrier = device.carrier ?? ''
    const group = members.get(carrier)
    if (group) group.push(device)
    else members.set(carrier, [device])
  }
  const unknown = members.get('') ?? []
  members.delete('')
  const named = [...members].sort((a, b) => b[1].length - a[1].length)
  const kept = named.length > MOST_GROUPS ? MOST_GROUPS - 1 : MOST_GROUPS
  const groups = named.slice(0, kept).map(([carrier, members]) => ({ label: carrier, carrier, members }))
  const others = named.slice(kept).flatMap(([, group]) => group)
  return [
    ...groups,
    ...(others.length > 0 ? [{ label: words.others, carrier: undefined, members: others }] : []),
    ...(unknown.length > 0 ? [{ label: words.none, carrier: '', members: unknown }] : []),
  ]
}

function barOf(members: readonly Device[], busiest: number): FleetBar {
  const bar: FleetBar = { connected: 0, disconnected: 0, disabled: 0, maintenance: 0, strength: 0 }
  let sent = 0
  for (const device of members) {
    bar[fleetState(device)]++
    sent += device.sent_today ?? 0
  }
  bar.strength = sent / (busiest * members.length)
  return bar
}
