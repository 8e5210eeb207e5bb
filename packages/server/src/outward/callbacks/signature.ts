import { createHmac, randomBytes } from 'node:crypto'
import { WEBHOOK_SECRET } from '#server/core/secrets.ts'

/** A new `webhook-id`. */
export function newWebhookId(): string {
  return `msg_${randomBytes(18).toString('base64url')}`
}

/**
 * Twilio's signature of a form that is posted to a URL: HMAC-SHA1 over the URL as it was given, and the fields sorted by
 * name, each name with its value. The secret is used as it is shown, prefix included.
 */
export function twilioSignature(secret: string, url: string, form: string): string {
  const fields = [...new URLSearchParams(form)].sort(([one], [other]) => (one < other ? -1 : 1))
  return createHmac('sha1', secret)
    .update(url + fields.map(([name, value]) => name + value).join(''))
    .digest('base64')
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
