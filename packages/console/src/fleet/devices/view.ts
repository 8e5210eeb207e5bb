import { isExhausted, maintenanceOf, quarantineOf, type Device } from './devices.ts'
import { placeOf } from './find.ts'
import type { FleetFilter, SortKey } from './search.ts'
import { signalStrength } from './signal.ts'
import { foldText } from '#console/ui/fold.ts'

export type FleetView = {
  search: string
  show: FleetFilter
  /** Of this operator only; of none, if it is empty. */
  carrier?: string | undefined
  /** With this tag only. */
  tag?: string | undefined
  /** That report this agent only; none, if it is empty. */
  agent?: string | undefined
  sort: SortKey
  desc: boolean
}

export function countFleet(devices: readonly Device[], now = Date.now()): Record<FleetFilter, number> {
  const counts = {
    all: devices.length,
    connected: 0,
    disconnected: 0,
    disabled: 0,
    maintenance: 0,
    exhausted: 0,
    quarantined: 0,
  }
  for (const device of devices) {
    if (device.status === 'connected') counts.connected++
    else counts.disconnected++
    if (!device.enabled) counts.disabled++
    if (maintenanceOf(device, now) !== undefined) counts.maintenance++
    if (isExhausted(device)) counts.exhausted++
    if (quarantineOf(device, now) !== undefined) counts.quarantined++
  }
  return counts
}

/** The devices to show, in order. The search matches part of the uid; in a chosen language, see `placeOf`. */
export function visibleDevices(
  devices: readonly Device[],
  view: FleetView,
  inLanguage: boolean,
  now = Date.now(),
): Device[] {
  const wanted = foldText(view.search.trim())
  const shown = devices.filter(
    (device) =>
      shows(device, view.show, now) &&
      (view.carrier === undefined || (device.carrier ?? '') === view.carrier) &&
      (view.agent === undefined || (device.agent ?? '') === view.agent) &&
      (view.tag === undefined || device.tags?.includes(view.tag)) &&
      (inLanguage ? placeOf(device, wanted) !== undefined : foldText(device.uid).includes(wanted)),
  )
  const sign = view.desc ? -1 : 1
  const valueOf = sortValues[view.sort]
  // Values that take a moment are computed once per device.
  const values = new Map(shown.map((device) => [device, valueOf(device, now)]))
  return shown.sort((a, b) => sign * (compare(values.get(a), values.get(b)) || a.id - b.id))
}

/** The rows in the same order with their current values, without removed devices. */
export function inSameOrder(rows: readonly Device[], devices: readonly Device[]): Device[] {
  const byUid = new Map(devices.map((device) => [device.uid, device]))
  return rows.flatMap(({ uid }) => byUid.get(uid) ?? [])
}

function shows(device: Device, show: FleetFilter, now: number): boolean {
  switch (show) {
    case 'all':
      return true
    case 'disabled':
      return !device.enabled
    case 'maintenance':
      return maintenanceOf(device, now) !== undefined
    case 'exhausted':
      return isExhausted(device)
    case 'quarantined':
      return quarantineOf(device, now) !== undefined
    case 'connected':
    case 'disconnected':
      return device.status === show
  }
}

type Value = string | number | boolean | null | undefined

const sortValues: Record<SortKey, (device: Device, now: number) => Value> = {
  id: ({ id }) => id,
  uid: ({ uid }) => uid,
  status: ({ status }) => status,
  location: ({ location }) => location,
  created_at: ({ created_at }) => created_at,
  enabled: ({ enabled }) => enabled,
  last_seen_at: ({ last_seen_at }) => last_seen_at,
  carrier: ({ carrier }) => carrier,
  signal: ({ signal }) => signalStrength(signal),
  sent_today: ({ sent_today }) => sent_today,
  problems: severity,
}

/** How much a device needs attention: 0 is the most. A disabled one comes after those that should send. */
function severity(device: Device, now: number): number {
  if (!device.enabled || maintenanceOf(device, now) !== undefined) return 4
  if (device.status === 'disconnected') return 0
  if (device.radio?.ready === false) return 1
  if (quarantineOf(device, now) !== undefined) return 2
  return isExhausted(device) ? 3 : 5
}

function compare(a: Value, b: Value): number {
  if (a === b) return 0
  // Devices without a value come last.
  if (a === null || a === undefined) return 1
  if (b === null || b === undefined) return -1
  return a < b ? -1 : 1
}
