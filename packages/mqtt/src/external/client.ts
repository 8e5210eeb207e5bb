import type { Called, Topic } from '#mqtt/endpoint/rules.ts'
import { openTurns } from '#mqtt/fair-queue.ts'
import type { Log } from '#mqtt/log.ts'
import type { BrokerAddress } from './address.ts'
import { drain } from './drain.ts'
import { type Link, startLink } from './link.ts'

/** An external broker to which this server's clients connect. Several servers may share it. */
export type BrokerClient = {
  /**
   * Resolves once clients can be reached. Rejects with a reason if that takes longer than `within_ms`, and keeps
   * trying.
   */
  ready(within_ms: number): Promise<void>
  connected(): boolean
  /** Publishes with QoS 1. False if the broker cannot be reached or is overloaded. */
  send(topic_name: string, payload: string): boolean
  /** When this server last received anything from this client, in ms since 1970. */
  lastHeard(name: string): number | undefined
  /** The clients that have sent anything to this server. */
  heard(): Iterable<string>
  /** How many messages are being processed. */
  taking(): number
  /** Sets whether this server takes the ordered subscriptions, which only one server may have. */
  lead(leads: boolean): void
  /** Whether this server has them now. */
  leads(): boolean
  /** Takes the messages that the broker kept for a stopped server, and ends its session. */
  drain(client_id: string): Promise<void>
  /** Finishes the messages in progress. The broker keeps later messages until this server or another one is back. */
  stop(): Promise<void>
}

type BrokerRules<T extends Topic> = {
  /** How log lines name publishers. */
  readonly called: Called
  /** The publisher and topic of a message; `undefined` if it has no valid source. */
  sourceOf(topic_name: string, payload: Buffer): { name: string; topic: T } | undefined
  /**
   * Called for one message of a name at a time, in the broker's order. The message is acknowledged after this resolves,
   * and tried again if it rejects.
   */
  received(name: string, topic: T, payload: Buffer): Promise<void>
  /** This server is now the leader. */
  leading(): void
  /** Another client leads now. */
  following(): void
  /** Subscriptions are active. Messages sent before may have been lost. */
  listening(): Promise<void> | void
}

type Needs<T extends Topic> = {
  address: BrokerAddress
  /** The client id under which the broker keeps messages for this server. */
  client_id: string
  /** How long the broker keeps them. */
  keep_secs: number
  /** Shared subscriptions: any server may take a message, in any order. */
  shared: readonly string[]
  /** Subscriptions whose order matters. One server has them, under a separate client id. */
  ordered: readonly string[]
  ordered_client_id: string
  log: Log
  rules: BrokerRules<T>
  /** Resolves once the broker lets this server receive its clients' messages. */
  admitted(): Promise<void>
  /** The code of an error that is expected and logged elsewhere; such a message is retried until it succeeds. */
  codeOf(error: unknown): string | undefined
}

const RETRY_MS = 1_000
/** The most tries of a message that fails unexpectedly, so that it cannot block all others. */
const MOST_TRIES = 10

/** The broker must support MQTT 5 and shared subscriptions. */
export function openBrokerClient<T extends Topic>(needs: Needs<T>): BrokerClient {
  const { address, client_id, keep_secs, shared, log, rules, codeOf } = needs
  const inTurn = openTurns()
  const heard = new Map<string, number>()
  const under_way = new Set<Promise<void>>()
  let leading: Link | undefined

  const links = { address, keep_secs, log, take }
  const own = startLink({ ...links, client_id, subscriptions: shared, opened: needs.admitted })

  function take(topic_name: string, payload: Buffer, over: () => boolean): Promise<void> {
    const source = rules.sourceOf(topic_name, payload)
    if (source === undefined) return Promise.resolve()
    const { name, topic } = source
    heard.set(name, Date.now())
    const taken = inTurn(name, () => receive(name, topic, payload, over))
    under_way.add(taken)
    return taken.finally(() => under_way.delete(taken))
  }

  async function receive(name: string, topic: T, payload: Buffer, over: () => boolean): Promise<void> {
    for (let tries = 1; !over(); tries++) {
      try {
        return await rules.received(name, topic, payload)
      } catch (error) {
        const what = { [rules.called.field]: name, topic: topic.pattern, tries }
        const code = codeOf(error)
        if (code === undefined) log.error({ ...what, err: error }, 'a packet could not be processed')
        else log.debug({ ...what, code }, 'a packet could not be processed yet')
        if (code === undefined && tries >= MOST_TRIES) return
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
  }

  function lead(leads: boolean): void {
    if (leads === (leading !== undefined)) return
    const was = leading
    if (leads) rules.leading()
    else rules.following()
    leading = leads
      ? startLink({
          ...links,
          client_id: needs.ordered_client_id,
          subscriptions: needs.ordered,
          opened: () => rules.listening(),
        })
      : undefined
    void was?.stop(keep_secs)
  }

  return {
    async ready(within_ms) {
      await needs.admitted()
      await own.ready(within_ms)
    },
    connected: () => own.connected(),
    send: own.send,
    lastHeard: (name) => heard.get(name),
    heard: () => heard.keys(),
    taking: () => under_way.size,
    lead,
    leads: () => leading?.connected() ?? false,
    drain: (orphan) => drain({ address, client_id: orphan, keep_secs, topics: shared, take }),
    async stop() {
      await Promise.all([leading?.stop(keep_secs), own.stop(keep_secs)])
      leading = undefined
      await Promise.allSettled(under_way)
    },
  }
}
