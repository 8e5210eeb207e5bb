import {
  listDeviceSettings,
  saveDeviceLimit,
  type DeviceSettings as FullDeviceSettings,
} from '@sdd/contract/fleet/limits.ts'
import { queryOptions } from '@tanstack/react-query'
import { callApi, rowsOf } from '#console/core/api.ts'
import { throwOnDetail } from '#console/accounts/settings/calls.ts'
import type { Optional } from '#console/accounts/settings/settings.ts'

export type DeviceSettings = Optional<FullDeviceSettings, 'company_id'>

export const deviceSettingsQuery = queryOptions({
  queryKey: ['settings', 'devices'],
  queryFn: ({ signal }) =>
    callApi(listDeviceSettings, { signal }, (body) =>
      rowsOf<DeviceSettings>(body, 'devices').filter(({ uid }) => typeof uid === 'string'),
    ),
})

/** Saves a device's daily limit and returns the server's value. */
export function saveLimit(uid: string, max_sms_dayly: number): Promise<number> {
  return callApi(saveDeviceLimit, { body: { uid, max_sms_dayly } }, (body) => {
    const { max_sms_dayly: limit } = (throwOnDetail(body) ?? {}) as { max_sms_dayly?: unknown }
    return typeof limit === 'number' ? limit : max_sms_dayly
  })
}
