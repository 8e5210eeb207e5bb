import { decodeGsm7, encodeGsm7, isGsm7, packSeptets, unpackSeptets } from './gsm7.ts'
import { DecodingError, type Octets } from './octets.ts'

export type Address = {
  /** With `+` if the type is international; the name if it is alphanumeric. */
  number: string
  /** The octet before the digits: type of number and numbering plan (3GPP TS 23.040 section 9.1.2.5). */
  typeOfAddress: number
}

const INTERNATIONAL = 0x91
const UNKNOWN = 0x81
const ALPHANUMERIC = 0xd0
/** The bits of the type of number in that octet. */
const TYPE_OF_NUMBER = 0x70

/** The meaning of semi-octets (23.040 section 9.1.2.3); 15 fills the last octet of an odd number of digits. */
const DIGITS = '0123456789*#abc'
const FILL = 15

/** An address has at most 10 octets of digits, or 11 characters of 7 bits. */
const MOST_DIGITS = 20
const MOST_CHARACTERS = 11

/**
 * TP-DA, TP-OA or TP-RA: length in digits, type, semi-octets. The number must be 1 to 20 digits (`*` and `#` count as
 * digits), optionally after a `+`. Otherwise throws a RangeError that names the wrong character. Nothing is stripped;
 * the caller decides about spaces that people type.
 */
export function encodeAddress(number: string): Uint8Array<ArrayBuffer> {
  const digits = digitsOf(number)
  return Uint8Array.of(digits.length, typeFor(number), ...semiOctets(digits))
}

/** The SMSC part of a PDU: length in octets including the type; a single 0 if the modem should use its own SMSC. */
export function encodeSmsc(number: string | null): Uint8Array<ArrayBuffer> {
  if (number === null) return Uint8Array.of(0)
  const octets = semiOctets(digitsOf(number))
  return Uint8Array.of(octets.length + 1, typeFor(number), ...octets)
}

/** An alphanumeric address, such as a sender's name. Throws a RangeError if it does not fit. */
export function encodeAlphanumeric(name: string): Uint8Array<ArrayBuffer> {
  if (!isGsm7(name)) throw new RangeError(`GSM-7 cannot write the name ${JSON.stringify(name)}`)
  const septets = encodeGsm7(name)
  if (septets.length === 0 || septets.length > MOST_CHARACTERS) {
    throw new RangeError(`A name takes 1 to ${MOST_CHARACTERS} characters, not ${septets.length}`)
  }
  const semiOctetCount = Math.ceil((7 * septets.length) / 4)
  return Uint8Array.of(semiOctetCount, ALPHANUMERIC, ...packSeptets(septets))
}

export function readAddress(octets: Octets, what: string): Address {
  const at = octets.at()
  const count = octets.octet(`length of the ${what}`)
  if (count > MOST_DIGITS) throw new DecodingError(`The ${what} claims ${count} digits, more than 20`, at)
  const typeOfAddress = octets.octet(`type of the ${what}`)
  const value = octets.take((count + 1) >> 1, what)
  return { number: numberOf(value, count, typeOfAddress), typeOfAddress }
}

/** Null if its length is 0. */
export function readSmsc(octets: Octets): Address | null {
  const at = octets.at()
  const length = octets.octet('SMSC length')
  if (length === 0) return null
  if (length > 1 + MOST_DIGITS / 2) throw new DecodingError(`The SMSC claims ${length} octets`, at)
  const typeOfAddress = octets.octet('type of the SMSC')
  const value = octets.take(length - 1, 'SMSC')
  return { number: numberOf(value, 2 * value.length, typeOfAddress), typeOfAddress }
}

function numberOf(value: Uint8Array, count: number, typeOfAddress: number): string {
  const type = typeOfAddress & TYPE_OF_NUMBER
  if (type === (ALPHANUMERIC & TYPE_OF_NUMBER))
    return decodeGsm7(unpackSeptets(value, Math.floor((4 * count) / 7)))
  let digits = type === (INTERNATIONAL & TYPE_OF_NUMBER) ? '+' : ''
  for (let i = 0; i < count; i++) {
    const digit = i % 2 ? value[i >> 1]! >> 4 : value[i >> 1]! & 15
    if (digit === FILL) break
    digits += DIGITS[digit]
  }
  return digits
}

function typeFor(number: string): number {
  return number.startsWith('+') ? INTERNATIONAL : UNKNOWN
}

function digitsOf(number: string): string {
  const digits = number.startsWith('+') ? number.slice(1) : number
  const strange = digits.match(/[^0-9*#]/u)?.[0]
  if (strange !== undefined) {
    const point = strange.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
    throw new RangeError(`A phone number has no ${JSON.stringify(strange)} (U+${point}): it is + and digits`)
  }
  if (digits.length === 0) throw new RangeError('A phone number has at least one digit')
  if (digits.length > MOST_DIGITS) throw new RangeError(`A phone number has at most ${MOST_DIGITS} digits`)
  return digits
}

function semiOctets(digits: string): Uint8Array<ArrayBuffer> {
  const octets = new Uint8Array((digits.length + 1) >> 1)
  for (let i = 0; i < octets.length; i++) {
    const high = digits[2 * i + 1]
    octets[i] = DIGITS.indexOf(digits[2 * i]!) | ((high ? DIGITS.indexOf(high) : FILL) << 4)
  }
  return octets
}
