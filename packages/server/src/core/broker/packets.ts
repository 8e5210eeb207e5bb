import { generate, parser, writeToStream } from 'mqtt-packet'
import type * as mqtt from 'mqtt-packet'
import { bodyStart, Breach } from './frames.ts'
import type { Denial } from './tally.ts'

export type ConnectPacket = mqtt.IConnectPacket & { length: number }
export type PublishPacket = mqtt.IPublishPacket & { payload: Buffer }

/** What a client may send; one that carries a packet id carries a valid one. */
export type ClientPacket =
  | ConnectPacket
  | PublishPacket
  | (mqtt.IPubackPacket & { messageId: number })
  | (mqtt.ISubscribePacket & { messageId: number })
  | (mqtt.IUnsubscribePacket & { messageId: number })
  | mqtt.IPingreqPacket
  | mqtt.IDisconnectPacket

/** A whole packet's meaning; throws a `Breach` for one that is malformed or not of MQTT 3.1.1. */
export type Decode = (frame: Buffer) => ClientPacket

// mqtt-packet would keep a buffer for each of the 65,536 numbers: 18 MiB and 20 ms at the start, and no faster.
writeToStream.cacheNumbers = false

export const PINGRESP = generate({ cmd: 'pingresp' })
export const CONNACK = generate({ cmd: 'connack', returnCode: 0, sessionPresent: false })

/** Type and flags. */
const [CONNECT, PUBLISH, PUBACK, DUP, QOS_1] = [0x10, 0x30, 0x40, 0x08, 0x02]

const RETURN_CODES = { protocol: 1, session: 2, unavailable: 3, credentials: 4, forbidden: 5 } as const

/** Of one SUBSCRIBE or UNSUBSCRIBE: there are two topics to subscribe to. */
const MAX_FILTERS = 8

/** The SUBACK code of a filter that was not granted. */
export const NOT_GRANTED = 0x80

/** The name "MQTT" and the level 4, as they stand at the beginning of a CONNECT's variable header. */
const MQTT_3_1_1 = Buffer.from([0, 4, ...Buffer.from('MQTT'), 4])

/** Whether this is a CONNECT of another protocol or version, whatever else it says. */
export function isForeignConnect(frame: Buffer): boolean {
  if (frame[0] !== CONNECT) return false
  const start = bodyStart(frame)
  return !MQTT_3_1_1.equals(frame.subarray(start, start + MQTT_3_1_1.length))
}

/**
 * One decoder serves every connection: it is given whole packets, of MQTT 3.1.1 alone, so that nothing stays in it
 * from one to the next.
 */
export function openDecoder(): Decode {
  let decoded: mqtt.Packet | undefined
  let parse = newParser()

  function newParser(): (frame: Buffer) => void {
    const fresh = parser()
    fresh.on('packet', (packet) => void (decoded = packet))
    fresh.on('error', () => {})
    return (frame) => void fresh.parse(frame)
  }

  return function decode(frame) {
    // The parser would read every later packet, whoever sent it, by the rules of that version.
    if (isForeignConnect(frame)) throw new Breach('a CONNECT of another version')
    decoded = undefined
    try {
      if (frame[0]! >> 4 === PUBLISH >> 4) decoded = readPublish(frame)
      else parse(frame)
    } catch {
      // A field cut short reads past the end of the buffer.
    }
    if (!decoded) {
      parse = newParser() // what the failed one still holds must not reach the next packet
      throw new Breach('a malformed packet')
    }
    requirePacketId(decoded)
    requireFewFilters(decoded)
    return decoded as ClientPacket
  }
}

/** Most of what comes in is read here: that takes an eighth of what the parser does. Throws where it is cut short. */
function readPublish(frame: Buffer): PublishPacket | undefined {
  const qos = (frame[0]! & QOS_1) === 0 ? 0 : 1
  const topic_start = bodyStart(frame) + 2
  const topic_end = topic_start + frame.readUInt16BE(topic_start - 2)
  if (topic_end > frame.length) return undefined
  return {
    cmd: 'publish',
    qos,
    dup: (frame[0]! & DUP) !== 0,
    retain: false,
    topic: frame.toString('utf8', topic_start, topic_end),
    ...(qos === 1 && { messageId: frame.readUInt16BE(topic_end) }),
    payload: frame.subarray(qos === 1 ? topic_end + 2 : topic_end),
  }
}

export function refusal(denial: Denial): Buffer {
  return generate({ cmd: 'connack', returnCode: RETURN_CODES[denial], sessionPresent: false })
}

/** Packets that are sent for every message are put together here: that takes a third or less of what `generate` does. */
export function puback(packet_id: number): Buffer {
  return Buffer.from([PUBACK, 2, packet_id >> 8, packet_id & 0xff])
}

export function suback(messageId: number, granted: number[]): Buffer {
  return generate({ cmd: 'suback', messageId, granted })
}

export function unsuback(messageId: number): Buffer {
  return generate({ cmd: 'unsuback', messageId, granted: [] })
}

/** A PUBLISH to a client; QoS 1 where a packet id is given, else QoS 0. */
export function publish(topic: string, payload: string | Buffer, packet_id?: number): Buffer {
  const topic_bytes = Buffer.byteLength(topic)
  const body_bytes = 2 + topic_bytes + (packet_id === undefined ? 0 : 2) + Buffer.byteLength(payload)
  const length = lengthOf(body_bytes)
  const packet = Buffer.allocUnsafe(1 + length.length + body_bytes)
  let at = packet.writeUInt8(packet_id === undefined ? PUBLISH : PUBLISH | QOS_1)
  for (const byte of length) at = packet.writeUInt8(byte, at)
  at = packet.writeUInt16BE(topic_bytes, at)
  at += packet.write(topic, at)
  if (packet_id !== undefined) at = packet.writeUInt16BE(packet_id, at)
  if (typeof payload === 'string') packet.write(payload, at)
  else payload.copy(packet, at)
  return packet
}

/** The remaining length: seven bits a byte, the lowest first, and in each but the last the eighth. */
function lengthOf(bytes: number): number[] {
  const digits = []
  let rest = bytes
  for (; rest >= 0x80; rest >>= 7) digits.push((rest & 0x7f) | 0x80)
  return [...digits, rest]
}

function requirePacketId(packet: mqtt.Packet): void {
  if (packet.cmd === 'publish' ? packet.qos > 0 : 'messageId' in packet) {
    if (!(packet.messageId! > 0)) throw new Breach(`a ${packet.cmd} without a packet id`)
  }
}

function requireFewFilters(packet: mqtt.Packet): void {
  if (packet.cmd !== 'subscribe' && packet.cmd !== 'unsubscribe') return
  const { length } = packet.cmd === 'subscribe' ? packet.subscriptions : packet.unsubscriptions
  if (length === 0) throw new Breach(`an empty ${packet.cmd}`)
  if (length > MAX_FILTERS) throw new Breach(`a ${packet.cmd} with ${length} filters`)
}
