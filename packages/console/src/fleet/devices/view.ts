import { quarantineOf, type Device } from './devices.ts'
import type { FleetFilter, SortKey } from './search.ts'

export type FleetView = { search: string; show: FleetFilter; sort: SortKey; desc: boolean }

export function countFleet(devices: readonly Device[], now = Date.now()): Record<FleetFilter, number> {
  const counts = { all: devices.length, connected: 0, disconnected: 0, disabled: 0, quarantined: 0 }
  for (const device of devices) {
    if (device.status === 'connected') counts.connected++
    else counts.disconnected++
    if (!device.enabled) counts.disabled++
    if (quarantineOf(device, now)) counts.quarantined++
  }
  return counts
}

/** The devices to show, in order. The search matches part of the uid in any case. */
export function visibleDevices(devices: readonly Device[], view: FleetView, now = Date.now()): Device[] {
  const wanted = view.search.trim().toLowerCase()
  const shown = devices.filter(
    (device) => shows(device, view.show, now) && (wanted === '' || device.uid.toLowerCase().includes(wanted)),
  )
  const sign = view.desc ? -1 : 1
  return shown.sort((a, b) => sign * (compare(a[view.sort], b[view.sort]) || a.id - b.id))
}

/** The rows in the same order with their current values, without removed devices. */
export function inSameOrder(rows: readonly Device[], devices: readonly Device[]): Device[] {
  const byUid = new Map(devices.map((device) => [device.uid, device]))
  return rows.flatMap(({ uid }) => byUid.get(uid) ?? [])
}

function shows(device: Device, show: FleetFilter, now: number): boolean {
  if (show === 'all') return true
  if (show === 'quarantined') return quarantineOf(device, now) !== undefined
  return show === 'disabled' ? !device.enabled : device.status === show
}

function compare(a: Device[SortKey], b: Device[SortKey]): number {
  if (a === b) return 0
  // Devices without a value come last.
  if (a === null || a === undefined) return 1
  if (b === null || b === undefined) return -1
  return a < b ? -1 : 1
}
