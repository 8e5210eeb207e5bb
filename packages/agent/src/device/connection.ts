import { deviceCommands, deviceStatus, type Presence } from '@sdd/contract/fleet/device-protocol.ts'
import type { LinkedDevice } from '@sdd/contract/fleet/devices.ts'
import { topicOf } from '@sdd/contract/core/topic.ts'
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt'
import { type Clock } from '#agent/clock.ts'
import { connectionFault } from './faults.ts'
import { readTrust, type Trust } from './trust.ts'

export type Account = Pick<LinkedDevice, 'uid' | 'secret' | 'mqtt_url' | 'acks'> & {
  /** The CA certificate for the server; by default this machine's authorities. */
  readonly ca_file?: string | undefined
}

/** One connection, from CONNECT to its end; it is never used again. */
export type Connection = {
  /** Settles once the commands are subscribed; rejects if the connection ends before. */
  readonly opened: Promise<void>
  /** Publishes with QoS 1. Settles at the PUBACK; rejects if the connection ends before it. */
  publish: (topic: string, payload: string) => Promise<void>
  /** Ends the connection with a DISCONNECT, so that the server does not publish the will. */
  leave: () => Promise<void>
}

type Listeners = {
  /**
   * Handles a command. It is acknowledged if this returns true; otherwise the server must send it again. After 50 such
   * commands the connection ends.
   */
  command: (payload: Buffer) => boolean
  /** Called exactly once, with the reason in one sentence, even if the connection never opened. */
  ended: (why: string) => void
}

const KEEPALIVE_SECS = 30
/** How long the server may take for a step of the handshake, or for a PUBACK. */
const RESPONSE_TIMEOUT_MS = 30_000
const LEAVING_MS = 2_000
/** The server sends nothing more on a connection with 100 commands without a PUBACK. */
const MOST_REFUSED = 50

/**
 * Connects at once: CONNECT (clean session; the will is `goodbye`), CONNACK, SUBSCRIBE, SUBACK. MQTT.js is set up to
 * not reconnect, and to acknowledge a command only when told to.
 */
export function connect(
  account: Account,
  goodbye: Presence,
  listeners: Listeners,
  clock: Pick<Clock, 'after'>,
): Connection {
  const { uid, secret, mqtt_url } = account
  const opened = Promise.withResolvers<void>()
  const waiting = new Set<(error: Error) => void>()
  const { trust, fault: distrust } = trustOf(account)
  let fault = distrust
  let over = false
  let refused = 0
  const client = mqtt.connect({
    ...addressOf(mqtt_url),
    ...trust,
    wsOptions: { ...trust },
    clientId: uid,
    username: uid,
    password: secret,
    clean: true,
    protocolVersion: 4,
    keepalive: KEEPALIVE_SECS,
    connectTimeout: RESPONSE_TIMEOUT_MS,
    reconnectPeriod: 0,
    resubscribe: false,
    queueQoSZero: false,
    will: {
      topic: topicOf(deviceStatus, { uid }),
      payload: Buffer.from(JSON.stringify(goodbye)),
      qos: 1,
      retain: false,
    },
  } satisfies IClientOptions)
  takeCommands(client, handle)
  client.on('connect', subscribe)
  // MQTT.js does not report some faults of the stream, such as the HTTP status of a refused WebSocket.
  client.stream.on('error', (error: Error) => {
    fault ??= connectionFault(error, account)
  })
  client.on('error', (error) => {
    fault ??= connectionFault(error, account)
    end(fault)
  })
  client.on('close', () => end(fault ?? 'the server closed the connection'))

  function handle(payload: Buffer): boolean {
    if (listeners.command(payload)) return true
    if (++refused === MOST_REFUSED) end(`the disk refused ${refused} commands, which the server sends again`)
    return false
  }

  function subscribe(): void {
    const slow = clock.after(RESPONSE_TIMEOUT_MS, () => end('the server did not answer SUBSCRIBE'))
    client.subscribe(topicOf(deviceCommands, { uid }), { qos: 1 }, (error, granted) => {
      slow()
      if (over) return
      if (error || granted?.[0]?.qos !== 1) end('the server refused the subscription of the commands')
      else opened.resolve()
    })
  }

  function publish(topic: string, payload: string): Promise<void> {
    if (over) return Promise.reject(new Error('the connection has ended'))
    return new Promise((resolve, reject) => {
      const slow = clock.after(RESPONSE_TIMEOUT_MS, () => end('the server sent no PUBACK'))
      const settle = (error?: Error | null): void => {
        slow()
        waiting.delete(settle)
        if (error) reject(error)
        else resolve()
      }
      waiting.add(settle)
      client.publish(topic, payload, { qos: 1 }, (error) => settle(error))
    })
  }

  function end(why: string): void {
    if (over) return
    over = true
    for (const reject of waiting) reject(new Error(why))
    opened.reject(new Error(why))
    client.end(true)
    listeners.ended(why)
  }

  /** If the server does not take the DISCONNECT in time, the connection is cut. */
  async function leave(): Promise<void> {
    if (over) return
    const left = Promise.withResolvers<void>()
    const slow = clock.after(LEAVING_MS, left.resolve)
    client.end(false, {}, () => left.resolve())
    await left.promise
    slow()
    end('left')
  }

  opened.promise.catch(() => undefined) // callers that await it still see the rejection
  return { opened: opened.promise, publish, leave }
}

/** If the file is unusable, no server is trusted, and the connection ends with the reason. */
function trustOf({ mqtt_url, ca_file }: Account): { trust: Trust; fault?: string } {
  if (!/^(mqtts|wss):/.test(mqtt_url)) return { trust: {} }
  try {
    return { trust: readTrust(ca_file) }
  } catch (error) {
    return { trust: { ca: [] }, fault: (error as Error).message }
  }
}

/** Parsed here, because MQTT.js uses a deprecated API that makes Node warn. */
function addressOf(
  mqtt_url: string,
): Pick<IClientOptions, 'protocol' | 'host' | 'hostname' | 'port' | 'path'> {
  const { protocol, hostname: name, port, pathname, search } = new URL(mqtt_url)
  const web = protocol.startsWith('ws')
  const hostname = web ? name : name.replace(/^\[|\]$/g, '') // IPv6 address
  return {
    protocol: protocol.slice(0, -1) as 'mqtt',
    host: hostname,
    hostname,
    ...(port && { port: Number(port) }),
    ...(web && { path: pathname + search }),
  }
}

/** MQTT.js sends the PUBACK if the hook ends without an error. After an error it goes on without a PUBACK. */
function takeCommands(client: MqttClient, command: Listeners['command']): void {
  client.handleMessage = (packet, done) => {
    const { payload } = packet as { payload: Buffer }
    done(command(Buffer.from(payload)) ? undefined : new Error('not kept'))
  }
}
