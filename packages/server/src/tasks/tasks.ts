import type { Task, TaskPage, TaskSelection } from '@sdd/contract/tasks/tasks.ts'
import { recordChange } from '#server/accounts/audit/audit.ts'
import { type Numbers, searchedNumber } from '#server/accounts/settings/numbers.ts'
import { dropSeparators } from '@sdd/contract/core/fields.ts'
import { fold } from '@sdd/storage/fold.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Caller, KeyCaller, Scope } from '#server/core/context.ts'
import { cursorId, pageOf } from '#server/core/paging.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import type { FeatureMetrics } from '#server/core/feature-metrics.ts'
import type { Live } from '#server/core/live.ts'
import type { MoveNeeds } from '#server/messages/messages/moving.ts'
import { type GuidAsked, scopeOfGuid } from '#server/messages/messages/by-guid.ts'
import { discardOrCancel, unknownTask } from '#server/dispatch/expiry/discarding.ts'
import { reasonsOf } from '#server/dispatch/why-waiting/reasons.ts'
import type { MessageRow } from '#server/messages/messages/store.ts'
import { taskStore } from './store.ts'
import { asTask, taskStateOf } from './task.ts'

/** How long one page may search, in ms, and the tasks to read at a time. */
const SEARCH_MS = 1_000
const SEARCH_ROWS = 1_000

type Needs = MoveNeeds & {
  db: Database
  live: Live
  wake(): void
  featureMetrics: Pick<FeatureMetrics, 'messages'>
}

/** A page of the tasks that other systems submitted, newest first. `next_cursor` is null on the last page. */
export async function listTasks(
  {
    db,
    clock,
    numbers,
  }: { db: Pick<Database, 'readInWorker'>; clock: Clock; numbers: Pick<Numbers, 'kept'> },
  { scope, company_id }: Pick<Caller, 'scope' | 'company_id'>,
  selection: TaskSelection,
): Promise<TaskPage> {
  const matches = matcherOf(selection, searchedNumber(numbers, company_id, selection.search))
  if (matches !== undefined) return searchTasks({ db, clock }, scope, selection, matches)
  const { status, limit, cursor } = selection
  const rows = await taskStore(db.readInWorker, scope).page(status, cursorId(cursor), limit + 1)
  const { page, next_cursor } = pageOf(rows, limit)
  return { tasks: await withReasons(db.readInWorker, clock, page), next_cursor }
}

/**
 * Reads tasks for a while and returns those that match, however few. `next_cursor` continues after the last one that was
 * read.
 */
async function searchTasks(
  { db, clock }: { db: Pick<Database, 'readInWorker'>; clock: Clock },
  scope: Scope,
  { status, limit, cursor, from }: TaskSelection,
  matches: (row: MessageRow) => boolean,
): Promise<TaskPage> {
  const tx = db.readInWorker
  const until = performance.now() + SEARCH_MS
  const oldest = from && instant(Date.parse(from))
  const found: MessageRow[] = []
  let before = cursorId(cursor)
  let ended = false
  while (!ended && found.length < limit && performance.now() < until) {
    const rows = await taskStore(tx, scope).page(status, before, SEARCH_ROWS)
    const matching = rows.filter(matches).slice(0, limit - found.length)
    found.push(...matching)
    const isFull = found.length === limit && matching.length > 0
    before = (isFull ? matching : rows).at(-1)?.id ?? before
    // Older tasks have lower ids, except after a correction of the clock.
    const isTooOld = oldest !== undefined && rows.every(({ queue_timestamp }) => queue_timestamp < oldest)
    ended = !isFull && (rows.length < SEARCH_ROWS || isTooOld)
  }
  const next_cursor = ended || before === undefined ? null : String(before)
  return { tasks: await withReasons(tx, clock, found), next_cursor }
}

/** Undefined if every task matches. `number` is the stored form of a number that was written whole. */
function matcherOf(
  selection: TaskSelection,
  number: string | undefined,
): ((row: MessageRow) => boolean) | undefined {
  const { state, search, from, to } = selection
  const wanted = fold(search?.trim().normalize() ?? '')
  if (state === undefined && wanted === '' && from === undefined && to === undefined) return undefined
  const digits = number ?? dropSeparators(wanted)
  const [first, last] = [from, to].map((time) => time && instant(Date.parse(time)))
  const isFound = ({ guid, message, message_to, from_number }: MessageRow) =>
    fold(guid).startsWith(wanted) ||
    fold(message).includes(wanted) ||
    (digits !== '' && [message_to, from_number].some((each) => each?.includes(digits)))
  return (row) =>
    (state === undefined || state.includes(taskStateOf(row))) &&
    (!first || row.queue_timestamp >= first) &&
    (!last || row.queue_timestamp <= last) &&
    (wanted === '' || isFound(row))
}

/** Reads one task. `unknown_task`, `ambiguous_guid`. */
export async function readTask(
  { db, clock }: Pick<Needs, 'db' | 'clock'>,
  scope: Scope,
  asked: GuidAsked,
): Promise<Task> {
  const guidScope = await scopeOfGuid(db.read, scope, asked, 'tasks')
  const row = guidScope && (await taskStore(db.read, guidScope).byGuid(asked.guid))
  if (row === undefined) throw unknownTask(asked.guid)
  const [task] = await withReasons(db.read, clock, [row])
  return task!
}

/**
 * Discards a task. This happens at once if no device has it. Otherwise its device is `asked` to drop it, and its report
 * decides. `unknown_task`, `ambiguous_guid`, `task_not_discardable`.
 */
export async function discardTask(
  needs: Needs,
  caller: Caller | KeyCaller,
  which: GuidAsked,
): Promise<{ task: Task; asked: boolean }> {
  const { db, clock, live, wake, featureMetrics } = needs
  const { company_id, asked, changed } = await db.write(async (tx) => {
    const dropped = await discardOrCancel(tx, needs, caller.scope, { ...which, by: caller.name })
    const { company_id } = dropped
    if (dropped.changed)
      await recordChange(tx, clock, caller, { company_id, action: 'task.discarded', name: which.guid })
    return dropped
  })
  if (changed) {
    if (asked) wake()
    else featureMetrics.messages.inc({ state: 'cancelled' })
    live.changed(company_id, 'tasks', 'logs', 'audit')
  }
  return { task: await readTask({ db, clock }, { company_id }, { guid: which.guid }), asked }
}

async function withReasons(tx: Tx, clock: Clock, rows: readonly MessageRow[]): Promise<Task[]> {
  const reasons = await reasonsOf(tx, clock, rows)
  return rows.map((row) => asTask(row, reasons.get(row.id)))
}
