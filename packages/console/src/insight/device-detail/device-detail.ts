import {
  DeviceDetail,
  DeviceHistory,
  readDevice,
  readDeviceHistory,
  type PresenceStretch,
} from '@sdd/contract/insight/device-detail.ts'
import { queryOptions } from '@tanstack/react-query'
import { callApi } from '#console/core/api.ts'
import { HISTORY_DAYS } from './days.ts'

/** What a device did, and what it has. Loaded again with the log, since each message changes it. */
export function detailQuery(uid: string) {
  return queryOptions({
    queryKey: ['logs', 'device', uid],
    queryFn: ({ signal }) =>
      callApi(readDevice, { params: { uid }, signal }, (body) => DeviceDetail.parse(body)),
  })
}

/** The presence of the last days. Loaded again when its status changes. */
export function presenceQuery(uid: string, status: string) {
  return queryOptions({
    queryKey: ['device-history', uid, status],
    queryFn: ({ signal }): Promise<PresenceStretch[]> => {
      const now = new Date()
      const from = new Date(now.getFullYear(), now.getMonth(), now.getDate() - HISTORY_DAYS + 1)
      const query = { from: from.toISOString() }
      return callApi(
        readDeviceHistory,
        { params: { uid }, query, signal },
        (body) => DeviceHistory.parse(body).presence,
      )
    },
  })
}
