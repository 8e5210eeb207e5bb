import {
  AWAY_AFTER_HOURS,
  type Dashboard,
  type DashboardHour,
  type Percentiles,
} from '@sdd/contract/insight/dashboard.ts'
import type { WaitingReason } from '@sdd/contract/dispatch/waiting.ts'
import { type MessageState, messageStates } from '@sdd/contract/messages/messages.ts'
import { hourOf, quantile } from '#server/messages/messages/moving.ts'
import { type Clock, DAY_MS, HOUR_MS, instant, nowOf } from '#server/core/clock.ts'
import type { Scope } from '#server/core/context.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import {
  countByCarrier,
  countDevices,
  devicesAway,
  devicesNearLimit,
  devicesWithQueue,
} from '#server/fleet/devices/overview.ts'
import { reasonOf } from '#server/dispatch/why-waiting/reasons.ts'
import { settingsByCompany, settingsOf } from '#server/accounts/settings/settings.ts'
import { lanesInWait } from '#server/dispatch/why-waiting/lane-reasons.ts'
import { dashboardStore } from './store.ts'

type Store = ReturnType<typeof dashboardStore>

/** Enough to compare today with yesterday. */
const USUAL_HOURS = 48
/** The most rows per ranking, and of carriers. */
const RANKED = 10
const CARRIERS = 8

/** What a caller may ask for: the figures of one company in its scope, and this many hours of them. */
type Wanted = { company?: number | undefined; hours?: number | undefined }

/**
 * The key figures for operators, of one company or of all together. Reads counters and devices, never messages.
 * `unknown_company` if the caller sees no such company.
 */
export async function readDashboard(
  { db, clock }: { db: Pick<Database, 'readInWorker'>; clock: Clock },
  seen: Scope,
  { company: company_id, hours = USUAL_HOURS }: Wanted = {},
): Promise<Dashboard> {
  if (company_id !== undefined) await settingsOf(db.readInWorker, seen, company_id)
  const scope = company_id === undefined ? seen : { company_id }
  const { now_ms, now, day } = nowOf(clock)
  const store = dashboardStore(db.readInWorker, scope)
  return {
    at: now,
    devices: await countDevices(db.readInWorker, scope),
    connected: await store.samples(instant(now_ms - DAY_MS)),
    carriers: await readCarriers(db.readInWorker, scope, store, now_ms),
    away: await devicesAway(db.readInWorker, scope, instant(now_ms - AWAY_AFTER_HOURS * HOUR_MS), RANKED),
    hours: await readHours(store, lastHours(hours, now_ms)),
    times: {
      handover: await readTimes(store, 'handover', now_ms),
      delivery: await readTimes(store, 'delivery', now_ms),
    },
    by_device: await store.byDevice(day, RANKED),
    failures: await store.failures(day, RANKED),
    waiting: await readWaiting(db.readInWorker, clock, scope, { now, day }),
    limits: await devicesNearLimit(db.readInWorker, scope, day, RANKED),
  }
}

/** The devices of each carrier now, and the connected share in each hour of the last day. */
async function readCarriers(
  tx: Tx,
  scope: Scope,
  store: Store,
  now_ms: number,
): Promise<Dashboard['carriers']> {
  const hours = lastHours(24, now_ms)
  const sums = new Map<string, { connected: number; total: number }>()
  for (const { carrier, hour, ...sum } of await store.byCarrier(`${hours[0]!}:00:00.000Z`))
    sums.set(`${carrier} ${hour}`, sum)
  return (await countByCarrier(tx, scope, CARRIERS)).map((devices) => ({
    ...devices,
    hours: hours.map((hour) => {
      const sum = sums.get(`${devices.carrier ?? ''} ${hour}`)
      return sum === undefined || sum.total === 0
        ? null
        : Math.round((1000 * sum.connected) / sum.total) / 1000
    }),
  }))
}

/** The last hours including the current one, oldest first, as periods of counters. */
function lastHours(count: number, now_ms: number): string[] {
  return Array.from({ length: count }, (_, index) => hourOf(instant(now_ms - (count - 1 - index) * HOUR_MS)))
}

/** Every hour, including those without messages. */
async function readHours(store: Store, hours: readonly string[]): Promise<DashboardHour[]> {
  const counted = Map.groupBy(await store.byPeriod('state', hours[0]!), ({ period }) => period)
  return hours.map((hour) => {
    const states = Object.fromEntries(messageStates.map((state) => [state, 0])) as Record<
      MessageState,
      number
    >
    for (const { key, count } of counted.get(hour) ?? []) states[key as MessageState] = count
    return { hour: `${hour}:00:00.000Z`, states }
  })
}

/** Percentiles of the messages queued in this hour and the 23 before it. */
async function readTimes(
  store: Store,
  figure: 'handover' | 'delivery',
  now_ms: number,
): Promise<Percentiles> {
  const rows = await store.byKey(figure, hourOf(instant(now_ms - 23 * HOUR_MS)))
  const counts = rows.map(({ key, count }) => [Number(key), count] as const)
  return { p50_secs: secondsOf(quantile(counts, 0.5)), p95_secs: secondsOf(quantile(counts, 0.95)) }
}

function secondsOf(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.round(ms) / 1000
}

/** Why messages wait, by the same rules as `waiting_for` in the log. */
async function readWaiting(
  tx: Tx,
  clock: Clock,
  scope: Scope,
  at: { now: string; day: string },
): Promise<Dashboard['waiting']> {
  const settings = await settingsByCompany(tx)
  const groups = new Map<string, Group>()
  const groupOf = (company_id: number, reason: WaitingReason) =>
    groups.getOrInsertComputed(`${company_id} ${reason}`, () => ({ reason, count: 0, own: 0, shared: 0 }))
  for (const device of await devicesWithQueue(tx, scope, at.now)) {
    // Only the messages know their length, so this assumes that one more part would fit.
    const reason = reasonOf(device, settings.get(device.company_id), {
      ...at,
      parts: 1,
      plan: device.plan_until !== null && device.plan_until > at.now,
    })
    const group = groupOf(device.company_id, reason)
    group.count += device.queued + device.sticky
    group.own++
  }
  for (const { company_id, reason, count, devices } of await lanesInWait(tx, clock, scope, settings)) {
    const group = groupOf(company_id, reason)
    group.count += count
    group.shared = Math.max(group.shared, devices)
  }
  const byReason = Map.groupBy(groups.values(), ({ reason }) => reason)
  return Array.from(byReason, ([reason, ofCompanies]) => ({
    reason,
    count: sum(ofCompanies.map(({ count }) => count)),
    // Tasks for any device wait for some of the same devices.
    devices: sum(ofCompanies.map(({ own, shared }) => Math.max(own, shared))),
  })).sort((a, b) => b.count - a.count)
}

/**
 * The messages of one company that wait for one reason: how many, for how many devices of their own, and for how many
 * shared ones.
 */
type Group = { reason: WaitingReason; count: number; own: number; shared: number }

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
