import type { Called, Topic } from '#mqtt/endpoint/rules.ts'
import { openTurns } from '#mqtt/fair-queue.ts'
import type { Log } from '#mqtt/log.ts'
import type { BrokerAddress } from './address.ts'
import { drain } from './drain.ts'
import { type Link, startLink } from './link.ts'

/** An external broker at which this server meets its clients, with other servers or without. */
export type BrokerClient = {
  /** Resolves once clients can be reached; rejects with a reason if they cannot within this time, and goes on trying. */
  ready(within_ms: number): Promise<void>
  connected(): boolean
  /** Publishes with QoS 1. False while the broker cannot be reached, or has too much to do. */
  send(topic_name: string, payload: string): boolean
  /** When anything last came from this client to this server, in ms since 1970. */
  lastHeard(name: string): number | undefined
  /** The clients from which anything came to this server. */
  heard(): Iterable<string>
  /** Messages that came and are not taken. */
  taking(): number
  /** Whether this server takes the messages that one server takes alone. */
  lead(leads: boolean): void
  /** Whether it does so now. */
  leads(): boolean
  /** Takes what the broker has kept for a server that is gone, and ends its session. */
  drain(client_id: string): Promise<void>
  /** Messages under way are taken; the broker keeps what comes until we, or other servers, are back. */
  stop(): Promise<void>
}

export type BrokerRules<T extends Topic> = {
  /** How log lines call those that publish. */
  readonly called: Called
  /** Who published, and what; `undefined` for a message that is nobody's. */
  sourceOf(topic_name: string, payload: Buffer): { name: string; topic: T } | undefined
  /**
   * Those of one name come one at a time, in the order in which the broker gave them. A message is acknowledged after this
   * resolves, and tried again if it rejects.
   */
  received(name: string, topic: T, payload: Buffer): Promise<void>
  /** This server leads from now on. */
  leading(): void
  /** It listens now; messages from before may have been lost. */
  listening(): Promise<void> | void
}

type Needs<T extends Topic> = {
  address: BrokerAddress
  /** By this name the broker keeps messages for us. */
  client_id: string
  /** How long it keeps them. */
  keep_secs: number
  /** Shared subscriptions: whichever server has time takes a message, in any order. */
  shared: readonly string[]
  /** Subscriptions whose order counts: one server has them, under a client id of their own. */
  ordered: readonly string[]
  ordered_client_id: string
  log: Log
  rules: BrokerRules<T>
  /** Resolves once the broker lets us hear what clients say. */
  admitted(): Promise<void>
  /** The code of an error that is known and logged elsewhere: the message is tried until it is taken. */
  codeOf(error: unknown): string | undefined
}

const RETRY_MS = 1_000
/** Tries of a message with which something is wrong: it must not keep all others from their turn. */
const MOST_TRIES = 10

/** The broker has to speak MQTT 5 and know shared subscriptions. */
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
        if (code === undefined) log.error({ ...what, err: error }, 'a packet could not be taken')
        else log.debug({ ...what, code }, 'a packet could not be taken yet')
        if (code === undefined && tries >= MOST_TRIES) return
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
  }

  function lead(leads: boolean): void {
    if (leads === (leading !== undefined)) return
    const was = leading
    if (leads) rules.leading()
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
