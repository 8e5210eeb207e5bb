import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'

/** A secret that signs callbacks, as Standard Webhooks writes it: `whsec_` and 256 random bits in base64. */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(32).toString('base64')
}

/** A `webhook-id`. */
export function newWebhookId(): string {
  return `msg_${randomBytes(18).toString('base64url')}`
}

/**
 * The headers of one delivery, after Standard Webhooks 1.0.0 (github.com/standard-webhooks): HMAC-SHA256 over
 * `id.timestamp.body` with the decoded secret. `now_ms` is when this delivery is tried.
 */
export function signatureHeaders(secret: string, webhook_id: string, now_ms: number, body: string) {
  const timestamp = String(Math.floor(now_ms / 1_000))
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  const signature = createHmac('sha256', key).update(`${webhook_id}.${timestamp}.${body}`).digest('base64')
  return {
    'webhook-id': webhook_id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
}
