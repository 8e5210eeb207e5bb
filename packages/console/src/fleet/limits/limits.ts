import {
  listDeviceSettings,
  saveDeviceLimit,
  type DeviceSettings as FullDeviceSettings,
} from '@sdd/contract/fleet/limits.ts'
import { queryOptions } from '@tanstack/react-query'
import { callApi, rowsOf } from '#console/core/api.ts'
import { throwOnDetail } from '#console/accounts/settings/calls.ts'
import type { LimitSort } from './search.ts'
import type { Optional } from '#console/accounts/settings/settings.ts'

export type DeviceSettings = Optional<FullDeviceSettings, 'company_id' | 'sent_today'>

export const deviceSettingsQuery = queryOptions({
  queryKey: ['settings', 'devices'],
  queryFn: ({ signal }) =>
    callApi(listDeviceSettings, { signal }, (body) =>
      rowsOf<DeviceSettings>(body, 'devices').filter(({ uid }) => typeof uid === 'string'),
    ),
})

/** The devices whose uid has this part, in the chosen order; otherwise in the order of the server. */
export function visibleLimits(
  devices: readonly DeviceSettings[],
  { search, sort, desc }: { search: string; sort: LimitSort | undefined; desc: boolean },
): readonly DeviceSettings[] {
  const wanted = search.trim().toLowerCase()
  const found = wanted === '' ? devices : devices.filter(({ uid }) => uid.toLowerCase().includes(wanted))
  if (!sort) return found
  const sign = desc ? -1 : 1
  return found.toSorted((a, b) => sign * compare(a[sort] ?? 0, b[sort] ?? 0) || compare(a.uid, b.uid))
}

function compare(a: string | number, b: string | number): number {
  return a === b ? 0 : a < b ? -1 : 1
}

/** Saves a device's daily limit and returns the server's value. */
export function saveLimit(uid: string, max_sms_dayly: number): Promise<number> {
  return callApi(saveDeviceLimit, { body: { uid, max_sms_dayly } }, (body) => {
    const { max_sms_dayly: limit } = (throwOnDetail(body) ?? {}) as { max_sms_dayly?: unknown }
    return typeof limit === 'number' ? limit : max_sms_dayly
  })
}
