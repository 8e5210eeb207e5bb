import { createHmac, randomBytes } from 'node:crypto'
import { WEBHOOK_SECRET } from '#server/core/secrets.ts'

/** A new `webhook-id`. */
export function newWebhookId(): string {
  return `msg_${randomBytes(18).toString('base64url')}`
}

/**
 * The headers of one delivery after Standard Webhooks 1.0.0 (github.com/standard-webhooks). Each secret, decoded, signs
 * `id.timestamp.body` with HMAC-SHA256. `now_ms` is the time of this try.
 */
export function signatureHeaders(
  secrets: readonly string[],
  webhook_id: string,
  now_ms: number,
  body: string,
) {
  const timestamp = String(Math.floor(now_ms / 1_000))
  const signed = `${webhook_id}.${timestamp}.${body}`
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(WEBHOOK_SECRET.length), 'base64')
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  })
  return {
    'webhook-id': webhook_id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
