import type { Callback, CallbackSelection } from '@sdd/contract/outward/callbacks.ts'
import { recordChange } from '#server/accounts/audit/audit.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Caller, Scope } from '#server/core/context.ts'
import { cursorId, pageOf } from '#server/core/paging.ts'
import { Refusal } from '#server/core/refusal.ts'
import { newestIn } from '#server/core/spans.ts'
import type { Database } from '#server/database/open.ts'
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
  const { scope } = caller
  const row = await db.write(async (tx) => {
    const callbacks = callbackStore(tx, scope)
    await callbacks.hold(id)
    const row = await callbacks.byId(id)
    if (row === undefined) throw new Refusal('unknown_callback', `There is no callback ${id}.`)
    if (row.webhook !== null && (await webhookStore(tx, scope).byId(row.webhook)) === undefined) {
      throw new Refusal(
        'unknown_webhook',
        `The webhook of callback ${id} was removed: nothing is sent there again.`,
      )
    }
    const behind = await callbacks.waitsBehind(row, id)
    await callbacks.update(id, {
      state: 'waiting',
      round: 0,
      due_at: behind ? null : instant(clock.now()),
    })
    await callbacks.holdAfter(row, id)
    const { company_id, guid } = row
    await recordChange(tx, clock, caller, { company_id, action: 'callback.repeated', name: guid })
    return (await callbacks.byId(id))!
  })
  live.changed(row.company_id, 'callbacks', 'audit')
  return asCallback(row)
}

function asCallback({ webhook: _webhook, round: _round, due_at, ...row }: CallbackRow): Callback {
  return { ...row, ...lastErrorFieldsOf(row.last_error), next_try_at: due_at }
}
