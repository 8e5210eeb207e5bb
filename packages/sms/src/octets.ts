/** What was received is no PDU, or not a whole one. The only error that decoding throws, whatever it is given. */
export class DecodingError extends Error {
  override name = 'DecodingError'
  /** Where it was seen, counted from 0 over the whole PDU, the SMSC part included. */
  readonly octet: number

  constructor(what: string, octet: number) {
    super(`${what} at octet ${octet}`)
    this.octet = octet
  }
}

export type Octets = {
  /** Octets from the beginning of the PDU to the next one. */
  at: () => number
  /** The next one. Like `take`, it names what it is in the error where the PDU ends too soon. */
  octet: (what: string) => number
  take: (count: number, what: string) => Uint8Array<ArrayBuffer>
  /** The octets from here to the end, without taking them. */
  rest: () => Uint8Array<ArrayBuffer>
}

/** The octets that hex digits of either case stand for; nothing else may be between them. */
export function octetsOfHex(hex: string): Uint8Array<ArrayBuffer> {
  const strange = hex.search(/[^0-9a-f]/i)
  if (strange >= 0) throw new DecodingError('Something that is no hex digit', strange >> 1)
  if (hex.length % 2) throw new DecodingError('Half an octet', hex.length >> 1)
  // Not Uint8Array.fromHex: the agent also runs on Node 22, which has none.
  return Uint8Array.from({ length: hex.length / 2 }, (_, n) =>
    Number.parseInt(hex.slice(2 * n, 2 * n + 2), 16),
  )
}

/** Octets to be read one after the other, `start` of them skipped. */
export function openOctets(octets: Uint8Array<ArrayBuffer>, start = 0): Octets {
  let next = start

  function take(count: number, what: string): Uint8Array<ArrayBuffer> {
    const left = octets.length - next
    if (count > left) {
      throw new DecodingError(`The PDU ends within its ${what} (${count} octets wanted, ${left} there)`, next)
    }
    next += count
    return octets.subarray(next - count, next)
  }

  return {
    at: () => next,
    octet: (what) => take(1, what)[0]!,
    take,
    rest: () => octets.subarray(next),
  }
}

/** Capital hex digits, as PDUs are written. */
export function hexOf(octets: Uint8Array): string {
  return Array.from(octets, (octet) => octet.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase()
}
