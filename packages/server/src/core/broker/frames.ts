/** A client broke MQTT 3.1.1, or did what it may not: its connection ends. */
export class Breach extends Error {
  override readonly name = 'Breach'
}

/** Cuts a byte stream into whole MQTT packets. */
export type Frames = {
  push(bytes: Buffer): void
  /**
   * The next whole packet, fixed header included, or `undefined` until more is pushed. It shares the memory of what
   * was pushed. Throws a `Breach` as soon as a header is one that a client may not send.
   */
  next(): Buffer | undefined
  /** From now on a PUBLISH may have so many bytes. */
  allowPublish(bytes: number): void
}

/** No packet but PUBLISH needs more: CONNECT with its will, SUBSCRIBE with its one filter. */
export const MAX_PACKET_BYTES = 4 * 1024

const EMPTY = Buffer.alloc(0)
const PUBLISH = 3
const MAX_LENGTH_BYTES = 4

/** By packet type, what a client may send: the flags its header must carry, and its length where that is fixed. */
const CLIENT_PACKETS: Readonly<Record<number, { flags?: number; length?: number }>> = {
  1: { flags: 0 }, // CONNECT
  [PUBLISH]: {},
  4: { flags: 0, length: 2 }, // PUBACK
  8: { flags: 2 }, // SUBSCRIBE
  10: { flags: 2 }, // UNSUBSCRIBE
  12: { flags: 0, length: 0 }, // PINGREQ
  14: { flags: 0, length: 0 }, // DISCONNECT
}

/**
 * mqtt-packet's parser is given whole packets alone: left to itself it buffers whatever length a header claims, and
 * reads a field that is cut short from the packet behind it.
 */
export function openFrames(): Frames {
  let largest_publish = MAX_PACKET_BYTES
  let input: Buffer = EMPTY
  let at = 0
  /** A packet whose header is known and whose end is not here yet; allocated once, so that bytes cost no more. */
  let partial: Buffer | undefined
  let filled = 0

  function push(bytes: Buffer): void {
    input = at === input.length ? bytes : Buffer.concat([input.subarray(at), bytes])
    at = 0
  }

  function next(): Buffer | undefined {
    if (partial) return fill(partial)
    if (at === input.length) {
      input = EMPTY
      at = 0
      return undefined
    }
    const header = readHeader(input, at)
    if (!header) {
      input = Buffer.from(input.subarray(at)) // a few bytes shall not keep a whole read alive
      at = 0
      return undefined
    }
    if (header.packet_bytes > (header.type === PUBLISH ? largest_publish : MAX_PACKET_BYTES)) {
      throw new Breach(`a packet of ${header.packet_bytes} bytes`)
    }
    if (at + header.packet_bytes > input.length) {
      partial = Buffer.allocUnsafeSlow(header.packet_bytes)
      filled = 0
      return fill(partial)
    }
    const frame = input.subarray(at, at + header.packet_bytes)
    at += header.packet_bytes
    return frame
  }

  function fill(frame: Buffer): Buffer | undefined {
    const copied = input.copy(frame, filled, at)
    filled += copied
    at += copied
    if (at === input.length) {
      input = EMPTY
      at = 0
    }
    if (filled < frame.length) return undefined
    partial = undefined
    return frame
  }

  return { push, next, allowPublish: (bytes) => void (largest_publish = bytes) }
}

/** Where the variable header of a whole packet begins. */
export function bodyStart(frame: Buffer): number {
  let at = 1
  while (frame[at]! >= 0x80) at++
  return at + 1
}

/** The header at `at`, `undefined` where it is not here whole. */
function readHeader(input: Buffer, at: number): { type: number; packet_bytes: number } | undefined {
  const first = input[at]!
  const type = first >> 4
  const flags = first & 0x0f
  const allowed = CLIENT_PACKETS[type]
  if (!allowed) throw new Breach(`a packet of type ${type}`)
  if (allowed.flags !== undefined && flags !== allowed.flags)
    throw new Breach(`flags ${flags} on type ${type}`)
  if (type === PUBLISH && flags & 0x04) throw new Breach('a PUBLISH of QoS 2 or 3')
  if (type === PUBLISH && flags & 0x01) throw new Breach('a retained PUBLISH')

  let length = 0
  for (let bytes = 1; bytes <= MAX_LENGTH_BYTES; bytes++) {
    const digit = input[at + bytes]
    if (digit === undefined) return undefined
    length |= (digit & 0x7f) << (7 * (bytes - 1))
    if (digit >= 0x80) continue
    if (allowed.length !== undefined && length !== allowed.length)
      throw new Breach(`type ${type} of ${length} bytes`)
    return { type, packet_bytes: 1 + bytes + length }
  }
  throw new Breach('a malformed remaining length')
}
