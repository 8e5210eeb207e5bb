import { bodyStart, ProtocolError, lengthOf, wordAt } from './bytes.ts'
import { byteLength, newBytes, readText, writeText } from '#mqtt/codec/text.ts'

export type Publish = {
  type: 'publish'
  qos: 0 | 1 | 2
  dup: boolean
  retain: boolean
  topic: string
  /** Present above QoS 0. */
  packet_id: number | undefined
  /** Shares memory with its packet. */
  payload: Uint8Array
}

export type Puback = { type: 'puback'; packet_id: number }

export const PUBLISH = 3
export const PUBACK = 4

/** Flags of a PUBLISH. */
const RETAIN = 0x01
const QOS_1 = 0x02
const DUP = 0x08

/**
 * A PUBLISH of QoS 1 if a packet id is given, else of QoS 0. It is the most frequent outgoing packet, so it is written
 * without helpers.
 */
export function publish(
  topic: string,
  payload: string | Uint8Array,
  packet_id?: number,
): Uint8Array<ArrayBuffer> {
  const topic_bytes = byteLength(topic)
  const payload_bytes = typeof payload === 'string' ? byteLength(payload) : payload.length
  const body = 2 + topic_bytes + (packet_id === undefined ? 0 : 2) + payload_bytes
  const length = lengthOf(body)
  const packet = newBytes(1 + length.length + body)
  packet[0] = (PUBLISH << 4) | (packet_id === undefined ? 0 : QOS_1)
  let at = 1
  for (const digit of length) packet[at++] = digit
  at = writeWord(packet, at, topic_bytes)
  at += writeText(packet, topic, at)
  if (packet_id !== undefined) at = writeWord(packet, at, packet_id)
  if (typeof payload === 'string') writeText(packet, payload, at)
  else packet.set(payload, at)
  return packet
}

/** The most frequent incoming packet, so it is read without helpers. */
export function readPublish(frame: Uint8Array): Publish {
  const first = frame[0]!
  const qos = ((first >> 1) & 3) as 0 | 1 | 2
  const topic_start = bodyStart(frame) + 2
  const topic_end = topic_start + wordAt(frame, topic_start - 2)
  const payload_start = qos === 0 ? topic_end : topic_end + 2
  if (!(payload_start <= frame.length)) throw new ProtocolError('a malformed packet')
  return {
    type: 'publish',
    qos,
    dup: (first & DUP) !== 0,
    retain: (first & RETAIN) !== 0,
    topic: readText(frame, topic_start, topic_end),
    packet_id: qos === 0 ? undefined : wordAt(frame, topic_end),
    payload: frame.subarray(payload_start),
  }
}

/** The same bytes mean success in MQTT 5. */
export function puback(packet_id: number): Uint8Array<ArrayBuffer> {
  const packet = newBytes(4)
  packet[0] = PUBACK << 4
  packet[1] = 2
  writeWord(packet, 2, packet_id)
  return packet
}

function writeWord(packet: Uint8Array, at: number, word: number): number {
  packet[at] = word >> 8
  packet[at + 1] = word
  return at + 2
}
