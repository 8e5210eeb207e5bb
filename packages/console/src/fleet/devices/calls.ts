import { CallFault } from '@sdd/contract/core/client.ts'
import { changeDevice, type CommonChange, type DeviceChange } from '@sdd/contract/fleet/device-changes.ts'
import {
  disableDevice,
  enableDevice,
  readNetworks,
  renewSecret,
  unlinkDevice,
  type Networks,
} from '@sdd/contract/fleet/devices.ts'
import { queryOptions, type QueryClient } from '@tanstack/react-query'
import { devicesQuery, type Device } from './devices.ts'
import { callApi } from '#console/core/api.ts'
import { reloadIfLoading } from '#console/core/query.ts'

export function networksQuery(uid: string) {
  return queryOptions({
    queryKey: ['networks', uid],
    queryFn: ({ signal }) => callApi(readNetworks, { params: { uid }, signal }, readNetworksReply),
    refetchInterval: 60_000,
  })
}

export async function setEnabled(uid: string, enabled: boolean): Promise<void> {
  // The user specification defines no reply, so it is not read.
  await callApi(enabled ? enableDevice : disableDevice, { params: { uid } }, () => undefined)
}

/** Changes these fields of the device, and its row in the cache. */
export async function editDevice(client: QueryClient, uid: string, change: DeviceChange): Promise<void> {
  const changed = await callApi(changeDevice, { params: { uid }, body: change }, (body) => body as Device)
  cacheChange(client, new Set([uid]), (device) => ({ ...device, ...changed }))
  reloadIfLoading(client, devicesQuery.queryKey)
}

export function makeSecret(uid: string): Promise<string> {
  return callApi(renewSecret, { params: { uid } }).then(({ secret }) => secret)
}

export function unlink(uid: string): Promise<void> {
  return callApi(unlinkDevice, { params: { uid } })
}

/** Changes these rows in the cache. The other rows stay the same objects. */
export function cacheChange(
  client: QueryClient,
  uids: ReadonlySet<string>,
  change: (device: Device) => Device,
): void {
  client.setQueryData(devicesQuery.queryKey, (devices) =>
    devices?.map((device) => (uids.has(device.uid) ? change(device) : device)),
  )
}

/**
 * Changes these rows in the cache, and in each list that is loaded before the returned function is called: the server
 * may not have made the change yet. A list that is loading then is loaded again.
 */
export function showChange(
  client: QueryClient,
  uids: ReadonlySet<string>,
  change: (device: Device) => Device,
): () => void {
  const cache = client.getQueryCache()
  const list = cache.find(devicesQuery)
  cacheChange(client, uids, change)
  const stop = cache.subscribe((event) => {
    if (event.query !== list || event.type !== 'updated') return
    if (event.action.type === 'success' && !event.action.manual) cacheChange(client, uids, change)
  })
  return () => {
    stop()
    reloadIfLoading(client, devicesQuery.queryKey)
  }
}

/** The device as it is after the change. */
export function changedBy<Row extends Partial<Device>>(device: Row, change: CommonChange): Row {
  const { add_tags = [], remove_tags = [], ...fields } = change
  if (add_tags.length + remove_tags.length === 0) return { ...device, ...fields }
  const kept = (device.tags ?? []).filter((tag) => !remove_tags.includes(tag))
  return { ...device, ...fields, tags: [...new Set([...kept, ...add_tags])].sort() }
}

/** Reads networks bare, wrapped, as a list of one, or empty. The body may hold an error flag instead. */
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
