import { ProtocolError, fieldsOf, packetOf, word } from './bytes.ts'
import { PUBACK, PUBLISH, type Puback, type Publish, readPublish } from './publish.ts'

/** The packets that a server sends in MQTT 3.1.1. */
export type ServerPacket =
  | { type: 'connack'; code: number }
  | Publish
  | Puback
  | { type: 'suback'; packet_id: number; codes: number[] }
  | { type: 'unsuback'; packet_id: number }
  | { type: 'pingresp' }

/** The SUBACK code of a filter that was not granted. */
export const NOT_GRANTED = 0x80

const CONNACK = 2
const SUBACK = 9
const UNSUBACK = 11
const PINGRESP = 13

/** `code` is 0 if the CONNECT was accepted, else the reason (MQTT 3.1.1, 3.2.2.3). Sessions are never kept. */
export const connack = (code: number) => packetOf(CONNACK << 4, [0, code])

export const suback = (packet_id: number, codes: readonly number[]) =>
  packetOf(SUBACK << 4, [...word(packet_id), ...codes])

export const unsuback = (packet_id: number) => packetOf(UNSUBACK << 4, word(packet_id))

export const pingresp = () => packetOf(PINGRESP << 4, [])

/** Reads a whole packet from a server. Throws a `ProtocolError` if it is malformed or not a server's packet. */
export function readServerPacket(frame: Uint8Array): ServerPacket {
  const type = frame[0]! >> 4
  if (type === PUBLISH) return readPublish(frame)
  const fields = fieldsOf(frame)
  switch (type) {
    case PUBACK:
      return { type: 'puback', packet_id: fields.word() }
    case CONNACK:
      return { type: 'connack', code: fields.word() & 0xff }
    case SUBACK:
      return { type: 'suback', packet_id: fields.word(), codes: [...fields.rest()] }
    case UNSUBACK:
      return { type: 'unsuback', packet_id: fields.word() }
    case PINGRESP:
      return { type: 'pingresp' }
    default:
      throw new ProtocolError(`a packet of type ${type}`)
  }
}
