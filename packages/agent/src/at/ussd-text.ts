import { decodeGsm7, encodeGsm7, packSeptets, unpackSeptets } from '@sdd/sms/gsm7.ts'
import { hexOf, octetsOfHex } from '@sdd/sms/octets.ts'

/** The data coding scheme of a code that is dialled: the default alphabet, no language (3GPP TS 23.038 section 5). */
export const USSD_DCS = 15

const CR = 0x0d

/**
 * The text of a USSD answer. Modems write it in the alphabet of AT+CSCS, or as the hex of packed septets (Huawei), or as
 * the hex of UCS-2, and do not say which. `written` has one character for each byte.
 */
export function readUssdText(written: string, dcs: number | null): string {
  return read(written, codingOf(dcs ?? USSD_DCS), dcs)
    .replaceAll(/\r\n?/g, '\n')
    .trim()
}

/** A code as the hex of its packed septets, which some modems want. */
export function packUssdCode(code: string): string {
  const septets = [...encodeGsm7(code)]
  // Otherwise the last seven bits would read as one more `@` (23.038 section 6.1.2.3.1).
  if (septets.length % 8 === 7) septets.push(CR)
  return hexOf(packSeptets(septets))
}

type Coding = 'gsm7' | 'octets' | 'ucs2'

/** 3GPP TS 23.038 section 5. */
function codingOf(dcs: number): Coding {
  if (dcs === 0x11) return 'ucs2'
  if ((dcs & 0xc0) !== 0x40 && (dcs & 0xf0) !== 0x90) return 'gsm7'
  return (['gsm7', 'octets', 'ucs2', 'gsm7'] as const)[(dcs >> 2) & 3]!
}

function read(written: string, coding: Coding, dcs: number | null): string {
  const octets = hexIn(written)
  if (octets === undefined) return withoutLanguage(readPlain(written), dcs)
  if (coding === 'ucs2') return readUcs2(dcs === 0x11 ? octets.subarray(2) : octets)
  if (looksLikeUcs2(octets)) return readUcs2(octets)
  // Only digits: rather a number that somebody asked for than packed septets.
  if (/^\d+$/.test(written)) return written
  if (coding === 'octets') return readOctets(octets)
  const text = decodeGsm7(unpackSeptets(octets, Math.floor((octets.length * 8) / 7)))
  return withoutLanguage(text, dcs).replace(/[\r@]$/, '')
}

function hexIn(written: string): Uint8Array<ArrayBuffer> | undefined {
  const hex = written.replaceAll('\n', '')
  return /^([0-9A-F]{2}){2,}$/i.test(hex) ? octetsOfHex(hex) : undefined
}

function looksLikeUcs2(octets: Uint8Array): boolean {
  if (octets.length < 4 || octets.length % 2 > 0) return false
  return octets.every((octet, at) =>
    at % 2 === 0 ? octet === 0 : octet >= 0x20 || octet === 0x0a || octet === CR,
  )
}

function readUcs2(octets: Uint8Array): string {
  return new TextDecoder('utf-16be').decode(octets)
}

function readOctets(octets: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(octets)
  } catch {
    return Buffer.from(octets).toString('latin1')
  }
}

/**
 * Text in the GSM alphabet, although some modems write ASCII when they claim to write that. A control byte proves the
 * GSM alphabet. Without one, the signs that have an ASCII meaning in practice keep it: `$`, `_`, and the @ of an address.
 */
function readPlain(written: string): string {
  const bytes = Buffer.from(written, 'latin1')
  if (bytes.some((byte) => byte > 0x7f)) return readOctets(bytes)
  if (bytes.some((byte) => byte < 0x20 && byte !== 0x0a && byte !== CR)) return decodeGsm7(bytes)
  return written.replaceAll(/[^\n]/g, (char, at: number) => {
    if (/[$_]/.test(char)) return char
    if (char === '@' && /\w@\w/.test(written.slice(Math.max(0, at - 1), at + 2))) return char
    return decodeGsm7([char.charCodeAt(0)])
  })
}

/** With this scheme two letters that name the language, and CR, come first. */
function withoutLanguage(text: string, dcs: number | null): string {
  return dcs === 0x10 ? text.replace(/^[a-z]{2}[\r\n]/i, '') : text
}
