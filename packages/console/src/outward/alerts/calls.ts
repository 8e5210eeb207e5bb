import {
  deleteAlertChannel,
  listAlertChannels,
  saveAlertChannel,
  testAlertChannel,
  type AlertChannel,
  type AlertChannelChange,
  type ChannelTest,
} from '@sdd/contract/outward/alert-channels.ts'
import { listSims } from '@sdd/contract/fleet/sims.ts'
import {
  acknowledgeAlert,
  deleteAlertRule,
  listAlertRules,
  listAlerts,
  readAlertSettings,
  saveAlertRule,
  saveAlertSettings,
  type AlertRule,
  type AlertRuleChange,
  type AlertSettings,
  type AlertSettingsChange,
} from '@sdd/contract/outward/alerts.ts'
import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { callApi } from '#console/core/api.ts'

export const rulesQuery = queryOptions({
  queryKey: ['alerts', 'rules'],
  queryFn: async ({ signal }) => (await callApi(listAlertRules, { signal })).alert_rules,
})

export const channelsQuery = queryOptions({
  queryKey: ['alerts', 'channels'],
  queryFn: async ({ signal }) => (await callApi(listAlertChannels, { signal })).alert_channels,
})

/** The newest id of the first load of the open alerts. Later ids are news. */
export const firstNewestKey = ['alerts', 'first-newest']

/** The open alerts, newest first, 1,000 at most. */
export const openAlertsQuery = queryOptions({
  queryKey: ['alerts', 'open'],
  async queryFn({ signal, client }) {
    const { alerts } = await callApi(listAlerts, { query: { open: 'true', limit: '1000' }, signal })
    client.setQueryData<number>(firstNewestKey, (newest = alerts[0]?.id ?? 0) => newest)
    return alerts
  },
})

/** The resolved alerts, newest first. */
export function resolvedAlertsQuery(limit: number) {
  return queryOptions({
    queryKey: ['alerts', 'resolved', limit],
    queryFn: async ({ signal }) => {
      const query = { open: 'false', limit: String(limit) } as const
      const { alerts, next_cursor } = await callApi(listAlerts, { query, signal })
      return { alerts, more: next_cursor !== null }
    },
  })
}

/** The device that has each SIM, by ICCID. */
export const simDevicesQuery = queryOptions({
  queryKey: ['sims', 'devices'],
  queryFn: async ({ signal }) => {
    const { sims } = await callApi(listSims, { signal })
    return Object.fromEntries(
      sims.flatMap(({ iccid, device_uid }) => (device_uid ? [[iccid, device_uid]] : [])),
    )
  },
})

/** Of the given company, or of the user's own if undefined. */
export function alertSettingsQuery(company: string | undefined) {
  return queryOptions({
    queryKey: ['alerts', 'settings', company],
    queryFn: ({ signal }) => callApi(readAlertSettings, { query: { company }, signal }),
  })
}

/** Reloads all that is shown of alerts. */
export function useReloadAlerts(): () => Promise<void> {
  const queryClient = useQueryClient()
  return () => queryClient.invalidateQueries({ queryKey: ['alerts'] })
}

export function acknowledge(id: number) {
  return callApi(acknowledgeAlert, { params: { id: String(id) } })
}

/** `company` matters only for a new one; undefined means the user's own. */
export function putRule(body: AlertRuleChange, company?: number): Promise<AlertRule> {
  return callApi(saveAlertRule, { query: { company: company?.toString() }, body })
}

export async function removeRule(id: number): Promise<void> {
  await callApi(deleteAlertRule, { params: { id: String(id) } })
}

/** `company` matters only for a new one; undefined means the user's own. */
export function putChannel(body: AlertChannelChange, company?: number): Promise<AlertChannel> {
  return callApi(saveAlertChannel, { query: { company: company?.toString() }, body })
}

export async function removeChannel(id: number): Promise<void> {
  await callApi(deleteAlertChannel, { params: { id: String(id) } })
}

/** Sends one test message, and returns what became of it. */
export function testChannel(id: number): Promise<ChannelTest> {
  return callApi(testAlertChannel, { params: { id: String(id) } })
}

export function putAlertSettings(
  body: AlertSettingsChange,
  company: string | undefined,
): Promise<AlertSettings> {
  return callApi(saveAlertSettings, { query: { company }, body })
}
