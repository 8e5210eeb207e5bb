import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { topicOf } from '@sdd/contract/core/topic.ts'
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt'
import { generate, parser, type IConnectPacket, type Packet } from 'mqtt-packet'
import { pino } from 'pino'
import { openBroker, type Broker } from './broker.ts'
import type { Limits } from './limits.ts'
import type { BrokerRules, KnownBrowser } from './rules.ts'

export type TestBroker = {
  broker: Broker
  port: number
  web_port: number
  /** What the rules were told, in order: `dev-1 reports hello`, `dev-1 gone`. */
  told: string[]
  /** Every line of its log, of every level. */
  logged: string[]
}

const SESSIONS: Record<string, KnownBrowser> = {
  sds_one: { session_id: 1, user_id: 1, company_id: 1, scope: { company_id: 1 }, most_of_company: 500 },
  sds_two: { session_id: 2, user_id: 2, company_id: 2, scope: { company_id: 2 }, most_of_company: 500 },
  sds_all: { session_id: 3, user_id: 3, company_id: 3, scope: 'all', most_of_company: 500 },
}

export const secretOf = (uid: string): string => `secret-of-${uid}`

/** A broker on free ports of this machine whose rules write down what they are told; it ends with the test. */
export async function startBroker(
  test: TestContext,
  { limits, ...rules }: Partial<BrokerRules> & { limits?: Partial<Limits> } = {},
): Promise<TestBroker> {
  const told: string[] = []
  let connections = 0
  const logged: string[] = []
  const broker = openBroker({
    log: pino({ level: 'trace' }, { write: (line) => void logged.push(line) }),
    limits: { sweep_ms: 20, ...limits },
    rules: {
      admitDevice: async (uid, secret) =>
        secret === secretOf(uid) ? { device_id: 7, company_id: 1, connection: ++connections } : undefined,
      admitBrowser: async (token) => SESSIONS[token],
      async received(from, topic, payload) {
        told.push(
          `${topicOf(topic, { uid: from.uid }).replace('devices/', '').replace('/', ' ')} ${payload.toString()}`,
        )
      },
      gone: async (from) => void told.push(`${from.uid} gone`),
      ...rules,
    },
  })
  const { port } = await broker.listen({ host: '127.0.0.1', port: 0 })
  const web = createServer((_, response) => response.end('a page'))
  broker.attach(web)
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
  test.after(async () => {
    await broker.stop()
    await new Promise((resolve) => web.close(resolve))
  })
  return { broker, port, web_port: (web.address() as AddressInfo).port, told, logged }
}

/** Bytes and packets over a socket of one's own, for what a real client would never send. */
export type RawClient = {
  socket: Socket
  send(...packets: (Packet | Buffer)[]): void
  /** The next packet that came; rejects when the connection ends before. */
  next(): Promise<Packet>
  /** Resolves when the server closed the connection. */
  closed: Promise<void>
}

export async function rawClient(test: TestContext, port: number): Promise<RawClient> {
  const socket = connect(port, '127.0.0.1')
  test.after(() => socket.destroy())
  const reading = parser()
  const arrived: Packet[] = []
  const waiting: PromiseWithResolvers<Packet>[] = []
  const closed = Promise.withResolvers<void>()
  reading.on('packet', (packet) => {
    const waiter = waiting.shift()
    if (waiter) waiter.resolve(packet)
    else arrived.push(packet)
  })
  socket.on('data', (bytes: Buffer) => reading.parse(bytes))
  socket.on('error', () => {})
  socket.on('close', () => {
    closed.resolve()
    for (const waiter of waiting) waiter.reject(new Error('the connection ended'))
  })
  await once(socket, 'connect')
  return {
    socket,
    closed: closed.promise,
    send: (...packets) => void socket.write(Buffer.concat(packets.map(bytesOf))),
    next() {
      const packet = arrived.shift()
      if (packet) return Promise.resolve(packet)
      if (socket.destroyed) return Promise.reject(new Error('the connection ended'))
      const waiter = Promise.withResolvers<Packet>()
      waiting.push(waiter)
      return waiter.promise
    },
  }
}

/** A device's CONNECT as the contract wants it, but for what is given. */
export function connectPacket(uid: string, but: Partial<IConnectPacket> = {}): IConnectPacket {
  return {
    cmd: 'connect',
    protocolId: 'MQTT',
    protocolVersion: 4,
    clean: true,
    keepalive: 30,
    clientId: uid,
    username: uid,
    password: Buffer.from(secretOf(uid)),
    ...but,
  }
}

/** A device that is admitted and speaks raw packets. */
export async function rawDevice(
  test: TestContext,
  port: number,
  uid: string,
  but: Partial<IConnectPacket> = {},
) {
  const client = await rawClient(test, port)
  client.send(connectPacket(uid, but))
  const connack = await client.next()
  if (connack.cmd !== 'connack' || connack.returnCode !== 0)
    throw new Error(`not admitted: ${JSON.stringify(connack)}`)
  return client
}

/** A device as MQTT.js makes one. Rejects where the CONNECT is refused. */
export function device(
  test: TestContext,
  url: string,
  uid: string,
  but: IClientOptions = {},
): Promise<MqttClient> {
  return mqttClient(test, url, {
    clientId: uid,
    username: uid,
    password: secretOf(uid),
    keepalive: 30,
    ...but,
  })
}

/** A browser as MQTT.js makes one. */
export function browser(
  test: TestContext,
  web_port: number,
  token: string,
  but: IClientOptions = {},
): Promise<MqttClient> {
  return mqttClient(test, `ws://127.0.0.1:${web_port}/mqtt`, {
    username: 'anything',
    password: token,
    ...but,
  })
}

async function mqttClient(test: TestContext, url: string, options: IClientOptions): Promise<MqttClient> {
  const client = await mqtt.connectAsync(url, { reconnectPeriod: 0, ...options }, false)
  test.after(() => client.endAsync(true))
  return client
}

export function status(uid: string): Packet {
  return { ...report(uid, '{}'), topic: `devices/${uid}/status` } as Packet
}

export function report(uid: string, text: string, messageId?: number): Packet {
  return {
    cmd: 'publish',
    topic: `devices/${uid}/reports`,
    payload: text,
    qos: messageId === undefined ? 0 : 1,
    dup: false,
    retain: false,
    messageId,
  }
}

/** Waits until it is so; fails after 5 s. */
export async function until(so: () => boolean, what = so.toString()): Promise<void> {
  for (const started = Date.now(); !so(); await sleep(5)) {
    if (Date.now() - started > 5_000) throw new Error(`still not so: ${what}`)
  }
}

function bytesOf(packet: Packet | Buffer): Buffer {
  return Buffer.isBuffer(packet) ? packet : generate(packet)
}
