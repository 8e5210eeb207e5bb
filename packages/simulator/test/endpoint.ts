import { createServer, type AddressInfo, type Socket } from 'node:net'
import type { Report } from '@sdd/contract/fleet/device-protocol.ts'
import { type ClientPacket, type Connect, readClientPacket } from '@sdd/mqtt/codec/from-client.ts'
import { connack, pingresp, suback } from '@sdd/mqtt/codec/from-server.ts'
import { puback, publish } from '@sdd/mqtt/codec/publish.ts'
import { packetReader } from '@sdd/mqtt/codec/reader.ts'
import { readText } from '@sdd/mqtt/codec/text.ts'

/** A device's action, as the server's side of the connection sees it; `connection` counts from 1. */
export type Event = { uid: string; connection: number; at: number } & (
  | { kind: 'connect'; packet: Connect }
  | { kind: 'subscribe'; topic: string; qos: number }
  | { kind: 'publish'; topic: string; payload: unknown; qos: number; retain: boolean }
  | { kind: 'puback'; message_id: number }
  | { kind: 'disconnect' | 'close' }
)

export type Published = Extract<Event, { kind: 'publish' }>

export type Endpoint = {
  readonly mqtt_url: string
  readonly events: readonly Event[]
  /** The publications to one of the device's topics, oldest first. */
  published: (uid: string, part: 'status' | 'networks' | 'reports' | 'inbox') => Published[]
  /** Every report that arrived, one by one. */
  reports: (guid: string) => (Report & { connection: number })[]
  /** Sends a command over the device's latest connection; returns its message id. */
  command: (
    uid: string,
    command: unknown,
    packet?: { topic?: string; qos?: 0 | 1; retain?: boolean },
  ) => number
  write: (uid: string, packet: Uint8Array) => void
  /** Whether publications are acknowledged; a server with a hanging database may not. */
  acknowledge: (on: boolean | ((event: Published) => boolean)) => void
  /** Closes the device's connection. */
  cut: (uid: string) => void
  /** Answers the next CONNECTs with this return code. */
  refuse: (code: number) => void
  /** Resolves to the first result of `look` that is not empty; rejects after ten seconds with `what` in the message. */
  until: <T>(what: string, look: () => T | undefined | false) => Promise<T>
  close: () => Promise<void>
}

/** The server's side of the device protocol, with only the parts that devices need. */
export async function openEndpoint(): Promise<Endpoint> {
  const events: Event[] = []
  const sockets = new Map<string, Socket>()
  const open = new Set<Socket>()
  const looking = new Set<() => void>()
  const connections = new Map<string, number>()
  let acknowledges: (event: Published) => boolean = () => true
  let connack_code = 0
  let last_id = 0

  const server = createServer((socket) => {
    let uid = ''
    let connection = 0
    open.add(socket)
    socket.on('data', packetReader(readClientPacket, take))
    socket.on('error', () => undefined)
    socket.on('close', () => {
      open.delete(socket)
      if (uid) note({ kind: 'close', uid, connection, at: Date.now() })
    })
    function take(packet: ClientPacket): void {
      if (packet.type === 'connect') {
        uid = packet.client_id
        connection = (connections.get(uid) ?? 0) + 1
        connections.set(uid, connection)
        sockets.set(uid, socket)
        send(socket, connack(connack_code))
      }
      serve(packet, socket, { uid, connection, at: Date.now() })
    }
  })

  function serve(
    packet: ClientPacket,
    socket: Socket,
    source: { uid: string; connection: number; at: number },
  ): void {
    if (packet.type === 'connect') note({ kind: 'connect', packet, ...source })
    if (packet.type === 'puback') note({ kind: 'puback', message_id: packet.packet_id, ...source })
    if (packet.type === 'pingreq') send(socket, pingresp())
    if (packet.type === 'disconnect') note({ kind: 'disconnect', ...source })
    if (packet.type === 'subscribe') {
      // A command sent at this event arrives with the SUBACK, before the device can publish anything.
      socket.cork()
      setImmediate(() => socket.uncork())
      send(socket, suback(packet.packet_id, [1]))
      for (const { topic, qos } of packet.filters) note({ kind: 'subscribe', topic, qos, ...source })
    }
    if (packet.type === 'publish') {
      const { topic, qos, retain } = packet
      const payload: unknown = JSON.parse(readText(packet.payload))
      const event = { kind: 'publish', topic, payload, qos, retain, ...source } as const
      if (acknowledges(event) && packet.packet_id !== undefined) send(socket, puback(packet.packet_id))
      note(event)
    }
  }

  function note(event: Event): void {
    events.push(event)
    for (const look of looking) look()
  }

  function send(socket: Socket, packet: Uint8Array): void {
    socket.write(packet)
  }

  function published(uid: string, part: string): Published[] {
    return events.filter(
      (event) => event.kind === 'publish' && event.topic === `devices/${uid}/${part}`,
    ) as Published[]
  }

  function socketOf(uid: string): Socket {
    const socket = sockets.get(uid)
    if (!socket) throw new Error(`${uid} has never connected`)
    return socket
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    mqtt_url: `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`,
    events,
    published,
    reports: (guid) =>
      events
        .filter((event): event is Published => event.kind === 'publish' && event.topic.endsWith('/reports'))
        .flatMap(({ payload, connection }) =>
          [payload as Report | Report[]].flat().map((report) => ({ ...report, connection })),
        )
        .filter((report) => report.guid === guid),
    command(uid, command, { topic = `devices/${uid}/commands`, qos = 1, retain = false } = {}) {
      last_id = (last_id % 0xffff) + 1
      const payload = typeof command === 'string' ? command : JSON.stringify(command)
      const packet = publish(topic, payload, qos === 1 ? last_id : undefined)
      if (retain) packet[0]! |= 1
      send(socketOf(uid), packet)
      return last_id
    },
    write: (uid, packet) => send(socketOf(uid), packet),
    acknowledge(on) {
      acknowledges = typeof on === 'boolean' ? () => on : on
    },
    cut: (uid) => socketOf(uid).destroy(),
    refuse(code) {
      connack_code = code
    },
    until<T>(what: string, look: () => T | undefined | false): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      const timer = setTimeout(() => reject(new Error(`never seen: ${what}`)), 10_000)
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
    async close() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
