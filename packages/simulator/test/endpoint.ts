import { createServer, type AddressInfo, type Socket } from 'node:net'
import type { Report } from '@sdd/contract/fleet/device-protocol.ts'
import { generate, type IConnectPacket, type Packet, parser } from 'mqtt-packet'

/** What a device did, as the server's side of the connection sees it; `connection` counts from 1. */
export type Event = { uid: string; connection: number; at: number } & (
  | { kind: 'connect'; packet: IConnectPacket }
  | { kind: 'subscribe'; topic: string; qos: number }
  | { kind: 'publish'; topic: string; payload: unknown; qos: number; retain: boolean }
  | { kind: 'puback'; message_id: number }
  | { kind: 'disconnect' | 'close' }
)

export type Published = Extract<Event, { kind: 'publish' }>

export type Endpoint = {
  readonly mqtt_url: string
  readonly events: readonly Event[]
  /** Of one topic's last part, oldest first. */
  published: (uid: string, part: 'status' | 'networks' | 'reports' | 'inbox') => Published[]
  /** Every report that came, one by one. */
  reports: (guid: string) => (Report & { connection: number })[]
  /** Sends a command over the device's latest connection; returns its message id. */
  command: (
    uid: string,
    command: unknown,
    packet?: { topic?: string; qos?: 0 | 1; retain?: boolean },
  ) => number
  write: (uid: string, packet: Packet) => void
  /** Whether publications are acknowledged; as a server whose database hangs, it may not be. */
  acknowledge: (on: boolean | ((event: Published) => boolean)) => void
  /** Closes the device's connection. */
  cut: (uid: string) => void
  /** The next CONNECTs get this return code. */
  refuse: (code: number) => void
  /** What `look` finds once it finds something; rejects after ten seconds with `what` in the message. */
  until: <T>(what: string, look: () => T | undefined | false) => Promise<T>
  close: () => Promise<void>
}

/** The server's side of the device protocol, as little of it as a device needs. */
export async function openEndpoint(): Promise<Endpoint> {
  const events: Event[] = []
  const sockets = new Map<string, Socket>()
  const open = new Set<Socket>()
  const looking = new Set<() => void>()
  const connections = new Map<string, number>()
  let acknowledges: (event: Published) => boolean = () => true
  let connack = 0
  let last_id = 0

  const server = createServer((socket) => {
    const reading = parser({ protocolVersion: 4 })
    let uid = ''
    let connection = 0
    open.add(socket)
    socket.on('data', (chunk: Buffer) => reading.parse(chunk))
    socket.on('error', () => undefined)
    socket.on('close', () => {
      open.delete(socket)
      if (uid) note({ kind: 'close', uid, connection, at: Date.now() })
    })
    reading.on('packet', (packet) => {
      if (packet.cmd === 'connect') {
        uid = packet.clientId
        connection = (connections.get(uid) ?? 0) + 1
        connections.set(uid, connection)
        sockets.set(uid, socket)
        send(socket, { cmd: 'connack', returnCode: connack, sessionPresent: false })
      }
      serve(packet, socket, { uid, connection, at: Date.now() })
    })
  })

  function serve(packet: Packet, socket: Socket, who: { uid: string; connection: number; at: number }): void {
    if (packet.cmd === 'connect') note({ kind: 'connect', packet, ...who })
    if (packet.cmd === 'puback') note({ kind: 'puback', message_id: packet.messageId!, ...who })
    if (packet.cmd === 'pingreq') send(socket, { cmd: 'pingresp' })
    if (packet.cmd === 'disconnect') note({ kind: 'disconnect', ...who })
    if (packet.cmd === 'subscribe') {
      // A command sent at this event arrives with the SUBACK, before the device can have said anything.
      socket.cork()
      setImmediate(() => socket.uncork())
      send(socket, { cmd: 'suback', messageId: packet.messageId, granted: [1] })
      for (const { topic, qos } of packet.subscriptions) note({ kind: 'subscribe', topic, qos, ...who })
    }
    if (packet.cmd === 'publish') {
      const { topic, qos, retain } = packet
      const payload: unknown = JSON.parse(String(packet.payload))
      const event = { kind: 'publish', topic, payload, qos, retain, ...who } as const
      if (acknowledges(event)) send(socket, { cmd: 'puback', messageId: packet.messageId })
      note(event)
    }
  }

  function note(event: Event): void {
    events.push(event)
    for (const look of looking) look()
  }

  function send(socket: Socket, packet: Packet): void {
    socket.write(generate(packet))
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
      const messageId = (last_id % 0xffff) + 1
      last_id = messageId
      const payload = typeof command === 'string' ? command : JSON.stringify(command)
      send(socketOf(uid), { cmd: 'publish', topic, payload, qos, dup: false, retain, messageId })
      return messageId
    },
    write: (uid, packet) => send(socketOf(uid), packet),
    acknowledge(on) {
      acknowledges = typeof on === 'boolean' ? () => on : on
    },
    cut: (uid) => socketOf(uid).destroy(),
    refuse(code) {
      connack = code
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
