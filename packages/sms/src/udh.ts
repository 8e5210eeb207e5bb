import { DecodingError } from './octets.ts'

/** One element of the user-data header (3GPP TS 23.040 section 9.2.3.24). */
export type InformationElement = { iei: number; data: Uint8Array<ArrayBuffer> }

/** The message of a part, its number from 1, and the number of parts. */
export type Concat = { ref: number; refBits: 8 | 16; n: number; of: number }

export type Ports = { destination: number; source: number }

const CONCAT_8_BITS = 0x00
const PORTS_8_BITS = 0x04
const PORTS_16_BITS = 0x05
const CONCAT_16_BITS = 0x08

/**
 * The elements of a header without its length octet. `at` is its position in the PDU, for the error if an element is
 * longer than the rest of the header.
 */
export function readElements(header: Uint8Array<ArrayBuffer>, at: number): InformationElement[] {
  const elements: InformationElement[] = []
  for (let next = 0; next < header.length;) {
    const length = header[next + 1] ?? Infinity
    const end = next + 2 + length
    if (end > header.length) throw new DecodingError('The user-data header ends within an element', at + next)
    elements.push({ iei: header[next]!, data: header.subarray(next + 2, end) })
    next = end
  }
  return elements
}

/** The header with its length octet; empty without elements. */
export function encodeElements(elements: readonly InformationElement[]): Uint8Array<ArrayBuffer> {
  if (elements.length === 0) return new Uint8Array()
  const octets = elements.flatMap(({ iei, data }) => [iei, data.length, ...data])
  return Uint8Array.of(octets.length, ...octets)
}

/**
 * Null if there is none, or it is one that the standard says to ignore: no parts, part 0, or a number above the count.
 * If there are several, the last counts.
 */
export function concatOf(elements: readonly InformationElement[]): Concat | null {
  const last = elements.findLast(
    ({ iei, data }) =>
      (iei === CONCAT_8_BITS && data.length === 3) || (iei === CONCAT_16_BITS && data.length === 4),
  )
  if (!last) return null
  const wide = last.iei === CONCAT_16_BITS
  const ref = wide ? (last.data[0]! << 8) | last.data[1]! : last.data[0]!
  const [of, n] = last.data.subarray(-2) as unknown as [number, number]
  return n === 0 || n > of ? null : { ref, refBits: wide ? 16 : 8, n, of }
}

export function concatElement({ ref, refBits, n, of }: Concat): InformationElement {
  return refBits === 16
    ? { iei: CONCAT_16_BITS, data: Uint8Array.of(ref >> 8, ref, of, n) }
    : { iei: CONCAT_8_BITS, data: Uint8Array.of(ref, of, n) }
}

/**
 * The application ports, which mark the user data as meant for a program. If there are several, the last ones count.
 */
export function portsOf(elements: readonly InformationElement[]): Ports | null {
  const last = elements.findLast(
    ({ iei, data }) =>
      (iei === PORTS_8_BITS && data.length === 2) || (iei === PORTS_16_BITS && data.length === 4),
  )
  if (!last) return null
  const [a = 0, b = 0, c = 0, d = 0] = last.data
  return last.iei === PORTS_16_BITS
    ? { destination: (a << 8) | b, source: (c << 8) | d }
    : { destination: a, source: b }
}
