import { CallFault } from '@sdd/contract/core/client.ts'
import {
  disableDevice,
  enableDevice,
  listDevices,
  readNetworks,
  type Device as FullDevice,
  type Networks,
} from '@sdd/contract/fleet/devices.ts'
import type { StatusChange } from '@sdd/contract/core/live.ts'
import { queryOptions, useQuery, type QueryClient, type QueryKey } from '@tanstack/react-query'
import { call, rowsOf } from '#console/core/api.ts'
import type { Live } from '#console/core/live/live.ts'

type Named = 'id' | 'uid' | 'status' | 'location' | 'created_at' | 'enabled'

/** The fields of the user specification; what else the contract knows, a server may leave out. */
export type Device = Pick<FullDevice, Named> & Partial<Omit<FullDevice, Named>>

type WithStatus = Pick<Device, 'uid' | 'status'>

/** Not parsed with its schema: 10,000 rows are loaded again and again. */
export const devicesQuery = queryOptions({
  queryKey: ['devices'],
  queryFn: ({ signal }) =>
    call(listDevices, { signal }, (body) =>
      rowsOf<Device>(body, 'devices').filter(({ uid }) => typeof uid === 'string'),
    ),
})

export function useConnectedDevices() {
  return useQuery({
    ...devicesQuery,
    select: (devices) => devices.filter(({ status }) => status === 'connected'),
  })
}

export function networksQuery(uid: string) {
  return queryOptions({
    queryKey: ['networks', uid],
    queryFn: ({ signal }) => call(readNetworks, { params: { uid }, signal }, readNetworksReply),
    refetchInterval: 60_000,
  })
}

export async function setEnabled(uid: string, enabled: boolean): Promise<void> {
  // The user specification shows no reply, so none is looked at.
  await call(enabled ? enableDevice : disableDevice, { params: { uid } }, () => undefined)
}

/** The row with this `enabled`; each other row stays the same object. */
export function withEnabled(client: QueryClient, uid: string, enabled: boolean): void {
  client.setQueryData(devicesQuery.queryKey, (devices) =>
    devices?.map((device) => (device.uid === uid ? { ...device, enabled } : device)),
  )
}

/** Until when, in ms, a device is given no tasks because too many failed on it; undefined where it is given some. */
export function quarantineOf({ quarantined_until }: Device, now: number): number | undefined {
  const until = quarantined_until ? Date.parse(quarantined_until) : 0
  return until > now ? until : undefined
}

/**
 * When a device's status last changed before our eyes, by its uid: such a row flashes. Not by the row's object, which
 * the cache copies, and which the list that is loaded next replaces.
 */
const changes = new Map<string, number>()

export function changedAt({ uid }: WithStatus): number | undefined {
  return changes.get(uid)
}

/** Puts live statuses into a list of devices, those of one frame at once. */
export function followStatuses(
  live: Live,
  client: QueryClient,
  queryKey: QueryKey = devicesQuery.queryKey,
): () => void {
  let latest = new Map<string, StatusChange['status']>()
  let frame = 0

  function flush(): void {
    frame = 0
    client.setQueryData<WithStatus[]>(queryKey, (devices) => devices && withStatuses(devices, latest))
    // A list that is on its way may be older than what was just heard: it is told again once it is here.
    if (client.isFetching({ queryKey }) > 0) frame = requestAnimationFrame(flush)
    else latest = new Map()
  }

  const stop = live.onStatus(({ device_uid, status }) => {
    latest.set(device_uid, status)
    frame ||= requestAnimationFrame(flush)
  })
  return () => {
    stop()
    cancelAnimationFrame(frame)
  }
}

/** The same array where nothing differs; a row that does not differ stays the same object. */
export function withStatuses<Row extends WithStatus>(
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

/** Bare, wrapped, as a list of one, or nothing yet; an error flag may stand in. */
function readNetworksReply(body: unknown): Partial<Networks> {
  if (typeof body !== 'object') throw new CallFault('no networks', { status: 200, body })
  const inner = (body as { networks?: unknown; data?: unknown } | null) ?? {}
  const unwrapped = inner.networks ?? inner.data ?? inner
  const networks = (Array.isArray(unwrapped) ? unwrapped[0] : unwrapped) as
    | (Partial<Networks> & { error?: unknown })
    | undefined
  if (networks?.error) throw new CallFault('no networks', { status: 200, body })
  return networks ?? {}
}
