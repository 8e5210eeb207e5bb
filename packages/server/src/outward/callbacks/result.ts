import { CALLBACK_DELAYS_MS } from '@sdd/contract/outward/callbacks.ts'
import { instant } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Outcome } from './outcome.ts'
import { callbackStore, webhookStore } from './store.ts'

/** The outcome of one try, its start, and the server that made it. */
export type TryResult = { id: number; server: string; outcome: Outcome; tried_at: string }

/** The callback's result: `failed` is tried again. */
type CallbackResult = {
  company_id: number
  webhook: number | null
  outcome: 'delivered' | 'failed' | 'dead'
}

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
    return sequence && { ...sequence, outcome: 'delivered' }
  }
  const row = await callbacks.byId(id)
  if (row?.state !== 'waiting') return undefined
  const { company_id, webhook, tries, round } = row
  const tried = {
    tries: tries + 1,
    round: round + 1,
    last_tried_at: tried_at,
    last_status: status,
    last_error: error,
  }
  const delay_ms = CALLBACK_DELAYS_MS[round]
  if (result === 'failed' && delay_ms !== undefined) {
    const due_at = (await callbacks.ahead(row, id)) ? null : instant(now_ms + delay_ms)
    await callbacks.update(id, { ...tried, due_at })
    return { company_id, webhook, outcome: 'failed' }
  }
  await callbacks.update(id, { ...tried, state: 'dead', due_at: null })
  await callbacks.release(row, now)
  return { company_id, webhook, outcome: 'dead' }
}

/** Counts the tries that failed in a row at each webhook. Call it last in a transaction: it locks their rows in order. */
export async function countFailuresInRow(
  tx: Tx,
  results: readonly Pick<CallbackResult, 'webhook' | 'outcome'>[],
): Promise<void> {
  const runs = new Map<number, { failed: number; delivered: boolean }>()
  for (const { webhook, outcome } of results) {
    if (webhook === null) continue
    const { failed, delivered } = runs.get(webhook) ?? { failed: 0, delivered: false }
    runs.set(
      webhook,
      outcome === 'delivered' ? { failed: 0, delivered: true } : { failed: failed + 1, delivered },
    )
  }
  const webhooks = webhookStore(tx, 'all')
  for (const [id, { failed, delivered }] of [...runs].sort(([one], [other]) => one - other))
    if (delivered) await webhooks.endFailures(id, failed)
    else await webhooks.addFailures(id, failed)
}
