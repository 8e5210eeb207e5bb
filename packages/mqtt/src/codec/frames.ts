import { ProtocolError, copyOf } from './bytes.ts'

/** Cuts a byte stream into whole MQTT packets. */
export type Frames = {
  push(bytes: Uint8Array): void
  /**
   * The next whole packet with its fixed header, or `undefined` until more is pushed. It shares memory with the pushed
   * bytes. Throws a `ProtocolError` as soon as a header is not allowed.
   */
  next(): Uint8Array | undefined
  /** Checks later headers with this function. */
  judgeBy(judge: JudgeHeader): void
}

/** Throws a `ProtocolError` if no packet may start with this byte. */
export type JudgeHeader = (first: number) => Allowance

/** The largest packet after a first byte and, if it is fixed, its remaining length. */
export type Allowance = { most_bytes: number; length?: number }

const EMPTY = new Uint8Array(0)
const MAX_LENGTH_BYTES = 4

/** Checks each header before its body arrives, so that a forbidden body takes no memory. */
export function openFrames(first_judge: JudgeHeader): Frames {
  let judge = first_judge
  let input: Uint8Array = EMPTY
  let at = 0
  /**
   * A packet whose header is known and whose body is incomplete. Allocated once, so that more chunks cost no more
   * memory.
   */
  let partial: Uint8Array | undefined
  let filled = 0

  function push(bytes: Uint8Array): void {
    input = at === input.length ? bytes : joined(input.subarray(at), bytes)
    at = 0
  }

  function next(): Uint8Array | undefined {
    if (partial) return fill(partial)
    if (at === input.length) {
      input = EMPTY
      at = 0
      return undefined
    }
    const packet_bytes = judgedLength(input, at, judge(input[at]!))
    if (packet_bytes === undefined) {
      input = copyOf(input.subarray(at)) // a few bytes must not keep a whole read buffer alive
      at = 0
      return undefined
    }
    if (at + packet_bytes > input.length) {
      partial = new Uint8Array(packet_bytes)
      filled = 0
      return fill(partial)
    }
    const frame = input.subarray(at, at + packet_bytes)
    at += packet_bytes
    return frame
  }

  function fill(frame: Uint8Array): Uint8Array | undefined {
    const piece = input.subarray(at, at + frame.length - filled)
    frame.set(piece, filled)
    filled += piece.length
    at += piece.length
    if (at === input.length) {
      input = EMPTY
      at = 0
    }
    if (filled < frame.length) return undefined
    partial = undefined
    return frame
  }

  return { push, next, judgeBy: (next_judge) => void (judge = next_judge) }
}

/** The length of the packet at `at`; `undefined` if its header is incomplete. */
function judgedLength(input: Uint8Array, at: number, allowed: Allowance): number | undefined {
  let length = 0
  for (let bytes = 1; bytes <= MAX_LENGTH_BYTES; bytes++) {
    const digit = input[at + bytes]
    if (digit === undefined) return undefined
    length |= (digit & 0x7f) << (7 * (bytes - 1))
    if (digit >= 0x80) continue
    if (allowed.length !== undefined && length !== allowed.length)
      throw new ProtocolError(`type ${input[at]! >> 4} of ${length} bytes`)
    const packet_bytes = 1 + bytes + length
    if (packet_bytes > allowed.most_bytes) throw new ProtocolError(`a packet of ${packet_bytes} bytes`)
    return packet_bytes
  }
  throw new ProtocolError('a malformed remaining length')
}

function joined(left: Uint8Array, right: Uint8Array): Uint8Array {
  const both = new Uint8Array(left.length + right.length)
  both.set(left)
  both.set(right, left.length)
  return both
}
