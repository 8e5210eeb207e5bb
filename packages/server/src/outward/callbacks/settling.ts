import { CALLBACK_DELAYS_MS } from '@sdd/contract/outward/callbacks.ts'
import { instant } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Outcome } from './outcome.ts'
import { callbackStore } from './store.ts'

/** What one try came to, when it began, and at which server. */
export type Tried = { id: number; server: string; outcome: Outcome; tried_at: string }

/** What became of the callback: `failed` is tried again. */
export type Became = { company_id: number; outcome: 'delivered' | 'failed' | 'dead' }

/**
 * Writes down what a try came to: delivered, to be tried again, or dead; then the next of its sequence may go.
 * `undefined` where the callback is gone, was given up while it was tried and has failed, or is another server's by now:
 * one that slept for longer than it may has no say in it.
 */
export async function settle(
  tx: Tx,
  { id, server, outcome, tried_at }: Tried,
  now_ms: number,
): Promise<Became | undefined> {
  const callbacks = callbackStore(tx, 'all')
  const { result, status, error } = outcome
  const now = instant(now_ms)
  if (!(await callbacks.letGo(id, server))) return undefined
  if (result === 'delivered') {
    const sequence = await callbacks.deliver(id, { tried_at, status, now })
    if (sequence) await callbacks.release(sequence, now)
    return sequence && { company_id: sequence.company_id, outcome: 'delivered' }
  }
  const row = await callbacks.byId(id)
  if (row?.state !== 'waiting') return undefined
  const { company_id, tries, round } = row
  const tried = {
    tries: tries + 1,
    round: round + 1,
    last_tried_at: tried_at,
    last_status: status,
    last_error: error,
  }
  const delay_ms = CALLBACK_DELAYS_MS[round]
  if (result === 'failed' && delay_ms !== undefined) {
    const due_at = (await callbacks.waitsBehind(row, id)) ? null : instant(now_ms + delay_ms)
    await callbacks.update(id, { ...tried, due_at })
    return { company_id, outcome: 'failed' }
  }
  await callbacks.update(id, { ...tried, state: 'dead', due_at: null })
  await callbacks.release(row, now)
  return { company_id, outcome: 'dead' }
}
