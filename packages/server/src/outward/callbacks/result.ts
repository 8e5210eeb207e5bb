import { CALLBACK_DELAYS_MS } from '@sdd/contract/outward/callbacks.ts'
import { instant } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Outcome } from './outcome.ts'
import { callbackStore } from './store.ts'

/** The outcome of one try, its start, and the server that made it. */
export type TryResult = { id: number; server: string; outcome: Outcome; tried_at: string }

/** The callback's result: `failed` is tried again. */
type CallbackResult = { company_id: number; outcome: 'delivered' | 'failed' | 'dead' }

/**
 * Stores the outcome of a try: delivered, to be retried, or dead. Then the next callback of its sequence may be sent.
 * `undefined` if the callback is gone, was given up during a failed try, or is claimed by another server by now. So a
 * server that slept beyond its claim changes nothing.
 */
export async function settleDelivery(
  tx: Tx,
  { id, server, outcome, tried_at }: TryResult,
  now_ms: number,
): Promise<CallbackResult | undefined> {
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
