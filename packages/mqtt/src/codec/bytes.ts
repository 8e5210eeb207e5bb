import { newBytes, readText } from '#mqtt/codec/text.ts'

/** The peer violated MQTT or its permissions: its connection ends. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
}

/** The offset of a packet's variable header. */
export function bodyStart(frame: Uint8Array): number {
  let at = 1
  while (frame[at]! >= 0x80) at++
  return at + 1
}

export function wordAt(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 8) | bytes[at + 1]!
}

/** Reads the fields of a whole packet in order. Throws a `ProtocolError` if the packet is too short. */
export function fieldsOf(frame: Uint8Array) {
  let at = bodyStart(frame)

  function take(length: number): Uint8Array {
    const field = frame.subarray(at, at + length)
    if (field.length < length) throw new ProtocolError('a malformed packet')
    at += length
    return field
  }

  const byte = () => take(1)[0]!
  const word = () => wordAt(take(2), 0)
  const bytes = () => take(word())
  return {
    byte,
    word,
    bytes,
    text: () => readText(bytes()),
    rest: () => frame.subarray(at),
    more: () => at < frame.length,
  }
}

/** A whole packet with this body. */
export function packetOf(first: number, body: readonly number[]): Uint8Array<ArrayBuffer> {
  const bytes = [first, ...lengthOf(body.length), ...body]
  const packet = newBytes(bytes.length)
  packet.set(bytes)
  return packet
}

/** The remaining length: seven bits per byte, lowest first. The eighth bit is set in each byte but the last. */
export function lengthOf(bytes: number): number[] {
  const digits = []
  let rest = bytes
  for (; rest >= 0x80; rest >>= 7) digits.push((rest & 0x7f) | 0x80)
  return [...digits, rest]
}

export const word = (number: number): number[] => [number >> 8, number & 0xff]

const encoder = new TextEncoder()

/** Text or bytes, preceded by their length. */
export function field(value: string | Uint8Array): number[] {
  const bytes = typeof value === 'string' ? encoder.encode(value) : value
  return [...word(bytes.length), ...bytes]
}

/** A copy to keep: a view would keep the whole read buffer alive. */
export function copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = newBytes(bytes.length)
  copy.set(bytes)
  return copy
}
