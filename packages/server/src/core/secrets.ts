import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'

/** A random secret of 256 bits, with a prefix that names its kind. */
export function newSecret(prefix: 'sds_' | 'sdd_' | 'sdk_'): string {
  return prefix + randomBytes(32).toString('base64url')
}

/** A random text of these characters. */
export function randomText(characters: string, length: number): string {
  return Array.from({ length }, () => characters[randomInt(characters.length)]).join('')
}

/** The prefix of secrets that sign callbacks, from Standard Webhooks. */
export const WEBHOOK_SECRET = 'whsec_'

/** A secret that signs callbacks, in the form of Standard Webhooks: `whsec_` and 256 random bits in base64. */
export function newWebhookSecret(): string {
  return WEBHOOK_SECRET + randomBytes(32).toString('base64')
}

/**
 * The stored form of a random secret. A plain SHA-256 is enough for 256 random bits; passwords, which people choose, go
 * through Argon2id.
 */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'base64url')
}

/** Whether the secret matches the hash, compared in constant time. */
export function isSecret(secret: string, secret_hash: string): boolean {
  const given = Buffer.from(hashSecret(secret))
  const stored = Buffer.from(secret_hash)
  return given.length === stored.length && timingSafeEqual(given, stored)
}
