import type { Alert } from '@sdd/contract/outward/alerts.ts'

/** Alerts of one rule, the oldest first. There is at least one. */
export type AlertGroup = { key: number; alerts: readonly Alert[] }

/** Alerts of a rule that opened within `join_secs` of the first are one group. Groups keep the order of the alerts. */
export function groupAlerts(alerts: readonly Alert[], join_secs: number): AlertGroup[] {
  const groups = new Map<number, Alert[]>()
  const last = new Map<number, Alert[]>()
  const groupOf = new Map<number, Alert[]>()
  for (const alert of alerts.toSorted((a, b) => openedAt(a) - openedAt(b) || a.id - b.id)) {
    const group = last.get(alert.rule.id)
    const joins = group && openedAt(alert) - openedAt(group[0]!) <= join_secs * 1_000
    const own = joins ? group : []
    own.push(alert)
    last.set(alert.rule.id, own)
    groupOf.set(alert.id, own)
  }
  for (const { id } of alerts) {
    const group = groupOf.get(id)!
    groups.set(group[0]!.id, group)
  }
  return [...groups].map(([key, alerts]) => ({ key, alerts }))
}

/** Alerts that no user acknowledged come first, and among these the oldest. */
export function inAlertOrder(alerts: readonly Alert[]): Alert[] {
  return alerts.toSorted(
    (a, b) =>
      Number(a.acknowledged_at !== null) - Number(b.acknowledged_at !== null) ||
      Date.parse(a.since) - Date.parse(b.since) ||
      a.id - b.id,
  )
}

/**
 * The alerts of a list that is shown: each keeps its place, new ones come last, and those that are no longer open are
 * resolved at `now`. `full`: `open` has only the newest of the open alerts, so older ones stay as they were.
 */
export function keepInPlace(
  shown: readonly Alert[],
  open: readonly Alert[],
  { full, now }: { full: boolean; now: string },
): Alert[] {
  const current = new Map(open.map((alert) => [alert.id, alert]))
  const known = new Set(shown.map(({ id }) => id))
  const oldest = full ? Math.min(...current.keys()) : 0
  const resolved = (alert: Alert) =>
    alert.id < oldest ? alert : { ...alert, resolved_at: alert.resolved_at ?? now }
  return [
    ...shown.map((alert) => current.get(alert.id) ?? resolved(alert)),
    ...inAlertOrder(open.filter(({ id }) => !known.has(id))),
  ]
}

function openedAt({ opened_at }: Alert): number {
  return Date.parse(opened_at)
}
