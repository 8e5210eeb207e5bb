import {
  DeviceDetail,
  DeviceHistory,
  readDevice,
  readDeviceHistory,
} from '@sdd/contract/insight/device-detail.ts'
import { queryOptions } from '@tanstack/react-query'
import { callApi } from '#console/core/api.ts'
import { periodOf } from './readings.ts'
import type { HistorySpan } from '#console/fleet/devices/devices.ts'

/** How often a shown device is loaded again, in ms, as the server announces no telemetry and no new day. */
export const REFRESH_MS = 60_000

/** What a device did, and what it has. Loaded again with the log, since each message changes it. */
export function detailQuery(uid: string) {
  return queryOptions({
    queryKey: ['logs', 'device', uid],
    queryFn: ({ signal }) =>
      callApi(readDevice, { params: { uid }, signal }, (body) => DeviceDetail.parse(body)),
  })
}

/** The presence and telemetry of a period. Loaded again when the status of the device changes. */
export function historyQuery(uid: string, status: string, span: HistorySpan) {
  return queryOptions({
    queryKey: ['device-history', uid, status, span],
    queryFn: ({ signal }) => {
      const period = periodOf(span, Date.now())
      const from = new Date(period.from).toISOString()
      return callApi(readDeviceHistory, { params: { uid }, query: { from }, signal }, (body) => ({
        ...DeviceHistory.parse(body),
        span,
        period,
      }))
    },
  })
}
