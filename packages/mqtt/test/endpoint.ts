import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { copyOf } from '@sdd/mqtt/codec/bytes.ts'
import { connect, type Connect, type NewConnect } from '@sdd/mqtt/codec/from-client.ts'
import { publish } from '@sdd/mqtt/codec/publish.ts'
import { readText } from '@sdd/mqtt/codec/text.ts'
import { type Endpoint, openEndpoint } from '@sdd/mqtt/endpoint/endpoint.ts'
import type { Limits } from '@sdd/mqtt/endpoint/limits.ts'
import type { ListenerRules, PublisherRules } from '@sdd/mqtt/endpoint/rules.ts'
import type { Denial } from '@sdd/mqtt/endpoint/tally.ts'
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt'
import { pino } from 'pino'
import { admittedClient, type RawClient } from './raw-client.ts'

export type KnownPublisher = { number: number }
export type KnownListener = { key: number }
type Topic = { pattern: string }

export type TestEndpoint = {
  endpoint: Endpoint<KnownPublisher, KnownListener>
  port: number
  web_port: number
  /** The calls to the rules, in order: `pub-1 reports hello`, `pub-1 gone`. */
  told: string[]
  /** Every line of its log, at every level. */
  logged: string[]
}

type Rules = PublisherRules<KnownPublisher & { name: string }, Topic> & {
  admitPublisher(name: string, secret: string): Promise<KnownPublisher | undefined>
  admitListener(token: string): Promise<KnownListener | undefined>
  hasRoom: ListenerRules<KnownListener>['hasRoom']
  limits: Partial<Limits>
}

const KEYS: Record<string, KnownListener> = { key_one: { key: 1 }, key_two: { key: 2 }, key_all: { key: 3 } }
const TOPICS = ['status', 'networks', 'reports', 'inbox'].map((part) => ({ pattern: part }))
const STATUS = TOPICS[0]!

export const secretOf = (name: string): string => `secret-of-${name}`

/**
 * An endpoint on free ports of this machine, whose rules record their calls. It ends with the test. A publisher
 * publishes to `clients/<name>/status`, `networks`, `reports` and `inbox`, and subscribes to `clients/<name>/commands`.
 */
export async function startEndpoint(
  test: TestContext,
  { limits, admitPublisher, admitListener, hasRoom, ...rules }: Partial<Rules> = {},
): Promise<TestEndpoint> {
  const told: string[] = []
  const logged: string[] = []
  let connections = 0
  const endpoint = openEndpoint<KnownPublisher & { name: string }, KnownListener, Topic>({
    log: pino({ level: 'trace' }, { write: (line) => void logged.push(line) }),
    limits: { sweep_ms: 20, ...limits },
    read(packet, websocket) {
      const denial = denialOf(packet)
      if (denial) return denial
      const silence_ms = packet.keep_alive_secs * 1_500
      const secret = readText(packet.password!)
      if (websocket && secret.startsWith('key_'))
        return { as: 'listener', silence_ms, admit: async () => (admitListener ?? keyed)(secret) }
      const name = packet.username!
      return {
        as: 'publisher',
        name,
        silence_ms,
        will: packet.will && { topic: STATUS, payload: copyOf(packet.will.payload) },
        async admit() {
          const known = await (admitPublisher ?? secretly)(name, secret)
          return known && { ...known, name }
        },
      }
    },
    rules: {
      publishers: {
        called: { kind: 'publisher', field: 'name' },
        topicOf: (name, topic) => TOPICS.find(({ pattern }) => topic === `clients/${name}/${pattern}`),
        subscriptionOf: (name) => `clients/${name}/commands`,
        announces: (topic) => topic === STATUS,
        received: async ({ name }, { pattern }, payload) =>
          void told.push(`${name} ${pattern} ${readText(payload)}`),
        gone: async ({ name }) => void told.push(`${name} gone`),
        ...rules,
      },
      listeners: {
        called: { kind: 'listener', field: 'key' },
        keyOf: ({ key }) => key,
        topics: new Set(['clients/status', '/front/change']),
        hasRoom: hasRoom ?? (() => true),
      },
    },
  })
  const secretly = async (name: string, secret: string) =>
    secret === secretOf(name) ? { number: ++connections } : undefined
  const keyed = async (token: string) => KEYS[token]
  const { port } = await endpoint.listen({ host: '127.0.0.1', port: 0 })
  const web = createServer((_, response) => response.end('a page'))
  endpoint.attach(web)
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
  test.after(async () => {
    await endpoint.stop()
    await new Promise((resolve) => web.close(resolve))
  })
  return { endpoint, port, web_port: (web.address() as AddressInfo).port, told, logged }
}

function denialOf({ clean, username, password, client_id, keep_alive_secs }: Connect): Denial | undefined {
  if (!clean) return 'session'
  if (username === undefined || password === undefined) return 'credentials'
  if (readText(password).startsWith('key_')) return undefined
  return client_id === username && keep_alive_secs > 0 ? undefined : 'forbidden'
}

/** A publisher's valid CONNECT, with these changes. */
export function connectPacket(name: string, but: Partial<NewConnect> = {}): Uint8Array {
  return connect({ client_id: name, username: name, password: secretOf(name), keep_alive_secs: 30, ...but })
}

/** An admitted publisher that sends raw packets. */
export function rawPublisher(
  test: TestContext,
  port: number,
  name: string,
  but: Partial<NewConnect> = {},
): Promise<RawClient> {
  return admittedClient(test, port, connectPacket(name, but))
}

/** A publisher made with MQTT.js. Rejects if the CONNECT is refused. */
export function publisher(
  test: TestContext,
  url: string,
  name: string,
  but: IClientOptions = {},
): Promise<MqttClient> {
  const options = { clientId: name, username: name, password: secretOf(name), keepalive: 30, ...but }
  return mqttClient(test, url, options)
}

/** A listener made with MQTT.js. */
export function listener(
  test: TestContext,
  web_port: number,
  token: string,
  but: IClientOptions = {},
): Promise<MqttClient> {
  const options = { username: 'anything', password: token, ...but }
  return mqttClient(test, `ws://127.0.0.1:${web_port}/mqtt`, options)
}

async function mqttClient(test: TestContext, url: string, options: IClientOptions): Promise<MqttClient> {
  const client = await mqtt.connectAsync(url, { reconnectPeriod: 0, ...options }, false)
  test.after(() => client.endAsync(true))
  return client
}

export function status(name: string): Uint8Array {
  return publish(`clients/${name}/status`, '{}')
}

export function report(name: string, text: string, packet_id?: number): Uint8Array {
  return publish(`clients/${name}/reports`, text, packet_id)
}
