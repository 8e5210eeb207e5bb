import type { Logger } from 'pino'
import { type Clock, DAY_MS, instant } from '#server/core/clock.ts'
import type { Database } from '#server/database/open.ts'
import { dropMonth } from '#server/database/months/layout.ts'
import { isUnderWay, ensureMonths, type Month, monthsOf } from '#server/database/months/months.ts'
import { unlessBusy } from '#server/database/months/analyzing.ts'
import type { Tx } from '#server/database/schema.ts'
import { settingsByCompany } from '#server/accounts/settings/settings.ts'
import { monthStore } from './store.ts'

type Needs = { db: Pick<Database, 'read' | 'inOwnSession'>; clock: Clock; log: Pick<Logger, 'info'> }
type OwnSession = NonNullable<Database['inOwnSession']>

/** How many replies are detached from their removed messages in one transaction. */
const STEP_ROWS = 1_000
/**
 * How long after its retention a message may still wait to be removed with its whole month: a long month and a few days.
 * After that it is removed on its own.
 */
const LATEST_MS = 35 * DAY_MS

/**
 * Maintains the months on PostgreSQL. Starts a new month when the last one ends. Removes a month whose rows are all
 * past their company's retention. A step that would have to wait for a lock is left for the next time. Returns how many
 * months were removed.
 */
export async function maintainMonths({ db, clock, log }: Needs): Promise<number> {
  const { inOwnSession } = db
  if (inOwnSession === undefined) return 0
  await unlessBusy(() => ensureMonths(inOwnSession, new Date(clock.now())))
  let removed = 0
  for (const month of await monthsOf(db.read)) {
    if (month.ended_at === undefined || (await isUnderWay(db.read, month))) continue
    const { number, ended_at } = month
    if (!(await isOver(db.read, clock, month))) continue
    if (!(await unlessBusy(() => removeMonth(inOwnSession, clock, month)))) continue
    log.info({ month: number, ended_at }, 'Removed a month with only rows older than retention_days')
    removed++
  }
  return removed
}

/** Whether all messages of a month are past their company's retention. */
async function isOver(tx: Tx, clock: Clock, month: Month): Promise<boolean> {
  const settings = [...(await settingsByCompany(tx)).values()]
  const shortest = Math.min(...settings.map(({ retention_days }) => retention_days))
  if (month.ended_at!.getTime() > clock.now() - shortest * DAY_MS) return false
  settings.sort((one, other) => other.retention_days - one.retention_days)
  const young = settings.map(({ company_id, retention_days }) => ({
    company_id,
    since: instant(clock.now() - retention_days * DAY_MS),
  }))
  return !(await monthStore(tx, month).hasSince(young))
}

/**
 * Removes a whole month or nothing. Locks the settings, so `retention_days` cannot change while the month is removed.
 */
async function removeMonth(inOwnSession: OwnSession, clock: Clock, month: Month): Promise<void> {
  while ((await inOwnSession((tx) => monthStore(tx, month).forgetReplies(STEP_ROWS))) === STEP_ROWS);
  await inOwnSession(async (tx) => {
    await monthStore(tx, month).holdSettings()
    if ((await isUnderWay(tx, month)) || !(await isOver(tx, clock, month))) return
    await monthStore(tx, month).forgetReplies(STEP_ROWS)
    await dropMonth(tx, month.number)
  })
}

/** Messages are removed one by one up to `before_ms`; with `below`, only those with lower ids. */
type RemovalLimit = { before_ms: number; below?: number }

/**
 * The limits up to which a company's messages are removed one by one, instead of with their month. In companies with
 * the longest retention, all messages wait for their month, except overdue ones and those from before there were
 * months. Messages of other companies cannot wait, because their months stay for the companies with the longest
 * retention.
 */
export async function removalLimits(
  tx: Tx,
  { retention_days, longest_days, now_ms }: { retention_days: number; longest_days: number; now_ms: number },
): Promise<RemovalLimit[]> {
  const before_ms = now_ms - retention_days * DAY_MS
  if (tx.engine === 'sqlite' || retention_days < longest_days) return [{ before_ms }]
  const mixed = (await monthsOf(tx)).filter((month) => month.mixed).map(({ below }) => ({ before_ms, below }))
  return [...mixed, { before_ms: before_ms - LATEST_MS }]
}
