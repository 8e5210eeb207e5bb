import { totpAt, stepAt } from '#server/accounts/auth/totp.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)))
}

/** The code that an app shows for the secret at this time, offset by a number of half minutes. */
export function appCode(secret: string, ms: number, away = 0): string {
  return totpAt(fromBase32(secret), stepAt(ms) + away)
}
