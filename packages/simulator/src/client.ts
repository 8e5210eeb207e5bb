import { randomUUID } from 'node:crypto'
import { deviceCommands, deviceStatus, type Presence } from '@sdd/contract/fleet/device-protocol.ts'
import { topicOf } from '@sdd/contract/core/topic.ts'
import { ProtocolError } from '@sdd/mqtt/codec/bytes.ts'
import { connect as connectPacket, disconnect, pingreq, subscribe } from '@sdd/mqtt/codec/from-client.ts'
import { readServerPacket, type ServerPacket } from '@sdd/mqtt/codec/from-server.ts'
import { packetReader } from '@sdd/mqtt/codec/reader.ts'
import { puback as pubackPacket, publish as publishPacket, type Publish } from '@sdd/mqtt/codec/publish.ts'
import { type Address, dial } from '#simulator/dial.ts'

/** A device's account and the address of its server. */
export type Account = { readonly uid: string; readonly secret: string; readonly address: Address }

export type Connection = {
  readonly session: string
  /** Settles once the commands are subscribed; rejects if the connection ends before. */
  readonly opened: Promise<void>
  /** Publishes with QoS 1. Settles at the PUBACK; rejects if the connection ends before it. */
  publish: (topic: string, payload: unknown) => Promise<void>
  /** Acknowledges a command. */
  puback: (packet_id: number) => void
  /** Reads nothing for a while, like a device whose process hangs. */
  stall: (ms: number) => void
  /** Ends with a DISCONNECT, so that the server does not publish the will. */
  leave: () => void
  /** Ends without a DISCONNECT, so that the server publishes the will. */
  cut: () => void
  /** Ends without a close, as if the network were gone. The server notices nothing, and its packets are lost. */
  vanish: () => void
}

export type Listeners = {
  command: (packet: Publish) => void
  /** A PUBACK without a publication that waits for it. */
  strayPuback: (packet_id: number) => void
  /** Called exactly once, even if the connection never opened. */
  ended: (why: Error) => void
}

/** The CONNACK refused: bad credentials (4, 5) or another reason of MQTT 3.1.1 section 3.2.2.3. */
export class ConnectionRefused extends Error {
  readonly code: number

  constructor(code: number) {
    super(`the server refused the connection (CONNACK ${code})`)
    this.code = code
  }
}

const KEEPALIVE_SECS = 60
/** How long the server may take for a handshake step, a PUBACK or a PINGRESP. */
const RESPONSE_TIMEOUT_MS = 30_000
const LOOK_EVERY_MS = 10_000
const LEAVING_MS = 1_000
/** The socket of a vanished connection is destroyed after this long, even if the server has not noticed. */
const VANISHED_MS = 120_000

/**
 * Connects at once with MQTT 3.1.1 and subscribes the device's commands: CONNECT (clean session; the will is
 * `disconnected` with this session), CONNACK, SUBSCRIBE, SUBACK. Packets of one turn of the event loop are sent in one
 * write.
 */
export function connect({ uid, secret, address }: Account, agent: string, listeners: Listeners): Connection {
  const opened = Promise.withResolvers<void>()
  const session = randomUUID()
  const commands = topicOf(deviceCommands, { uid })
  const pending = new Map<number, { resolve: () => void; reject: (error: Error) => void; since: number }>()
  const readOn = packetReader(readServerPacket, receive)
  let over = false
  let outgoing: Uint8Array[] = []
  let stalled: NodeJS.Timeout | undefined
  let last_id = 0
  let quiet_since = Date.now()
  let pinged_at: number | undefined

  const socket = dial(address, introduce)
  const watch = setInterval(look, LOOK_EVERY_MS)
  const handshake = setTimeout(() => end('no answer to CONNECT or SUBSCRIBE'), RESPONSE_TIMEOUT_MS)
  socket.on('data', read)
  socket.on('error', (error) => end(error.message))
  socket.on('close', () => end('the server closed the connection'))

  function introduce(): void {
    const will: Presence = { status: 'disconnected', session, agent }
    send(
      connectPacket({
        client_id: uid,
        username: uid,
        password: secret,
        keep_alive_secs: KEEPALIVE_SECS,
        will: { topic: topicOf(deviceStatus, { uid }), payload: JSON.stringify(will), qos: 1 },
      }),
    )
  }

  function read(chunk: Buffer): void {
    try {
      readOn(chunk)
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      end(`not MQTT: ${error.message}`)
    }
  }

  function receive(packet: ServerPacket): void {
    if (over) return
    if (packet.type === 'publish') listeners.command(packet)
    else if (packet.type === 'puback') settle(packet.packet_id)
    else if (packet.type === 'pingresp') pinged_at = undefined
    else if (packet.type === 'connack' && packet.code > 0) end(new ConnectionRefused(packet.code))
    else if (packet.type === 'connack') send(subscribe(nextId(), [commands], 1))
    else if (packet.type === 'suback' && packet.codes[0] === 1) subscribed()
    else end(`the server sent ${packet.type}`)
  }

  function subscribed(): void {
    clearTimeout(handshake)
    opened.resolve()
  }

  function settle(packet_id: number): void {
    const publication = pending.get(packet_id)
    pending.delete(packet_id)
    if (publication) publication.resolve()
    else listeners.strayPuback(packet_id)
  }

  function send(packet: Uint8Array): void {
    if (outgoing.push(packet) > 1) return
    process.nextTick(() => {
      socket.write(outgoing.length === 1 ? outgoing[0]! : Buffer.concat(outgoing))
      outgoing = []
    })
    quiet_since = Date.now()
  }

  function nextId(): number {
    do last_id = (last_id % 0xffff) + 1
    while (pending.has(last_id))
    return last_id
  }

  function publish(topic: string, payload: unknown): Promise<void> {
    if (over) return Promise.reject(new Error('the connection has ended'))
    const packet_id = nextId()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    pending.set(packet_id, { resolve, reject, since: Date.now() })
    send(publishPacket(topic, JSON.stringify(payload), packet_id))
    return promise
  }

  function puback(packet_id: number): void {
    if (!over) send(pubackPacket(packet_id))
  }

  function look(): void {
    const now = Date.now()
    if (stalled) return
    const [oldest] = pending.values()
    if (oldest && now - oldest.since > RESPONSE_TIMEOUT_MS) return end('no PUBACK')
    if (pinged_at !== undefined && now - pinged_at > RESPONSE_TIMEOUT_MS) return end('no PINGRESP')
    if (pinged_at === undefined && now - quiet_since > (KEEPALIVE_SECS * 1000) / 2) {
      pinged_at = now
      send(pingreq())
    }
  }

  function stall(ms: number): void {
    clearTimeout(stalled)
    socket.pause()
    stalled = setTimeout(() => {
      stalled = undefined
      socket.resume()
    }, ms)
  }

  /** Closing with unread input would reset the connection, and could lose the DISCONNECT. */
  function leave(): void {
    if (over) return
    send(disconnect())
    finish(new Error('left'))
    socket.resume()
    process.nextTick(() => socket.end()) // after the packets of this turn
    setTimeout(() => socket.destroy(), LEAVING_MS).unref()
  }

  function vanish(): void {
    if (over) return
    outgoing = []
    // Further input is discarded, so that the socket closes once the server closes it.
    finish(new Error('vanished'))
    setTimeout(() => socket.destroy(), VANISHED_MS).unref()
  }

  function end(why: string | Error): void {
    if (over) return
    finish(typeof why === 'string' ? new Error(why) : why)
    socket.destroy()
  }

  function finish(why: Error): void {
    over = true
    clearInterval(watch)
    clearTimeout(handshake)
    clearTimeout(stalled)
    for (const { reject } of pending.values()) reject(why)
    opened.reject(why)
    listeners.ended(why)
  }

  return { session, opened: opened.promise, publish, puback, stall, leave, cut: () => end('cut'), vanish }
}
