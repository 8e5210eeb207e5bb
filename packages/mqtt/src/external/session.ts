import mqtt, { type IClientOptions, type IPublishPacket } from 'mqtt'
import { puback } from '#mqtt/codec/publish.ts'
import { type AddressParts, addressParts, type BrokerAddress } from './address.ts'

/** One connection to the broker, from CONNECT to its end; it is never used again. */
export type Session = {
  /** Settles once everything is subscribed: whether the broker had kept the session. Rejects where it ends before. */
  readonly opened: Promise<{ kept: boolean }>
  /** Publishes with QoS 1, as fast as the broker takes it. False if too much waits for it already. */
  send(topic: string, payload: string): boolean
  /** Publishes with QoS 0. */
  tell(topic: string, payload: string): void
  unsubscribe(topics: readonly string[]): Promise<void>
  /** How many messages came and are not acknowledged. */
  taking(): number
  /** Ends it with a DISCONNECT; the broker keeps the session for so long. */
  leave(keep_secs: number): Promise<void>
  /** Ends it without a word, as a lost connection does. */
  cut(why: string): void
}

export type SessionNeeds = {
  address: BrokerAddress
  client_id: string
  /** How long the broker keeps what comes for us while we are away; 0 = not at all, and what it has kept is dropped. */
  keep_secs: number
  subscriptions: readonly string[]
  /** A message. It is acknowledged, behind those that came before it, when this resolves; it never rejects. */
  take(topic: string, payload: Buffer): Promise<void>
  /**
   * Once, whoever ended it and however far it came: one sentence that says why. `refused` if the broker does not know us,
   * or we do not trust it: trying again will not help until somebody mends that.
   */
  ended(why: string, refused: boolean): void
}

/** Messages that the broker may have given us and that are not taken. */
export const RECEIVE_MAXIMUM = 200
const KEEPALIVE_SECS = 15
const ANSWER_MS = 10_000
const LEAVING_MS = 2_000
/** Messages to publish that wait for PUBACKs of earlier ones. */
const MOST_WAITING = 10_000
const MOST_IN_FLIGHT = 65_535

/**
 * Connects at once with MQTT 5. MQTT.js speaks, but it does not reconnect, and PUBACKs are written here: MQTT.js takes one
 * message at a time, and many may share a commit.
 */
export function openSession(needs: SessionNeeds): Session {
  const { client_id, keep_secs, subscriptions, take } = needs
  const opened = Promise.withResolvers<{ kept: boolean }>()
  const waiting: { topic: string; payload: string }[] = []
  /** In the order in which they came: so must the PUBACKs be (MQTT 5, 4.6). */
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
    // Nothing retained is for us: it may be out of date.
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
    // With an error it goes on and sends no PUBACK.
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

  opened.promise.catch(() => undefined) // a caller that waits for it hears of it
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
