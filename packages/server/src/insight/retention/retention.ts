import { setImmediate as turn } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Clock, instant } from '#server/core/clock.ts'
import { type Loop, openYielding, startLoop } from '#server/core/loop.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Replica } from '#server/core/replicas/replicas.ts'
import { settingsByCompany, settingsOf } from '#server/accounts/settings/settings.ts'
import { REMEMBER_MS } from '#server/dispatch/lanes/lanes.ts'
import { oneByOne, seeToMonths } from './months.ts'
import {
  type Kept,
  kept,
  longestDays,
  oldStrangers,
  previousSecrets,
  removeRow,
  retentionStore,
} from './store.ts'

type Needs = { db: Database; clock: Clock }

/** How often it looks for what has become too old. */
const LOOK_MS = 60_000
/** How often one of several servers asks whether it is its turn now. */
const ASK_MS = 1_000
/** One transaction removes at most so many rows, and goes on for so long: everybody else waits meanwhile. */
export const STEP_ROWS = 200
const STEP_MS = 4
/** However busy the machine is, so many go in one step. */
const LEAST_ROWS = 10
/** It then leaves the database to others for so many times as long as that took, its wait for its turn included. */
const REST = 20
const LEAST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1_000

const DAY_MS = 86_400_000
/** How many messages a number was sent on a day counts that day, and where the clock is set back to it. */
const COUNT_MS = 2 * DAY_MS
/** Whoever may set `retention_days` shall not make the trace of what they did vanish with it. */
const LEAST_AUDIT_DAYS = 730
/** Failed logins of names that nobody has are no company's; anybody can cause them. */
const STRANGERS_DAYS = 90

/**
 * Removes what is older than its company's `retention_days`: messages that have ended, with their attempts, SMS that
 * devices received, and callbacks that have come to an end. Entries of the audit log are kept twice as long, and two
 * years at least, those about strangers for 90 days; which device a number heard from, and how many messages it was sent on
 * a day, as long as that counts. Secrets from before a rotation go when their overlap has ended. In small steps, so that
 * nobody notices. Of several servers one does it; where two think so for a moment, each passes over what the other has.
 */
export function startRetention({
  db,
  clock,
  log,
  replica,
}: Needs & { log: Logger; replica: Pick<Replica, 'leads'> }): Loop {
  /** The companies of this pass that are still to be looked at. */
  let left: (number | null)[] = []
  let removed = 0
  let longest_days = 0
  /** When months and secrets are looked at next, as `performance.now` has it. */
  let look_at = 0
  return startLoop({
    name: 'retention',
    every_ms: LOOK_MS,
    log,
    async work() {
      if (!replica.leads()) return ASK_MS
      // A pass may take days, and months and overlaps end meanwhile.
      if (performance.now() >= look_at) {
        await seeToMonths({ db, clock, log })
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

/** Removes the secrets from before a rotation whose overlap has ended: nothing takes them any more. */
export async function forgetPrevious({ db, clock }: Needs): Promise<void> {
  const now = instant(clock.now())
  if (await previousSecrets(db.read, now).any()) await db.write((tx) => previousSecrets(tx, now).forget())
}

/** The same step for the audit log of no company. */
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
 * Takes one step in one company, and returns how many rows it removed: none where nothing is too old. Messages of a company
 * that keeps them for `longest_days` wait for their month, where there are months.
 */
export async function removeOld(
  { db, clock }: Needs,
  company_id: number,
  longest_days = Infinity,
): Promise<number> {
  const old: Old = { clock, company_id, longest_days }
  for (const table of kept) {
    // A look without a lock first: most find nothing.
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

async function step(tx: Tx, old: Old, table: Kept): Promise<number> {
  const began = performance.now()
  const yieldToEventLoop = openYielding()
  let removed = 0
  for (const id of await tooOld(tx, old, table, STEP_ROWS)) {
    // What nobody has looked at for a year comes from the disk, page by page.
    await yieldToEventLoop()
    await removeRow(tx, table, id)
    removed++
    if (removed % LEAST_ROWS === 0 && performance.now() - began > STEP_MS) break
  }
  return removed
}

/** The setting is read at each step: one who raises it stops the removal at once. */
async function tooOld(
  tx: Tx,
  { clock, company_id, longest_days }: Old,
  table: Kept,
  limit: number,
): Promise<number[]> {
  const { retention_days } = await settingsOf(tx, 'all', company_id)
  const store = retentionStore(tx, company_id)
  if (table === 'messages') {
    for (const { before_ms, below } of await oneByOne(tx, {
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
