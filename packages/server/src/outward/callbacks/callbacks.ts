import {
  type Callback,
  type CallbackDetail,
  type CallbackSelection,
  MAX_REPEATS,
} from '@sdd/contract/outward/callbacks.ts'
import { recordChange } from '#server/accounts/audit/audit.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Caller, Scope } from '#server/core/context.ts'
import { cursorId, pageOf } from '#server/core/paging.ts'
import { Refusal } from '#server/core/refusal.ts'
import { newestIn } from '#server/core/spans.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { lastErrorFieldsOf } from './outcome.ts'
import type { Live } from '#server/core/live.ts'
import { type CallbackRow, callbackStore, webhookStore } from './store.ts'

type Needs = { db: Database; clock: Clock; live: Live }

/** A page of callbacks, newest first. `next_cursor` is null on the last page. */
export async function listCallbacks(
  { db }: { db: Pick<Database, 'readInWorker'> },
  scope: Scope,
  { limit, cursor, ...selection }: CallbackSelection,
): Promise<{ callbacks: Callback[]; next_cursor: string | null }> {
  const callbacks = callbackStore(db.readInWorker, scope)
  const below = Math.min(cursorId(cursor) ?? Infinity, (await callbacks.newestId()) + 1)
  // An index covers a guid, and the states of a company.
  const rows =
    scope === 'all' && selection.state !== undefined && selection.guid === undefined
      ? await newestIn({ below, limit: limit + 1 }, (ids, most) => callbacks.slice(selection, ids, most))
      : await callbacks.slice(selection, { below }, limit + 1)
  const { page, next_cursor } = pageOf(rows, limit)
  return { callbacks: page.map(asCallback), next_cursor }
}

/**
 * Sends a callback again, whatever its result was. It is sent at once, or after an earlier one of its task that is
 * still waiting. It keeps its `webhook-id` and gets all the tries of a new one. `unknown_callback` outside the scope;
 * `unknown_webhook` if its webhook was removed.
 */
export async function repeatCallback(
  { db, clock, live }: Needs,
  caller: Caller,
  id: number,
): Promise<Callback> {
  const row = await db.write((tx) => repeat(tx, clock, caller, id))
  live.changed(row.company_id, 'callbacks', 'audit')
  return asCallback(row)
}

/** Dead callbacks to repeat in one transaction, so that other writes get a turn. */
const STEP = 100

/** Sends the scope's dead callbacks again, as `repeatCallback` does, the oldest first. Those of removed webhooks stay. */
export async function repeatDeadCallbacks(
  { db, clock, live }: Needs,
  caller: Caller,
): Promise<{ repeated: number; more: boolean }> {
  const companies = new Set<number>()
  let [after, repeated, more] = [0, 0, true]
  while (more && repeated < MAX_REPEATS) {
    const ids = await db.write(async (tx) => {
      const ids = await callbackStore(tx, caller.scope).deadAbove(after, STEP)
      for (const id of ids) companies.add((await repeat(tx, clock, caller, id)).company_id)
      return ids
    })
    after = ids.at(-1) ?? after
    repeated += ids.length
    more = ids.length === STEP
  }
  if (more) more = (await callbackStore(db.read, caller.scope).deadAbove(after, 1)).length > 0
  for (const company_id of companies) live.changed(company_id, 'callbacks', 'audit')
  return { repeated, more }
}

/** One callback with its body. `unknown_callback` outside the scope. */
export async function readCallback(
  { db }: { db: Pick<Database, 'read'> },
  scope: Scope,
  id: number,
): Promise<CallbackDetail> {
  const callbacks = callbackStore(db.read, scope)
  const [row, body] = [await callbacks.byId(id), await callbacks.bodyOf(id)]
  if (row === undefined || body === undefined) throw unknownCallback(id)
  const ahead = row.state === 'waiting' ? await callbacks.ahead(row, id) : undefined
  const behind = ahead ? { id: ahead.id, type: ahead.type, next_try_at: ahead.due_at } : null
  return { ...asCallback(row), body, behind }
}

async function repeat(tx: Tx, clock: Clock, caller: Caller, id: number): Promise<CallbackRow> {
  const { scope } = caller
  const callbacks = callbackStore(tx, scope)
  await callbacks.hold(id)
  const row = await callbacks.byId(id)
  if (row === undefined) throw unknownCallback(id)
  if (row.webhook !== null && (await webhookStore(tx, scope).byId(row.webhook)) === undefined) {
    throw new Refusal(
      'unknown_webhook',
      `The webhook of callback ${id} was removed: nothing is sent there again.`,
    )
  }
  const behind = await callbacks.ahead(row, id)
  await callbacks.update(id, {
    state: 'waiting',
    round: 0,
    due_at: behind ? null : instant(clock.now()),
  })
  await callbacks.holdAfter(row, id)
  const { company_id, guid } = row
  await recordChange(tx, clock, caller, { company_id, action: 'callback.repeated', name: guid })
  return (await callbacks.byId(id))!
}

function unknownCallback(id: number): Refusal {
  return new Refusal('unknown_callback', `There is no callback ${id}.`)
}

function asCallback({ webhook: _webhook, round: _round, due_at, ...row }: CallbackRow): Callback {
  return { ...row, ...lastErrorFieldsOf(row.last_error), next_try_at: due_at }
}
