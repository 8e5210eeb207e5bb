import { type AddressInfo, createServer, type Server } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { Duplex } from 'node:stream'
import { Answer, deviceInbox, type InboxSms, Presence, Report } from '@sdd/contract/fleet/device-protocol.ts'
import { Telemetry } from '@sdd/contract/fleet/telemetry.ts'
import { Networks } from '@sdd/contract/fleet/devices.ts'
import { type ClientPacket, type Connect, readClientPacket } from '@sdd/mqtt/codec/from-client.ts'
import { connack, pingresp, suback } from '@sdd/mqtt/codec/from-server.ts'
import { puback, publish } from '@sdd/mqtt/codec/publish.ts'
import { packetReader } from '@sdd/mqtt/codec/reader.ts'
import { readText } from '@sdd/mqtt/codec/text.ts'
import { createWebSocketStream, WebSocketServer } from 'ws'

/** A publication of a device; `connection` counts from 1, over all devices. */
type Published = { connection: number; uid: string; part: string; payload: unknown }

/**
 * The server's side of the device protocol. Like the server, it repeats commands until they are answered, and sends a
 * connection no more of them while 100 have no PUBACK.
 */
export type Endpoint = {
  readonly mqtt_url: string
  readonly connects: readonly Connect[]
  readonly published: readonly Published[]
  /** Violations: a wrong topic or QoS, or a payload that does not match the contract. */
  readonly breaches: readonly string[]
  /** Acknowledged commands, by message id. */
  readonly pubacks: readonly number[]
  /** Stores a send command and sends it at each connection until a report about it arrives (rule 4). */
  hand: (uid: string, command: SendFields) => void
  /** Sends a payload once, unchanged; returns its message id. */
  command: (uid: string, payload: unknown) => number
  reports: (guid: string) => Report[]
  states: (guid: string) => string[]
  inbox: () => InboxSms[]
  /** Decides which publications are acknowledged. */
  acknowledge: (on: (published: Published) => boolean) => void
  /** Answers the next CONNECTs with this return code. */
  refuse: (code: number) => void
  cut: (uid: string) => void
  connected: (uid: string) => boolean
  /** Resolves to the first result of `look` that is not empty; rejects after `within_ms` with `what` in the message. */
  until: <T>(what: string, look: () => T | undefined | false, within_ms?: number) => Promise<T>
  /** Closes, and opens again on the same port. */
  restart: () => Promise<void>
  close: () => Promise<void>
}

export type SendFields = {
  guid: string
  attempt?: number
  to?: string
  text?: string
  from?: string
  silent?: boolean
  expires_at?: string
}

/** Sends a command on the connection of a device. */
type Command = (packet: Uint8Array, id: number) => void

const MOST_UNACKNOWLEDGED = 100

type Transport = { kind: 'tcp' | 'ws' } | { kind: 'tls'; cert: string; key: string }

const schemas = {
  status: Presence,
  networks: Networks,
  inbox: deviceInbox.payload,
  telemetry: Telemetry,
  answers: Answer,
}

export async function openEndpoint(transport: Transport = { kind: 'tcp' }): Promise<Endpoint> {
  const connects: Connect[] = []
  const published: Published[] = []
  const breaches: string[] = []
  const pubacks: number[] = []
  const handed = new Map<string, { uid: string; command: SendFields & { type: 'send' } }>()
  const present = new Map<string, Command>()
  const open = new Map<Duplex, string>()
  const looking = new Set<() => void>()
  let acknowledges: (published: Published) => boolean = () => true
  let connack_code = 0
  let last_id = 0
  let connections = 0
  let server: Server
  let port = 0

  function serve(stream: Duplex): void {
    const connection = ++connections
    let uid = ''
    const unacknowledged = new Set<number>()
    const send = (packet: Uint8Array): void => void stream.write(packet)
    const command: Command = (packet, id) => {
      if (unacknowledged.size >= MOST_UNACKNOWLEDGED) return
      unacknowledged.add(id)
      send(packet)
    }
    open.set(stream, uid)
    const read = packetReader(readClientPacket, receive)
    stream.on('data', (chunk: Buffer) => {
      try {
        read(chunk)
      } catch {
        stream.destroy()
      }
    })
    stream.on('error', () => undefined)
    stream.on('close', () => {
      open.delete(stream)
      if (present.get(uid) === command) present.delete(uid)
      look()
    })

    function receive(packet: ClientPacket): void {
      if (packet.type === 'connect') {
        uid = packet.client_id
        open.set(stream, uid)
        connects.push(packet)
        send(connack(connack_code))
      }
      if (packet.type === 'pingreq') send(pingresp())
      if (packet.type === 'puback') {
        pubacks.push(packet.packet_id)
        unacknowledged.delete(packet.packet_id)
      }
      if (packet.type === 'subscribe') {
        send(suback(packet.packet_id, [1]))
        if (packet.filters[0]?.topic !== `devices/${uid}/commands`) breaches.push('subscribed elsewhere')
      }
      if (packet.type === 'publish') {
        const event = take(packet.topic, packet.qos, packet.retain, readText(packet.payload), uid, connection)
        if (acknowledges(event)) send(puback(packet.packet_id!))
        const { status } = event.payload as Partial<Presence>
        if (event.part === 'status' && status === 'connected') greet(uid, command)
        if (event.part === 'status' && status === 'disconnected') present.delete(uid)
      }
      look()
    }
  }

  function take(
    topic: string,
    qos: number,
    retain: boolean,
    text: string,
    uid: string,
    connection: number,
  ): Published {
    const payload: unknown = JSON.parse(text)
    const part = topic.slice(`devices/${uid}/`.length)
    const schema = part === 'reports' ? Report : schemas[part as keyof typeof schemas]
    if (!topic.startsWith(`devices/${uid}/`) || !schema) breaches.push(`published to ${topic}`)
    if (qos !== 1 || retain) breaches.push(`published with QoS ${qos}, retain ${retain}`)
    if (text.length > 65_536 || (Array.isArray(payload) && payload.length > 100))
      breaches.push('too much at once')
    for (const item of [payload].flat()) {
      const { error } = schema?.safeParse(item) ?? {}
      if (error) breaches.push(`${part}: ${error.message}`)
    }
    const event = { connection, uid, part, payload }
    published.push(event)
    return event
  }

  /** Each command without a report is sent again at each reconnect. */
  function greet(uid: string, send: Command): void {
    present.set(uid, send)
    for (const { uid: recipient, command } of handed.values()) {
      if (recipient === uid && reports(command.guid, command.attempt).length === 0) give(uid, command)
    }
  }

  function give(uid: string, payload: unknown): number {
    last_id = (last_id % 0xffff) + 1
    const topic = `devices/${uid}/commands`
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload)
    present.get(uid)?.(publish(topic, text, last_id), last_id)
    return last_id
  }

  function reports(guid: string, attempt?: number): Report[] {
    return published
      .filter(({ part }) => part === 'reports')
      .flatMap(({ payload }) => [payload as Report | Report[]].flat())
      .filter((report) => report.guid === guid && (attempt === undefined || report.attempt === attempt))
  }

  function look(): void {
    for (const check of looking) check()
  }

  async function listen(): Promise<void> {
    server = transport.kind === 'tls' ? createTlsServer(transport, serve) : createServer(serve)
    if (transport.kind === 'ws') {
      const sockets = new WebSocketServer({ port, host: '127.0.0.1', path: '/mqtt' })
      sockets.on('connection', (socket) => serve(createWebSocketStream(socket)))
      server = sockets as unknown as Server
      await new Promise((resolve) => sockets.once('listening', resolve))
    } else {
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    }
    ;({ port } = server.address() as AddressInfo)
  }

  async function close(): Promise<void> {
    const closed = new Promise((resolve) => server.close(resolve))
    for (const stream of open.keys()) stream.destroy()
    await closed
  }

  await listen()
  const scheme = { tcp: 'mqtt', tls: 'mqtts', ws: 'ws' }[transport.kind]
  return {
    mqtt_url: `${scheme}://127.0.0.1:${port}${transport.kind === 'ws' ? '/mqtt' : ''}`,
    connects,
    published,
    breaches,
    pubacks,
    hand(uid, fields) {
      const command = { type: 'send', attempt: 1, to: '+34600111222', text: 'Hola', ...fields } as const
      handed.set(`${command.guid} ${command.attempt}`, { uid, command })
      give(uid, command)
    },
    command: give,
    reports,
    states: (guid) => [...new Set(reports(guid).map(({ state }) => state))],
    inbox: () => published.filter(({ part }) => part === 'inbox').map(({ payload }) => payload as InboxSms),
    acknowledge(on) {
      acknowledges = on
    },
    refuse(code) {
      connack_code = code
    },
    cut(uid) {
      for (const [stream, owner] of open) if (owner === uid) stream.destroy()
    },
    connected: (uid) => present.has(uid),
    until<T>(what: string, look: () => T | undefined | false, within_ms = 20_000): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      const timer = setTimeout(() => reject(new Error(`never seen: ${what}`)), within_ms)
      const check = (): void => {
        const found = look()
        if (found === undefined || found === false) return
        clearTimeout(timer)
        looking.delete(check)
        resolve(found)
      }
      looking.add(check)
      check()
      return promise.finally(() => looking.delete(check))
    },
    async restart() {
      await close()
      await listen()
    },
    close,
  }
}
