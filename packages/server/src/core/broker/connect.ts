import { Uid } from '@sdd/contract/core/fields.ts'
import { deviceStatus } from '@sdd/contract/fleet/device-protocol.ts'
import { topicOf } from '@sdd/contract/core/topic.ts'
import { Breach } from './frames.ts'
import type { ConnectPacket } from './packets.ts'
import type { Denial } from './tally.ts'

/** What a CONNECT asks for, once its form is right. */
export type Request =
  | { as: 'device'; uid: string; secret: string; silence_ms: number; will: Buffer | undefined }
  | { as: 'browser'; token: string; silence_ms: number }

/** A password that begins so is an access token, and the client a browser. */
const TOKEN_PREFIX = 'sds_'

/** Keep-alive that a device must promise, in seconds. */
const MIN_KEEP_ALIVE = 1
const MAX_KEEP_ALIVE = 120

/** MQTT 3.1.1, 3.1.2.10: the server waits one and a half times the keep-alive. */
const SILENCE_MS_PER_SEC = 1_500

/** Protocol name, level, flags and keep-alive. */
const FIXED_BYTES = 10

/**
 * What the CONNECT asks for, or why it is refused. `session`: a clean session is all there is, so no other can be
 * kept under its client id (CONNACK 2). `credentials`: no valid uid, no secret (4). `forbidden`: a client id that is
 * not the user name, a keep-alive or a will that the contract does not allow (5).
 */
export function readConnect(packet: ConnectPacket, websocket: boolean): Request | Denial {
  requireWellFormed(packet)
  if (!packet.clean) return 'session'
  const silence_ms = packet.keepalive! * SILENCE_MS_PER_SEC
  const password = packet.password?.toString() ?? ''

  if (websocket && password.startsWith(TOKEN_PREFIX)) {
    return packet.will ? 'forbidden' : { as: 'browser', token: password, silence_ms }
  }

  const uid = packet.username
  if (!Uid.safeParse(uid).success || password === '') return 'credentials'
  if (packet.clientId !== uid) return 'forbidden'
  if (packet.keepalive! < MIN_KEEP_ALIVE || packet.keepalive! > MAX_KEEP_ALIVE) return 'forbidden'
  const { will } = packet
  if (will && (will.retain || will.qos! > 1 || will.topic !== topicOf(deviceStatus, { uid })))
    return 'forbidden'
  // A copy: a view would keep all that was read with it for as long as the connection lasts.
  return { as: 'device', uid, secret: password, silence_ms, will: will && Buffer.from(will.payload) }
}

/** What the parser lets pass: bytes behind the last field, control characters, text that is not UTF-8. */
function requireWellFormed({ length, clientId, username, password, will }: ConnectPacket): void {
  const fields = [clientId, will?.topic, will?.payload, username, password].filter(
    (field) => field !== undefined,
  )
  const expected = fields.reduce((bytes, field) => bytes + 2 + Buffer.byteLength(field), FIXED_BYTES)
  if (length !== expected) throw new Breach('a CONNECT with more than its fields')
  // eslint-disable-next-line no-control-regex -- they are what is looked for
  if (/[\0-\x1f\x7f\ufffd]/.test(clientId + (username ?? '')))
    throw new Breach('a CONNECT with unfit characters')
  if (password !== undefined && username === undefined) throw new Breach('a password without a user name')
}
