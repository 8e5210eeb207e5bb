import * as contract from '@sdd/contract/fleet/device-protocol.ts'
import { topicOf, type Topic } from '@sdd/contract/core/topic.ts'
import type { Logger } from 'pino'
import { publishedTopic } from '#server/core/broker/device.ts'
import { Refusal } from '#server/core/refusal.ts'
import { openTurns } from '#server/core/turns.ts'
import { acksFor } from './acks.ts'
import { type BrokerAddress } from '#server/core/broker-address.ts'
import type { Admissions } from './admissions.ts'
import { drain } from './drain.ts'
import { type Link, startLink } from './link.ts'

/** The broker of others at which devices meet us. */
export type ExternalBroker = {
  /** Resolves once devices can be reached; rejects with a reason where they cannot within so long, and goes on trying. */
  ready(within_ms: number): Promise<void>
  connected(): boolean
  /** Publishes a command. False while the broker cannot be reached, or has too much to do. */
  toDevice(uid: string, command: contract.Command): boolean
  /** When anything last came from it to this server, in ms since 1970. */
  lastSeen(uid: string): number | undefined
  /** The devices that have said anything to this server. */
  seen(): Iterable<string>
  /** Packets that came and are not committed. */
  taking(): number
  /** Whether it is this server that hears which devices come and go: of all that meet here it is one. */
  lead(leads: boolean): void
  /** Whether it hears so now. */
  leads(): boolean
  /** Takes what the broker has kept for a server that is no more, and ends its session. */
  drain(client_id: string): Promise<void>
  /** What is under way is through; the broker keeps what comes until we, or others, are back. */
  stop(): Promise<void>
}

/** What the product decides. */
export type ExternalRules = {
  /**
   * What a device published. Those of one device come one at a time, in the order in which the broker gave them. It is
   * acknowledged after this resolves, and tried again where it rejects. False where it is not taken: the broker may forget
   * it, and the device, which hears of no `ack`, publishes it again.
   */
  received(uid: string, topic: Topic, payload: Buffer): Promise<boolean>
  /** This server is the one that hears from now on which devices come and go. */
  leading(): void
  /** It listens now; what happened before may have been lost. */
  listening(): Promise<void> | void
}

/** What comes while no server is there waits for so long. */
export const KEEP_SECS = 86_400
const GROUP = '$share/sms-drone-dash/'
const PRESENCE_CLIENT = 'sms-drone-dash-presence'
/** Reports and received SMS repeat, and in any order: whichever server has time takes them. */
export const SHARED = [contract.deviceReports, contract.deviceInbox].map(
  (topic) => GROUP + everyDevice(topic),
)
/** Who is there is true in one order only: one server hears it, and the snapshots that prove that a device is there. */
const ORDERED = [contract.deviceStatus, contract.deviceNetworks].map(everyDevice)

const RETRY_MS = 1_000
/** Tries of a packet with which there is something wrong: it shall not keep all others from their turn. */
const MOST_TRIES = 10

/** Devices meet at a broker of others, which speaks MQTT 5 and knows shared subscriptions. */
export function openExternal(needs: {
  address: BrokerAddress
  /** By this name the broker keeps what comes for us. */
  client_id: string
  log: Logger
  rules: ExternalRules
  admissions: Admissions
}): ExternalBroker {
  const { address, client_id, log, rules, admissions } = needs
  const inTurn = openTurns()
  const heard = new Map<string, number>()
  const under_way = new Set<Promise<void>>()
  let presence: Link | undefined

  const links = { address, keep_secs: KEEP_SECS, log, take }
  const own = startLink({
    ...links,
    client_id,
    subscriptions: SHARED,
    // Not before the broker lets us hear what devices say.
    opened: () => admissions.ready(),
  })

  function take(name: string, payload: Buffer, over: () => boolean): Promise<void> {
    const uid = name.split('/')[1] ?? ''
    const topic = publishedTopic(uid, name)
    if (topic === undefined || payload.length > contract.MAX_PAYLOAD_BYTES) return Promise.resolve()
    heard.set(uid, Date.now())
    const taken = inTurn(uid, () => commit(uid, topic, payload, over))
    under_way.add(taken)
    return taken.finally(() => under_way.delete(taken))
  }

  async function commit(uid: string, topic: Topic, payload: Buffer, over: () => boolean): Promise<void> {
    for (let tries = 1; !over(); tries++) {
      try {
        if (!(await rules.received(uid, topic, payload))) return
        for (const ack of acksFor(topic, payload)) toDevice(uid, ack)
        return
      } catch (error) {
        const what = { uid, topic: topic.pattern, tries }
        // A refusal is about the database, and has been said.
        if (error instanceof Refusal)
          log.debug({ ...what, code: error.code }, 'a packet could not be taken yet')
        else log.error({ ...what, err: error }, 'a packet could not be taken')
        if (!(error instanceof Refusal) && tries >= MOST_TRIES) return
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
  }

  function toDevice(uid: string, command: contract.Command): boolean {
    return own.send(topicOf(contract.deviceCommands, { uid }), JSON.stringify(command))
  }

  function lead(leads: boolean): void {
    if (leads === (presence !== undefined)) return
    const was = presence
    if (leads) rules.leading()
    presence = leads
      ? startLink({
          ...links,
          client_id: PRESENCE_CLIENT,
          subscriptions: ORDERED,
          opened: () => rules.listening(),
        })
      : undefined
    void was?.stop(KEEP_SECS)
  }

  return {
    async ready(within_ms) {
      await admissions.ready()
      await own.ready(within_ms)
    },
    connected: () => own.connected(),
    toDevice,
    lastSeen: (uid) => heard.get(uid),
    seen: () => heard.keys(),
    taking: () => under_way.size,
    lead,
    leads: () => presence?.connected() ?? false,
    drain: (orphan) => drain({ address, client_id: orphan, keep_secs: KEEP_SECS, topics: SHARED, take }),
    async stop() {
      await Promise.all([presence?.stop(KEEP_SECS), own.stop(KEEP_SECS)])
      presence = undefined
      await Promise.allSettled(under_way)
      await admissions.stop()
    },
  }
}

function everyDevice({ pattern }: Topic): string {
  return pattern.replace(':uid', '+')
}
