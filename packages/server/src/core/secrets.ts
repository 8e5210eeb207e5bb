import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** A random secret of 256 bits behind a prefix that tells what it opens. */
export function newSecret(prefix: 'sds_' | 'sdd_' | 'sdk_'): string {
  return prefix + randomBytes(32).toString('base64url')
}

/** What the secrets that sign callbacks begin with, after Standard Webhooks. */
export const WEBHOOK_SECRET = 'whsec_'

/** A secret that signs callbacks, as Standard Webhooks writes it: `whsec_` and 256 random bits in base64. */
export function newWebhookSecret(): string {
  return WEBHOOK_SECRET + randomBytes(32).toString('base64')
}

/**
 * What is stored of a random secret. A plain SHA-256 is enough for 256 random bits; passwords, which people choose,
 * go through Argon2id.
 */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'base64url')
}

/** Whether the secret is the one that was hashed, in a time that tells nothing. */
export function isSecret(secret: string, secret_hash: string): boolean {
  const given = Buffer.from(hashSecret(secret))
  const stored = Buffer.from(secret_hash)
  return given.length === stored.length && timingSafeEqual(given, stored)
}
