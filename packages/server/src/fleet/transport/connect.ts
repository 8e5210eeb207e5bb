import { Uid } from '@sdd/contract/core/fields.ts'
import { deviceStatus } from '@sdd/contract/fleet/device-protocol.ts'
import { topicOf } from '@sdd/contract/core/topic.ts'
import { copyOf } from '@sdd/mqtt/codec/bytes.ts'
import type { Connect } from '@sdd/mqtt/codec/from-client.ts'
import { readText } from '@sdd/mqtt/codec/text.ts'
import type { Denial } from '@sdd/mqtt/endpoint/tally.ts'

/** The content of a valid CONNECT. */
export type Request =
  | { as: 'device'; uid: string; secret: string; silence_ms: number; will: Uint8Array | undefined }
  | { as: 'browser'; token: string; silence_ms: number }

/** A password with this prefix is an access token, and the client a browser. */
const TOKEN_PREFIX = 'sds_'

/** The keep-alive that a device must use, in seconds. */
const MIN_KEEP_ALIVE = 1
const MAX_KEEP_ALIVE = 120

/** MQTT 3.1.1, 3.1.2.10: the server waits one and a half times the keep-alive. */
const SILENCE_MS_PER_SEC = 1_500

/**
 * The content of the CONNECT, or the reason to refuse it. `session`: only clean sessions exist, so none can be kept for
 * this client id (CONNACK 2). `credentials`: no valid uid, or no secret (4). `forbidden`: the client id is not the user
 * name, or the contract does not allow the keep-alive or the will (5).
 */
export function readConnect(packet: Connect, websocket: boolean): Request | Denial {
  if (!packet.clean) return 'session'
  const silence_ms = packet.keep_alive_secs * SILENCE_MS_PER_SEC
  const password = packet.password ? readText(packet.password) : ''

  if (websocket && password.startsWith(TOKEN_PREFIX)) {
    return packet.will ? 'forbidden' : { as: 'browser', token: password, silence_ms }
  }

  const uid = packet.username
  if (!Uid.safeParse(uid).success || uid === undefined || password === '') return 'credentials'
  if (packet.client_id !== uid) return 'forbidden'
  if (packet.keep_alive_secs < MIN_KEEP_ALIVE || packet.keep_alive_secs > MAX_KEEP_ALIVE) return 'forbidden'
  const { will } = packet
  if (will && (will.retain || will.qos > 1 || will.topic !== topicOf(deviceStatus, { uid })))
    return 'forbidden'
  // A copy: a view would keep the whole buffer of the read alive as long as the connection.
  return { as: 'device', uid, secret: password, silence_ms, will: will && copyOf(will.payload) }
}
