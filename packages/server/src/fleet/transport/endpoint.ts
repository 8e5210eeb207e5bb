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
import { browserRules, type KnownBrowser } from '#server/core/browser-rules.ts'
import type { Scope } from '#server/core/context.ts'
import { crashPoint } from '#server/core/crash-points.ts'
import { protectiveLines } from '#server/core/security-headers.ts'
import { errorCodeOf } from '#server/core/refusal.ts'
import type { ConnectedDevice } from '#server/fleet/presence/presence.ts'
import { readConnect } from './connect.ts'
import { commandsOf, publishedTopic } from './device-topics.ts'

/** An admitted device and the number of its connection. Later connections have higher numbers. */
type KnownDevice = Omit<ConnectedDevice, 'connection_id' | 'uid'>

/** This server's own MQTT endpoint: devices by TCP, TLS and WebSocket, browsers by WebSocket. */
export type MqttEndpoint = {
  /** Sets the rules for admission and for published messages. Call it before any client can connect. */
  serve(rules: EndpointRules): void
  listen(options: ListenOptions): Promise<{ port: number }>
  attach(server: Server): void
  /**
   * Publishes a command to the device's current connection. False if it has none, is not subscribed, or has too many
   * commands without a PUBACK. Nothing is kept for later, since the database is the queue.
   */
  toDevice(uid: string, payload: string): boolean
  /** When the last packet of its current connection arrived, in ms since 1970. */
  lastSeen(uid: string): number | undefined
  /**
   * Cuts the device's connection, and refuses one that is being admitted, after a changed secret or an unlink. With
   * `before`, only a connection with a lower number, since another has replaced it.
   */
  disconnectDevice(uid: string, before?: number): void
  /** Cuts every device, and refuses those being admitted. */
  disconnectDevices(): void
  /** Connections of devices that have published a status. */
  devices(): Iterable<ConnectedDevice>
  /** Publishes to every browser that is subscribed to exactly this topic and whose scope may see it. */
  toBrowsers(topic: string, payload: string, may: (scope: Scope) => boolean): void
  browsers(): Iterable<Connected<KnownBrowser>>
  /** Cuts the connections of an ended session, and refuses one that is being admitted. */
  disconnectBrowsers(session_id: number): void
  counts(): { devices: number; browsers: number; pending: number }
  readonly tally: Tally
  stop(): Promise<void>
}

type EndpointRules = Pick<
  PublisherRules<Omit<ConnectedDevice, 'connection_id'>, Topic>,
  'received' | 'delay' | 'gone'
> & {
  /** `undefined` for an unknown uid and for a wrong secret. */
  admitDevice(uid: string, secret: string): Promise<KnownDevice | undefined>
  /** `undefined` for a token that opens no session. */
  admitBrowser(token: string): Promise<KnownBrowser | undefined>
}

/** The contract fixes what devices (`device-protocol.ts`) and browsers (`live.ts`) may do. `Rules` decide the rest. */
export function openMqttEndpoint({
  log,
  proxies,
}: {
  log: Logger
  /** The trusted proxies of WebSocket clients. */
  proxies: Proxies
}): MqttEndpoint {
  let rules!: EndpointRules

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
    Omit<ConnectedDevice, 'connection_id'>,
    KnownBrowser,
    Topic
  >({
    log,
    read,
    codeOf: errorCodeOf,
    rules: {
      publishers: {
        called: { kind: 'device', field: 'uid' },
        topicOf: publishedTopic,
        subscriptionOf: commandsOf,
        announces: (topic) => topic === deviceStatus,
        acknowledged: () => crashPoint('acknowledged'),
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
      if (sent) crashPoint('commanded')
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
