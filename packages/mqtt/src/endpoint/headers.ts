import { Breach } from '#mqtt/codec/bytes.ts'
import { type Allowance, type Frames, openFrames } from '#mqtt/codec/frames.ts'

/** No packet but PUBLISH needs more: CONNECT with its will, SUBSCRIBE with its filters. */
export const MAX_PACKET_BYTES = 4 * 1024

const PUBLISH = 3
const most_bytes = MAX_PACKET_BYTES

/** By packet type, what a client may send: the flags its header must carry, and its length if that is fixed. */
const CLIENT_PACKETS: Readonly<Record<number, Allowance & { flags?: number }>> = {
  1: { most_bytes, flags: 0 }, // CONNECT
  [PUBLISH]: { most_bytes },
  4: { most_bytes, flags: 0, length: 2 }, // PUBACK
  8: { most_bytes, flags: 2 }, // SUBSCRIBE
  10: { most_bytes, flags: 2 }, // UNSUBSCRIBE
  12: { most_bytes, flags: 0, length: 0 }, // PINGREQ
  14: { most_bytes, flags: 0, length: 0 }, // DISCONNECT
}

export type ClientFrames = Frames & {
  /** From now on a PUBLISH may have this many bytes. */
  allowPublish(bytes: number): void
}

/** The packets of a client, each refused by its header if it is one that no client of this endpoint may send. */
export function openClientFrames(): ClientFrames {
  let published = CLIENT_PACKETS[PUBLISH]!

  function judge(first: number): Allowance {
    const type = first >> 4
    const flags = first & 0x0f
    const allowed = CLIENT_PACKETS[type]
    if (!allowed) throw new Breach(`a packet of type ${type}`)
    if (allowed.flags !== undefined && flags !== allowed.flags)
      throw new Breach(`flags ${flags} on type ${type}`)
    if (type !== PUBLISH) return allowed
    if (flags & 0x04) throw new Breach('a PUBLISH of QoS 2 or 3')
    if (flags & 0x01) throw new Breach('a retained PUBLISH')
    return published
  }

  return { ...openFrames(judge), allowPublish: (bytes) => void (published = { most_bytes: bytes }) }
}
