import { bodyStart, ProtocolError, field, fieldsOf, packetOf, word } from './bytes.ts'
import { PUBACK, PUBLISH, type Puback, type Publish, readPublish } from './publish.ts'
import { byteLength } from '#mqtt/codec/text.ts'

export type Connect = {
  type: 'connect'
  client_id: string
  /** Discards the state of an earlier connection with this client id. */
  clean: boolean
  keep_alive_secs: number
  will: Will | undefined
  username: string | undefined
  password: Uint8Array | undefined
}

type Will = { topic: string; payload: Uint8Array; qos: number; retain: boolean }

/** The packets that a client sends in MQTT 3.1.1 up to QoS 1. */
export type ClientPacket =
  | Connect
  | Publish
  | Puback
  | { type: 'subscribe'; packet_id: number; filters: { topic: string; qos: number }[] }
  | { type: 'unsubscribe'; packet_id: number; topics: string[] }
  | { type: 'pingreq' }
  | { type: 'disconnect' }

const CONNECT = 1
const SUBSCRIBE = 8
const UNSUBSCRIBE = 10
const PINGREQ = 12
const DISCONNECT = 14

/** Flags of a CONNECT. */
const RESERVED = 0x01
const CLEAN = 0x02
const WILL = 0x04
const WILL_QOS_SHIFT = 3
const WILL_RETAIN = 0x20
const PASSWORD = 0x40
const USERNAME = 0x80

/** SUBSCRIBE and UNSUBSCRIBE carry this flag. */
const REQUIRED_FLAG = 0x02

/** The most topic filters in one SUBSCRIBE or UNSUBSCRIBE. */
const MAX_FILTERS = 8

/** Protocol name, level, flags and keep-alive. */
const CONNECT_HEADER_BYTES = 10

/** The name "MQTT" and the level 4, as in the variable header of a CONNECT. */
const MQTT_3_1_1 = [0, 4, 0x4d, 0x51, 0x54, 0x54, 4]

export type NewConnect = {
  client_id: string
  keep_alive_secs: number
  clean?: boolean
  username?: string | undefined
  password?: string | Uint8Array | undefined
  will?: { topic: string; payload: string | Uint8Array; qos?: number; retain?: boolean } | undefined
}

/** A CONNECT with a clean session, unless `clean` is false. */
export function connect(spec: NewConnect): Uint8Array<ArrayBuffer> {
  const { client_id, keep_alive_secs, clean = true, username, password, will } = spec
  const flags =
    (clean ? CLEAN : 0) |
    (will ? WILL | ((will.qos ?? 0) << WILL_QOS_SHIFT) : 0) |
    (will?.retain ? WILL_RETAIN : 0) |
    (username === undefined ? 0 : USERNAME) |
    (password === undefined ? 0 : PASSWORD)
  const fields = [client_id, will?.topic, will?.payload, username, password]
  const payload = fields.flatMap((value) => (value === undefined ? [] : field(value)))
  return packetOf(CONNECT << 4, [...MQTT_3_1_1, flags, ...word(keep_alive_secs), ...payload])
}

/** A SUBSCRIBE to these topics, each with this QoS. */
export function subscribe(packet_id: number, topics: readonly string[], qos = 0): Uint8Array<ArrayBuffer> {
  const filters = topics.flatMap((topic) => [...field(topic), qos])
  return packetOf((SUBSCRIBE << 4) | REQUIRED_FLAG, [...word(packet_id), ...filters])
}

export function unsubscribe(packet_id: number, topics: readonly string[]): Uint8Array<ArrayBuffer> {
  return packetOf((UNSUBSCRIBE << 4) | REQUIRED_FLAG, [...word(packet_id), ...topics.flatMap(field)])
}

export const pingreq = () => packetOf(PINGREQ << 4, [])

export const disconnect = () => packetOf(DISCONNECT << 4, [])

/** Whether this is a CONNECT of another protocol or version. */
export function isForeignConnect(frame: Uint8Array): boolean {
  if (frame[0] !== CONNECT << 4) return false
  const start = bodyStart(frame)
  return MQTT_3_1_1.some((byte, at) => frame[start + at] !== byte)
}

/** Reads a whole packet from a client. Throws a `ProtocolError` if it is malformed or not MQTT 3.1.1. */
export function readClientPacket(frame: Uint8Array): ClientPacket {
  const packet = readPacket(frame)
  if ('packet_id' in packet && packet.packet_id === 0)
    throw new ProtocolError(`a ${packet.type} without a packet id`)
  if (packet.type === 'subscribe') requireFewFilters(packet.type, packet.filters)
  if (packet.type === 'unsubscribe') requireFewFilters(packet.type, packet.topics)
  return packet
}

function readPacket(frame: Uint8Array): ClientPacket {
  const type = frame[0]! >> 4
  switch (type) {
    case PUBLISH:
      return readPublish(frame)
    case PUBACK:
      return { type: 'puback', packet_id: fieldsOf(frame).word() }
    case CONNECT:
      return readConnect(frame)
    case SUBSCRIBE:
      return readSubscribe(frame)
    case UNSUBSCRIBE:
      return readUnsubscribe(frame)
    case PINGREQ:
      return { type: 'pingreq' }
    case DISCONNECT:
      return { type: 'disconnect' }
    default:
      throw new ProtocolError(`a packet of type ${type}`)
  }
}

function readConnect(frame: Uint8Array): Connect {
  if (isForeignConnect(frame)) throw new ProtocolError('a CONNECT of another version')
  const fields = fieldsOf(frame)
  for (let at = 0; at < MQTT_3_1_1.length; at++) fields.byte()
  const flags = fields.byte()
  const has = (flag: number) => (flags & flag) !== 0
  const will = { qos: (flags >> WILL_QOS_SHIFT) & 3, retain: has(WILL_RETAIN) }
  if (has(RESERVED) || (!has(WILL) && (will.retain || will.qos > 0)))
    throw new ProtocolError('a malformed packet')
  const packet: Connect = {
    type: 'connect',
    clean: has(CLEAN),
    keep_alive_secs: fields.word(),
    client_id: fields.text(),
    will: has(WILL) ? { topic: fields.text(), payload: fields.bytes(), ...will } : undefined,
    username: has(USERNAME) ? fields.text() : undefined,
    password: has(PASSWORD) ? fields.bytes() : undefined,
  }
  requireWellFormed(packet, frame.length - bodyStart(frame))
  return packet
}

/** Refuses bytes after the last field, control characters, and invalid UTF-8, which would change the length. */
function requireWellFormed({ client_id, username, password, will }: Connect, length: number): void {
  const texts = [client_id, will?.topic, username].filter((text) => text !== undefined)
  const binary = [will?.payload, password].filter((bytes) => bytes !== undefined)
  const fields = [...texts.map(byteLength), ...binary.map((bytes) => bytes.length)]
  if (length !== fields.reduce((sum, bytes) => sum + 2 + bytes, CONNECT_HEADER_BYTES))
    throw new ProtocolError('a CONNECT with more than its fields')
  // eslint-disable-next-line no-control-regex -- finding them is the purpose
  if (/[\0-\x1f\x7f\ufffd]/.test(client_id + (username ?? '')))
    throw new ProtocolError('a CONNECT with unfit characters')
  if (password !== undefined && username === undefined)
    throw new ProtocolError('a password without a user name')
}

function readSubscribe(frame: Uint8Array): ClientPacket {
  const { word, text, byte, more } = fieldsOf(frame)
  const packet_id = word()
  const filters = []
  while (more()) filters.push({ topic: text(), qos: byte() })
  if (filters.some(({ qos }) => qos > 2)) throw new ProtocolError('a malformed packet')
  return { type: 'subscribe', packet_id, filters }
}

function readUnsubscribe(frame: Uint8Array): ClientPacket {
  const { word, text, more } = fieldsOf(frame)
  const packet_id = word()
  const topics = []
  while (more()) topics.push(text())
  return { type: 'unsubscribe', packet_id, topics }
}

function requireFewFilters(type: string, { length }: readonly unknown[]): void {
  if (length === 0) throw new ProtocolError(`an empty ${type}`)
  if (length > MAX_FILTERS) throw new ProtocolError(`a ${type} with ${length} filters`)
}
