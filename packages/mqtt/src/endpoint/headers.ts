import { ProtocolError } from '#mqtt/codec/bytes.ts'
import type { Allowance, JudgeHeader } from '#mqtt/codec/frames.ts'

/** No packet but PUBLISH needs more, not even a CONNECT with a will or a SUBSCRIBE with its filters. */
export const MAX_PACKET_BYTES = 4 * 1024

const PUBLISH = 3
const most_bytes = MAX_PACKET_BYTES

/** The packet types that a client may send: the flags required in the header, and the length if it is fixed. */
const CLIENT_PACKETS: Readonly<Record<number, Allowance & { flags?: number }>> = {
  1: { most_bytes, flags: 0 }, // CONNECT
  [PUBLISH]: { most_bytes },
  4: { most_bytes, flags: 0, length: 2 }, // PUBACK
  8: { most_bytes, flags: 2 }, // SUBSCRIBE
  10: { most_bytes, flags: 2 }, // UNSUBSCRIBE
  12: { most_bytes, flags: 0, length: 0 }, // PINGREQ
  14: { most_bytes, flags: 0, length: 0 }, // DISCONNECT
}

/** The packets that a client may send, with a PUBLISH of at most this many bytes. Connections share the function. */
export function clientHeaders(publish_bytes = MAX_PACKET_BYTES): JudgeHeader {
  const published = { most_bytes: publish_bytes }
  return (first) => {
    const type = first >> 4
    const flags = first & 0x0f
    const allowed = CLIENT_PACKETS[type]
    if (!allowed) throw new ProtocolError(`a packet of type ${type}`)
    if (allowed.flags !== undefined && flags !== allowed.flags)
      throw new ProtocolError(`flags ${flags} on type ${type}`)
    if (type !== PUBLISH) return allowed
    if (flags & 0x04) throw new ProtocolError('a PUBLISH of QoS 2 or 3')
    if (flags & 0x01) throw new ProtocolError('a retained PUBLISH')
    return published
  }
}

/** For clients that are not admitted yet, and for listeners. */
export const SMALL_PACKETS = clientHeaders()
