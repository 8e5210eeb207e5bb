import type { Server } from 'node:http'
import { deviceStatus, MAX_PAYLOAD_BYTES } from '@sdd/contract/fleet/device-protocol.ts'
import type { Topic } from '@sdd/contract/core/topic.ts'
import type { Connect } from '@sdd/mqtt/codec/from-client.ts'
import { openEndpoint } from '@sdd/mqtt/endpoint/endpoint.ts'
import type { ListenOptions } from '@sdd/mqtt/endpoint/listen.ts'
import type { Connected, PublisherRules } from '@sdd/mqtt/endpoint/rules.ts'
import type { Tally } from '@sdd/mqtt/endpoint/tally.ts'
import type { Logger } from 'pino'
import { addressOf, networkOf, type Proxies } from '#server/core/address.ts'
import { browserRules, type KnownBrowser } from '#server/core/browsers.ts'
import type { Scope } from '#server/core/context.ts'
import { pass } from '#server/core/points.ts'
import { protectiveLines } from '#server/core/protection.ts'
import { codeOf } from '#server/core/refusal.ts'
import type { From } from '#server/fleet/presence/presence.ts'
import { readConnect } from './connect.ts'
import { commandsOf, publishedTopic } from './device-topics.ts'

/** A device that may come in, and the number of its connection: a later one has a higher number. */
export type KnownDevice = Omit<From, 'connection_id' | 'uid'>

/** This server's own MQTT endpoint: devices by TCP, TLS and WebSocket, browsers by WebSocket. */
export type MqttEndpoint = {
  /** Decides from now on who may connect and takes what devices publish: to be called before anybody can connect. */
  serve(rules: Rules): void
  listen(options: ListenOptions): Promise<{ port: number }>
  attach(server: Server): void
  /**
   * Publishes a command to the device's current connection. False if it has none, is not subscribed, or leaves too many
   * commands without a PUBACK: nothing is kept for later, the database is the queue.
   */
  toDevice(uid: string, payload: string): boolean
  /** When the last packet of its current connection came, in ms since 1970. */
  lastSeen(uid: string): number | undefined
  /**
   * Its secret changed, or it was unlinked: its connection is cut, and one about to be admitted is refused. With `before`
   * only a connection with a lower number, as another has taken its place.
   */
  disconnectDevice(uid: string, before?: number): void
  /** Cuts every device, and refuses those about to be admitted. */
  disconnectDevices(): void
  /** Connections of devices that have said a status. */
  devices(): Iterable<From>
  /** To every browser that is subscribed to exactly this topic and whose scope may see it. */
  toBrowsers(topic: string, payload: string, may: (scope: Scope) => boolean): void
  browsers(): Iterable<Connected<KnownBrowser>>
  /** Its session is over: its connections are cut, and one about to be admitted is refused. */
  disconnectBrowsers(session_id: number): void
  counts(): { devices: number; browsers: number; pending: number }
  readonly tally: Tally
  stop(): Promise<void>
}

export type Rules = Pick<
  PublisherRules<Omit<From, 'connection_id'>, Topic>,
  'received' | 'delay' | 'gone'
> & {
  /** `undefined` for an unknown uid and for a wrong secret. */
  admitDevice(uid: string, secret: string): Promise<KnownDevice | undefined>
  /** `undefined` for a token that opens no session. */
  admitBrowser(token: string): Promise<KnownBrowser | undefined>
}

/** What devices (`device-protocol.ts` of the contract) and browsers (`live.ts`) may do is fixed here; `Rules` decide the rest. */
export function openMqttEndpoint({
  log,
  proxies,
}: {
  log: Logger
  /** Of those that connect by WebSocket. */
  proxies: Proxies
}): MqttEndpoint {
  let rules!: Rules

  function read(packet: Connect, websocket: boolean) {
    const request = readConnect(packet, websocket)
    if (typeof request === 'string') return request
    const { silence_ms } = request
    if (request.as === 'browser')
      return { as: 'listener', silence_ms, admit: () => rules.admitBrowser(request.token) } as const
    const { uid: name, secret, will } = request
    return {
      as: 'publisher',
      name,
      silence_ms,
      will: will && { topic: deviceStatus, payload: will },
      async admit() {
        const known = await rules.admitDevice(name, secret)
        return known && { uid: name, ...known }
      },
    } as const
  }

  const { publishers, listeners, ...endpoint } = openEndpoint<
    Omit<From, 'connection_id'>,
    KnownBrowser,
    Topic
  >({
    log,
    read,
    codeOf,
    rules: {
      publishers: {
        called: { kind: 'device', field: 'uid' },
        topicOf: publishedTopic,
        subscriptionOf: commandsOf,
        announces: (topic) => topic === deviceStatus,
        acknowledged: () => pass('acknowledged'),
        received: (from, topic, payload) => rules.received(from, topic, payload),
        delay: (from, topic) => rules.delay?.(from, topic) ?? 0,
        gone: (from) => rules.gone(from),
      },
      listeners: browserRules,
    },
    addresses: { ofSocket: addressOf, ofRequest: proxies.askerOf, networkOf },
    headerLines: protectiveLines,
    limits: { payload_bytes: MAX_PAYLOAD_BYTES },
  })

  return {
    ...endpoint,
    serve: (served) => void (rules = served),
    toDevice(uid, payload) {
      const sent = publishers.send(uid, payload)
      if (sent) pass('commanded')
      return sent
    },
    lastSeen: publishers.lastHeard,
    disconnectDevice: (uid, before) =>
      publishers.disconnect(uid, before === undefined ? undefined : ({ connection }) => connection < before),
    disconnectDevices: publishers.disconnectAll,
    devices: publishers.present,
    toBrowsers: (topic, payload, may) => listeners.send(topic, payload, ({ scope }) => may(scope)),
    browsers: listeners.open,
    disconnectBrowsers: listeners.disconnect,
    counts() {
      const { publishers: devices, listeners: browsers, pending } = endpoint.counts()
      return { devices, browsers, pending }
    },
  }
}
