import { setImmediate as turn } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Clock, DAY_MS, instant, MINUTE_MS } from '#server/core/clock.ts'
import { type Loop, openYielding, startLoop } from '#server/core/loop.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Replica } from '#server/core/replicas/replicas.ts'
import { settingsByCompany, settingsOf } from '#server/accounts/settings/settings.ts'
import { release } from '#server/fleet/devices/capacity.ts'
import { REMEMBER_MS } from '#server/dispatch/lanes/last-device.ts'
import { removalLimits, maintainMonths } from './months.ts'
import {
  type RetainedTable,
  retainedTables,
  longestDays,
  oldStrangers,
  previousSecrets,
  removeRow,
  retentionStore,
  unfinishedAttempts,
} from './store.ts'

type Needs = { db: Database; clock: Clock }

/** The interval between looks for outdated rows. */
const LOOK_MS = MINUTE_MS
/** How often a server asks whether it leads. */
const ASK_MS = 1_000
/** The most rows and the longest time of one transaction, as all other writes wait for it. */
export const STEP_ROWS = 200
const STEP_MS = 4
/** The fewest rows per step, however busy the machine is. */
const LEAST_ROWS = 10
/** After a step, pause for this many times its duration, including the wait to write. */
const REST = 20
const LEAST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1_000

/** Daily counts are kept a day longer than needed, in case the clock is set back. */
const COUNT_MS = 2 * DAY_MS
/** Users who may change `retention_days` must not be able to erase their own audit trail with it. */
const LEAST_AUDIT_DAYS = 730
/** Failed logins with unknown names belong to no company, and anybody can cause them. */
const STRANGERS_DAYS = 90

/**
 * Removes rows older than their company's `retention_days`: ended messages with their attempts, received SMS, SMS that
 * were typed on a device, conversations without any of these, finished callbacks, and resolved alerts. Other retention
 * times:
 * - audit entries: twice as long, at least two years, and 90 days for unknown names
 * - the last device of a number, and its messages per day: as long as they have an effect
 * - the secrets before a rotation: until their overlap ends
 * Works in small steps that do not disturb other work. One of several servers does this. If two believe for a moment
 * that it is their task, each skips the rows that the other has locked.
 */
export function startRetention({
  db,
  clock,
  log,
  replica,
}: Needs & { log: Logger; replica: Pick<Replica, 'leads'> }): Loop {
  /** The companies that this pass has not finished yet. */
  let left: (number | null)[] = []
  let removed = 0
  let longest_days = 0
  /** The next look at months and secrets, by `performance.now`. */
  let look_at = 0
  return startLoop({
    name: 'retention',
    every_ms: LOOK_MS,
    log,
    async work() {
      if (!replica.leads()) return ASK_MS
      // A pass may take days, in which months and overlaps end.
      if (performance.now() >= look_at) {
        await maintainMonths({ db, clock, log })
        await forgetPrevious({ db, clock })
        look_at = performance.now() + LOOK_MS
      }
      if (left.length === 0) {
        longest_days = await longestDays(db.read)
        left = [null, ...(await settingsByCompany(db.read)).keys()]
      }
      for (; left.length > 0; left.shift()) {
        const began = performance.now()
        const rows = await removeFrom({ db, clock }, left[0]!, longest_days)
        removed += rows
        if (rows > 0) return pauseAfter(performance.now() - began)
        if (removed > 0)
          log.info({ company_id: left[0], removed }, 'Removed what was older than retention_days')
        removed = 0
        await turn()
      }
    },
  })
}

function removeFrom(needs: Needs, company_id: number | null, longest_days: number): Promise<number> {
  return company_id === null ? removeStrangers(needs) : removeOld(needs, company_id, longest_days)
}

/** Removes the previous secrets of rotations whose overlap has ended. */
async function forgetPrevious({ db, clock }: Needs): Promise<void> {
  const now = instant(clock.now())
  if (await previousSecrets(db.read, now).any()) await db.write((tx) => previousSecrets(tx, now).forget())
}

/** Removes audit entries of unknown names, which belong to no company, after 90 days. Returns how many. */
export async function removeStrangers({ db, clock }: Needs): Promise<number> {
  const before = instant(clock.now() - STRANGERS_DAYS * DAY_MS)
  if ((await oldStrangers(db.read, before, 1)).length === 0) return 0
  return db.write(async (tx) => {
    const ids = await oldStrangers(tx, before, STEP_ROWS)
    for (const id of ids) await removeRow(tx, 'audit_log', id)
    return ids.length
  })
}

function pauseAfter(took_ms: number): number {
  return Math.min(Math.max(LEAST_PAUSE_MS, REST * took_ms), LONGEST_PAUSE_MS)
}

/**
 * Takes one step in one company. Returns how many rows it removed: none if nothing is outdated. On PostgreSQL, messages
 * of a company that keeps them for `longest_days` wait for the removal of their month.
 */
export async function removeOld(
  { db, clock }: Needs,
  company_id: number,
  longest_days = Infinity,
): Promise<number> {
  const old: Old = { clock, company_id, longest_days }
  for (const table of retainedTables) {
    // Looks without a lock first: most looks find nothing.
    if ((await tooOld(db.read, old, table, 1)).length > 0) {
      return db.write((tx) => step(tx, old, table))
    }
  }
  const unused = instant(clock.now() - REMEMBER_MS)
  if (await retentionStore(db.read, company_id).anySender(unused))
    return db.write((tx) => retentionStore(tx, company_id).forgetSenders(unused, STEP_ROWS))
  const over = clock.day(clock.now() - COUNT_MS)
  if (!(await retentionStore(db.read, company_id).anyCount(over))) return 0
  return db.write((tx) => retentionStore(tx, company_id).forgetCounts(over, STEP_ROWS))
}

type Old = { clock: Clock; company_id: number; longest_days: number }

async function step(tx: Tx, old: Old, table: RetainedTable): Promise<number> {
  const began = performance.now()
  const yieldToEventLoop = openYielding()
  let removed = 0
  const ids = await tooOld(tx, old, table, STEP_ROWS)
  const unfinished = table === 'messages' ? await unfinishedAttempts(tx, ids) : []
  for (const id of ids) {
    // Rows that were not read for a year come from disk, page by page.
    await yieldToEventLoop()
    for (const { message_id, device_id } of unfinished) if (message_id === id) await release(tx, device_id)
    await removeRow(tx, table, id)
    removed++
    if (removed % LEAST_ROWS === 0 && performance.now() - began > STEP_MS) break
  }
  return removed
}

/** Reads the setting at each step, so that a higher value stops the removal at once. */
async function tooOld(
  tx: Tx,
  { clock, company_id, longest_days }: Old,
  table: RetainedTable,
  limit: number,
): Promise<number[]> {
  const { retention_days } = await settingsOf(tx, 'all', company_id)
  const store = retentionStore(tx, company_id)
  if (table === 'messages') {
    for (const { before_ms, below } of await removalLimits(tx, {
      retention_days,
      longest_days,
      now_ms: clock.now(),
    })) {
      const ids = await store.old(table, instant(before_ms), limit, below)
      if (ids.length > 0) return ids
    }
    return []
  }
  const days = table === 'audit_log' ? Math.max(2 * retention_days, LEAST_AUDIT_DAYS) : retention_days
  return store.old(table, instant(clock.now() - days * DAY_MS), limit)
}
