import type { Dashboard } from '@sdd/contract/insight/dashboard.ts'
import type { Scope } from '#server/core/context.ts'
import type { Tx } from '#server/database/schema.ts'
import { deviceStore } from './store.ts'

/** How many devices there are. A disabled device still counts as connected or disconnected. */
export async function countDevices(tx: Tx, scope: Scope): Promise<Dashboard['devices']> {
  const counts = { total: 0, connected: 0, disconnected: 0, disabled: 0 }
  for (const { status, enabled, count } of await deviceStore(tx, scope).countByStatusAndEnabled()) {
    counts.total += count
    counts[status] += count
    if (enabled === 0) counts.disabled += count
  }
  return counts
}

/** Enabled devices that have been disconnected since before this time, the longest away first, at most `limit`. */
export async function devicesAway(
  tx: Tx,
  scope: Scope,
  before: string,
  limit: number,
): Promise<Dashboard['away']> {
  const devices = deviceStore(tx, scope)
  const count = await devices.countAway(before)
  return { count, devices: count === 0 ? [] : await devices.longestAway(before, limit) }
}

/** The devices of each carrier, most devices first, at most `limit` carriers. */
export function countByCarrier(tx: Tx, scope: Scope, limit: number) {
  return deviceStore(tx, scope).countByCarrier(limit)
}

/** The devices of each program that they report, most devices first, at most `limit` programs. */
export function countByAgent(tx: Tx, scope: Scope, limit: number) {
  return deviceStore(tx, scope).countByAgent(limit)
}

/** Devices with waiting messages, and the columns that decide whether those may be sent. */
export function devicesWithQueue(tx: Tx, scope: Scope, now: string) {
  return deviceStore(tx, scope).withQueue(now)
}

/** Devices that have used 80 % of this day's limit or more, fullest first. */
export async function devicesNearLimit(
  tx: Tx,
  scope: Scope,
  day: string,
  limit: number,
): Promise<Dashboard['limits']> {
  const rows = await deviceStore(tx, scope).nearLimit(day, limit)
  return rows.map(({ uid, sent_parts, max_sms_dayly }) => ({
    device_uid: uid,
    sent_today: sent_parts,
    max_sms_dayly,
  }))
}
