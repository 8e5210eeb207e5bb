import { listDevices, type Device as FullDevice } from '@sdd/contract/fleet/devices.ts'
import type { StatusChange } from '@sdd/contract/core/live.ts'
import { queryOptions, useQuery, type QueryClient, type QueryKey } from '@tanstack/react-query'
import { callApi, rowsOf } from '#console/core/api.ts'
import type { Live } from '#console/core/live/live.ts'

export { historySpans, orderDialogs, type HistorySpan, type OrderDialogName } from './search.ts'

type Named = 'id' | 'uid' | 'status' | 'location' | 'created_at' | 'enabled'

/** The fields of the user specification are required. A server may leave out the contract's other fields. */
export type Device = Pick<FullDevice, Named> & Partial<Omit<FullDevice, Named>>

type WithStatus = Pick<Device, 'uid' | 'status'>

/** Not parsed with its schema, as 10,000 rows are reloaded often. */
export const devicesQuery = queryOptions({
  queryKey: ['devices'],
  queryFn: ({ signal }) =>
    callApi(listDevices, { signal }, (body) =>
      rowsOf<Device>(body, 'devices').filter(({ uid }) => typeof uid === 'string'),
    ),
})

export function useConnectedDevices() {
  return useQuery({
    ...devicesQuery,
    select: (devices) => devices.filter(({ status }) => status === 'connected'),
  })
}

/**
 * When the device's quarantine ends, in ms; undefined if it is not quarantined. A device is quarantined after too many
 * failures and gets no tasks.
 */
export function quarantineOf({ quarantined_until }: Device, now: number): number | undefined {
  return ahead(quarantined_until, now)
}

/** When its maintenance ends, in ms; undefined if there is none. Until then it gets no messages. */
export function maintenanceOf({ maintenance_until }: Pick<Device, 'maintenance_until'>, now: number) {
  return ahead(maintenance_until, now)
}

function ahead(iso: string | null | undefined, now: number): number | undefined {
  const until = iso ? Date.parse(iso) : 0
  return until > now ? until : undefined
}

/** Each tag of the fleet and how many devices have it, by name. */
export function tagsOf(devices: readonly Pick<Device, 'tags'>[]): [tag: string, devices: number][] {
  const counts = new Map<string, number>()
  for (const { tags = [] } of devices) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  return [...counts].sort(([a], [b]) => a.localeCompare(b))
}

/** Why a connected device does not send as usual, the most severe first. */
export type Hindrance = 'disabled' | 'maintenance' | 'exhausted' | 'radio' | 'quarantined'

export function hindrancesOf(device: Device, now = Date.now()): Hindrance[] {
  const found: [Hindrance, boolean][] = [
    ['disabled', !device.enabled],
    ['maintenance', maintenanceOf(device, now) !== undefined],
    ['exhausted', isExhausted(device)],
    ['radio', device.radio?.ready === false],
    ['quarantined', quarantineOf(device, now) !== undefined],
  ]
  return found.flatMap(([hindrance, applies]) => (applies ? [hindrance] : []))
}

/** The first phone number of its SIMs. An ICCID has more digits than any number. */
export function phoneNumberOf({ sim_ids = [] }: Device): string | undefined {
  return sim_ids.find((id) => id.replace(/\D/g, '').length <= 15)
}

/** It has sent as much as it may today. */
export function isExhausted({ sent_today = 0, max_sms_dayly }: Device): boolean {
  return max_sms_dayly !== undefined && sent_today >= max_sms_dayly
}

/**
 * When each device's status last changed on screen, by uid, so that its row flashes. Row objects cannot be keys, since
 * the cache copies them and the next load replaces them.
 */
const changes = new Map<string, number>()

export function statusChangedAt({ uid }: WithStatus): number | undefined {
  return changes.get(uid)
}

/** Applies live statuses to a cached list of devices, once per frame. */
export function followStatuses(
  live: Live,
  client: QueryClient,
  queryKey: QueryKey = devicesQuery.queryKey,
): () => void {
  let latest = new Map<string, StatusChange['status']>()
  let frame = 0

  function flush(): void {
    frame = 0
    client.setQueryData<WithStatus[]>(queryKey, (devices) => devices && mergeStatuses(devices, latest))
    // A list that is loading may be older than these statuses, so they are applied again once it arrives.
    if (client.isFetching({ queryKey }) > 0) frame = requestAnimationFrame(flush)
    else latest = new Map()
  }

  const stop = live.onStatus(({ device_uid, status }) => {
    latest.set(device_uid, status)
    frame ||= requestAnimationFrame(flush)
  })
  // After a gap the list is loaded again. A hidden tab draws no frames, so it may have kept older statuses for long.
  const stopGaps = live.onChanged((change) => {
    if (typeof change === 'string') latest = new Map()
  })
  return () => {
    stopGaps()
    stop()
    cancelAnimationFrame(frame)
  }
}

/** Returns the same array if nothing changed. Unchanged rows stay the same objects. */
export function mergeStatuses<Row extends WithStatus>(
  devices: Row[],
  statuses: ReadonlyMap<string, Device['status']>,
): Row[] {
  let differs = false
  const next = devices.map((device) => {
    const status = statuses.get(device.uid)
    if (status === undefined || status === device.status) return device
    differs = true
    changes.set(device.uid, Date.now())
    return { ...device, status }
  })
  return differs ? next : devices
}
