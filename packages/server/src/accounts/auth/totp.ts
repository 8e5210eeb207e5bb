import { createHmac, timingSafeEqual } from 'node:crypto'

/** Time-based codes, as authenticator apps make them: RFC 6238 with SHA-1, 6 digits, 30 seconds. */
const STEP_MS = 30_000
const DIGITS = 6

/** How far a phone's clock may be off, in steps. */
const DRIFT = 1

/** The code of a step (RFC 4226, section 5.3). */
export function totpAt(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const number = mac.readUInt32BE(mac.at(-1)! & 0xf) & 0x7fff_ffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

export function stepAt(ms: number): number {
  return Math.floor(ms / STEP_MS)
}

/** The step near `now` that the code belongs to; `undefined` if none matches. */
export function stepOf(secret: Buffer, code: string, now: number): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined
  for (let step = stepAt(now) - DRIFT; step <= stepAt(now) + DRIFT; step++) {
    if (timingSafeEqual(Buffer.from(totpAt(secret, step)), Buffer.from(code))) return step
  }
  return undefined
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648, section 6, without padding, as apps expect of a secret. The length must be a multiple of 40 bits. */
export function base32(bytes: Buffer): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  return bits.replaceAll(/.{5}/g, (five) => ALPHABET[Number.parseInt(five, 2)]!)
}

/** The content of the QR code: the secret, and the names that the app displays. */
export function otpauthUri(secret: Buffer, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
  const given = { secret: base32(secret), issuer, algorithm: 'SHA1', digits: '6', period: '30' }
  const query = Object.entries(given).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return `otpauth://totp/${label}?${query.join('&')}`
}
