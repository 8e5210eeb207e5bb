import type { TestResult } from '@sdd/contract/outward/callbacks.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Scope } from '#server/core/context.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Database } from '#server/database/open.ts'
import { lastErrorFieldsOf } from './outcome.ts'
import type { Posting } from './posting.ts'
import { newWebhookId, signatureHeaders } from './signature.ts'
import { webhookStore } from './store.ts'

type Needs = { db: Pick<Database, 'read'>; clock: Clock; posting: Pick<Posting, 'post'> }

/**
 * Posts one signed test event to the webhook, once, and returns the outcome. It is no callback: nothing is stored or
 * repeated. `unknown_webhook` outside the scope.
 */
export async function testWebhook(
  { db, clock, posting }: Needs,
  scope: Scope,
  id: number,
): Promise<TestResult> {
  const webhooks = webhookStore(db.read, scope)
  const webhook = await webhooks.byId(id)
  const secret = webhook && (await webhooks.secretOf(id))
  if (secret === undefined) throw new Refusal('unknown_webhook', `There is no webhook ${id}.`)
  const { company_id, url } = webhook!
  const now_ms = clock.now()
  const body = JSON.stringify({ type: 'webhook.test', at: instant(now_ms), webhook: id })
  const began_ms = performance.now()
  const headers = signatureHeaders([secret], newWebhookId(), now_ms, body)
  const outcome = await posting.post({ company_id, url, body }, headers)
  // The server stops.
  if (outcome === undefined) throw new Refusal('not_ready', 'The server is stopping. Try again in a moment.')
  const took_ms = Math.round(performance.now() - began_ms)
  const { result, status, error } = outcome
  return { delivered: result === 'delivered', status, ...lastErrorFieldsOf(error), took_ms }
}
