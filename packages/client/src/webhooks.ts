import type { WebhookEvent } from './types.ts'

/** Why a callback is not to be believed: a wrong or missing signature, or an old one. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
}

type HeaderList = Headers | Readonly<Record<string, string | string[] | undefined>>

export type SignedRequest = {
  headers: HeaderList
  /** The body as it came, before anything has parsed it. */
  body: string
  /** `whsec_…` of the API key or of the webhook. */
  secret: string
  /** How old it may be. */
  tolerance_secs?: number
  /** Of the clock, in milliseconds. */
  now_ms?: number
}

/** The event of a callback, if its signature is genuine and fresh. Rejects with a `WebhookError` if it is not. */
export async function readEvent(request: SignedRequest): Promise<WebhookEvent> {
  const { headers, body, secret, tolerance_secs = 300, now_ms = Date.now() } = request
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature')
  if (Math.abs(now_ms / 1_000 - Number(timestamp)) > tolerance_secs)
    throw new WebhookError('The callback is too old, or from the future')
  const key = await crypto.subtle.importKey(
    'raw',
    bytesOf(secret.replace(/^whsec_/, '')),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  )
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  // During the overlap of a rotation there are two.
  for (const signature of signatures.split(' ')) {
    const given = bytesOf(signature.replace(/^v1,/, ''))
    if (signature.startsWith('v1,') && (await crypto.subtle.verify('HMAC', key, given, signed)))
      return JSON.parse(body) as WebhookEvent
  }
  throw new WebhookError('The signature is not that of this secret')
}

function headerOf(headers: HeaderList, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  if (typeof value !== 'string' || value === '') throw new WebhookError(`The callback has no ${name}`)
  return value
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0))
  } catch {
    throw new WebhookError('A signature or the secret is not Base64')
  }
}
