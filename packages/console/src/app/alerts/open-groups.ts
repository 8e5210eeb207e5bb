import { useQuery } from '@tanstack/react-query'
import { DEFAULT_ALERT_SETTINGS, type Alert } from '@sdd/contract/outward/alerts.ts'
import { groupAlerts } from './groups.ts'
import { alertSettingsQuery, openAlertsQuery } from '#console/outward/alerts/calls.ts'

/** The open alerts that are loaded at once. */
const MOST = 1_000

/** Within this time of the first, alerts of a rule are one. Asked for only if there are several. */
export function useJoining(alerts: readonly Alert[] | undefined): number {
  const { data } = useQuery({ ...alertSettingsQuery(undefined), enabled: (alerts?.length ?? 0) > 1 })
  return (data ?? DEFAULT_ALERT_SETTINGS).join_secs
}

/** How many alerts are open; several of one rule that opened together count as one. */
export function useOpenCount(): { count: number; more: boolean } {
  const { data = [] } = useQuery(openAlertsQuery)
  const join_secs = useJoining(data)
  return { count: groupAlerts(data, join_secs).length, more: data.length >= MOST }
}
