import mqtt, { type IClientOptions, type IPublishPacket } from 'mqtt'
import { puback } from '#mqtt/codec/publish.ts'
import { type AddressParts, addressParts, type BrokerAddress } from './address.ts'

/** One connection to the broker, from CONNECT to its end. It is not reused. */
export type Session = {
  /**
   * Resolves once everything is subscribed, with whether the broker had kept the session. Rejects if it ends earlier.
   */
  readonly opened: Promise<{ kept: boolean }>
  /** Publishes with QoS 1, as fast as the broker accepts messages. False if too many are queued. */
  send(topic: string, payload: string): boolean
  /** Publishes with QoS 0. */
  tell(topic: string, payload: string): void
  unsubscribe(topics: readonly string[]): Promise<void>
  /** How many messages have arrived and are not acknowledged. */
  taking(): number
  /** Ends it with a DISCONNECT. The broker keeps the session for this long. */
  leave(keep_secs: number): Promise<void>
  /** Ends it without a DISCONNECT, like a lost connection. */
  cut(why: string): void
}

export type SessionNeeds = {
  address: BrokerAddress
  client_id: string
  /**
   * How long the broker keeps messages for this client while it is away. With 0 it keeps none and drops those already
   * kept.
   */
  keep_secs: number
  subscriptions: readonly string[]
  /** Processes a message. It is acknowledged after this resolves, in the order of arrival. Must not reject. */
  take(topic: string, payload: Buffer): Promise<void>
  /**
   * Called once when the session ends for any reason, with a sentence that says why. `refused`: the broker does not
   * accept the server, or the server does not trust the broker. A retry will fail until an operator changes something.
   */
  ended(why: string, refused: boolean): void
}

/** The most messages that the broker may send before earlier ones are acknowledged. */
export const RECEIVE_MAXIMUM = 200
const KEEPALIVE_SECS = 15
const ANSWER_MS = 10_000
const LEAVING_MS = 2_000
/** The most messages to publish that wait for PUBACKs of earlier ones. */
const MOST_WAITING = 10_000
const MOST_IN_FLIGHT = 65_535

/**
 * Connects immediately with MQTT 5. MQTT.js handles the protocol but does not reconnect. PUBACKs are written here:
 * MQTT.js processes one message at a time, but many can share a commit.
 */
export function openSession(needs: SessionNeeds): Session {
  const { client_id, keep_secs, subscriptions, take } = needs
  const opened = Promise.withResolvers<{ kept: boolean }>()
  const waiting: { topic: string; payload: string }[] = []
  /** In order of arrival, because PUBACKs must keep it (MQTT 5, 4.6). */
  const taking: { messageId: number; taken: boolean }[] = []
  let in_flight = 0
  let window = 0
  let fault: string | undefined
  let refused = false
  let over = false

  const client = mqtt.connect({
    ...optionsOf(needs.address),
    clientId: client_id,
    clean: keep_secs === 0,
    protocolVersion: 5,
    keepalive: KEEPALIVE_SECS,
    connectTimeout: ANSWER_MS,
    reconnectPeriod: 0,
    resubscribe: false,
    queueQoSZero: false,
    properties: { sessionExpiryInterval: keep_secs, receiveMaximum: RECEIVE_MAXIMUM },
  } satisfies IClientOptions)

  client.on('connect', ({ sessionPresent, properties }) => {
    void subscribe().then(
      () => {
        if (over) return
        window = Math.min(properties?.receiveMaximum ?? MOST_IN_FLIGHT, MOST_IN_FLIGHT - 1)
        opened.resolve({ kept: sessionPresent })
        pump()
      },
      (error: Error) => end(`the broker refused a subscription (${error.message})`),
    )
  })
  client.on(
    'disconnect',
    ({ reasonCode }) => (fault ??= `the broker ended the connection (reason ${reasonCode})`),
  )
  client.stream.on('error', note)
  client.on('error', (error) => {
    note(error)
    end(fault!)
  })
  client.on('close', () => end(fault ?? 'the broker closed the connection'))

  function note(error: Error & { code?: string | number }): void {
    fault ??= error.message
    // A number is the reason of a CONNACK.
    refused ||= typeof error.code === 'number' || /CERT|SELF_SIGNED|ALTNAME/.test(error.code ?? '')
  }

  async function subscribe(): Promise<void> {
    if (subscriptions.length === 0) return
    // Skip retained messages, which may be out of date.
    const asked = Object.fromEntries(subscriptions.map((topic) => [topic, { qos: 1, rh: 2 } as const]))
    const granted = await client.subscribeAsync(asked)
    const refused = granted.find(({ qos }) => qos > 1)
    if (refused) throw new Error(refused.topic)
  }

  client.handleMessage = (packet, next) => {
    const { topic, payload, qos, messageId } = packet as IPublishPacket
    const message = { messageId: messageId ?? 0, taken: false }
    if (qos > 0) taking.push(message)
    void take(topic, Buffer.from(payload as Buffer)).then(() => {
      message.taken = true
      acknowledge()
    })
    // An error makes MQTT.js continue without sending a PUBACK.
    next(qos > 0 ? new Error('not taken yet') : undefined)
  }

  function acknowledge(): void {
    while (!over && taking[0]?.taken) {
      const { messageId } = taking.shift()!
      client.stream.write(puback(messageId))
    }
  }

  function send(topic: string, payload: string): boolean {
    if (over || window === 0 || waiting.length >= MOST_WAITING) return false
    waiting.push({ topic, payload })
    pump()
    return true
  }

  function pump(): void {
    while (!over && in_flight < window) {
      const next = waiting.shift()
      if (next === undefined) return
      in_flight++
      client.publish(next.topic, next.payload, { qos: 1 }, () => {
        in_flight--
        pump()
      })
    }
  }

  function end(why: string): void {
    if (over) return
    over = true
    waiting.length = 0
    opened.reject(new Error(why))
    client.end(true)
    needs.ended(why, refused)
  }

  async function leave(keep: number): Promise<void> {
    if (over) return
    const left = Promise.withResolvers<void>()
    const slow = setTimeout(left.resolve, LEAVING_MS)
    client.end(false, { properties: { sessionExpiryInterval: keep } }, () => left.resolve())
    await left.promise
    clearTimeout(slow)
    end('left')
  }

  opened.promise.catch(() => undefined) // callers that await it get the error
  return {
    opened: opened.promise,
    send,
    tell: (topic, payload) => void (over || client.publish(topic, payload, { qos: 0 })),
    unsubscribe: async (topics) => void (await client.unsubscribeAsync([...topics])),
    taking: () => taking.length,
    leave,
    cut: end,
  }
}

function optionsOf({ url, ca }: BrokerAddress): IClientOptions {
  const { protocol, hostname, port, username, password } = addressParts(url) as AddressParts
  return {
    protocol,
    host: hostname,
    hostname,
    port,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(ca && { ca }),
  }
}
