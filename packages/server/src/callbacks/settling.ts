import { CALLBACK_DELAYS_MS } from '@sdd/contract/callbacks.ts'
import { instant } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Outcome } from './outcome.ts'
import { callbackStore } from './store.ts'

/** What one try came to, and when it began. */
export type Tried = { id: number; outcome: Outcome; tried_at: string }

/** What became of the callback: `failed` is tried again. */
export type Became = { company_id: number; outcome: 'delivered' | 'failed' | 'dead' }

/**
 * Writes down what a try came to: delivered, to be tried again, or dead; then the next of its sequence may go.
 * `undefined` where the callback is gone, or was given up while it was tried and has failed.
 */
export async function settle(
  tx: Tx,
  { id, outcome, tried_at }: Tried,
  now_ms: number,
): Promise<Became | undefined> {
  const callbacks = callbackStore(tx, 'all')
  const row = await callbacks.byId(id)
  if (row === undefined || (row.state !== 'waiting' && outcome.result !== 'delivered')) return undefined
  const round = row.round + 1
  const said = { last_tried_at: tried_at, last_status: outcome.status, last_error: outcome.error }
  const tried = { ...said, tries: row.tries + 1, round }
  const delay_ms = CALLBACK_DELAYS_MS[round - 1]
  if (outcome.result === 'failed' && delay_ms !== undefined) {
    const behind = await callbacks.waitsBehind(row, id)
    await callbacks.update(id, { ...tried, due_at: behind ? null : instant(now_ms + delay_ms) })
    return { company_id: row.company_id, outcome: 'failed' }
  }
  const state = outcome.result === 'delivered' ? 'delivered' : 'dead'
  const now = instant(now_ms)
  await callbacks.update(id, {
    ...tried,
    state,
    due_at: null,
    ...(state === 'delivered' && { delivered_at: now }),
  })
  await callbacks.release(row, now)
  return { company_id: row.company_id, outcome: state }
}
