/** The input is not a whole PDU. This is the only error that decoding throws, for any input. */
export class DecodingError extends Error {
  override name = 'DecodingError'
  /** The position, counted from 0 over the whole PDU including the SMSC part. */
  readonly octet: number

  constructor(what: string, octet: number) {
    super(`${what} at octet ${octet}`)
    this.octet = octet
  }
}

export type Octets = {
  /** The number of octets from the beginning of the PDU to the next one. */
  at: () => number
  /** The next octet. Like `take`, it names the field in the error if the PDU ends too soon. */
  octet: (what: string) => number
  take: (count: number, what: string) => Uint8Array<ArrayBuffer>
  /** The remaining octets, without taking them. */
  rest: () => Uint8Array<ArrayBuffer>
}

/** Converts hex digits of either case, without separators. */
export function octetsOfHex(hex: string): Uint8Array<ArrayBuffer> {
  const strange = hex.search(/[^0-9a-f]/i)
  if (strange >= 0) throw new DecodingError('A character that is not a hex digit', strange >> 1)
  if (hex.length % 2) throw new DecodingError('Half an octet', hex.length >> 1)
  // Not Uint8Array.fromHex, because the agent also runs on Node 22, which does not have it.
  return Uint8Array.from({ length: hex.length / 2 }, (_, n) =>
    Number.parseInt(hex.slice(2 * n, 2 * n + 2), 16),
  )
}

/** Reads octets in order. */
export function openOctets(octets: Uint8Array<ArrayBuffer>): Octets {
  let next = 0

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
