import { setImmediate as turn } from 'node:timers/promises'
import * as topics from '@sdd/contract/fleet/device-protocol.ts'
import { topicOf, type Topic } from '@sdd/contract/core/topic.ts'
import type { Logger } from 'pino'
import { pass } from '#server/core/points.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Connection, Role } from './connection.ts'
import { Breach } from './frames.ts'
import type { Limits } from './limits.ts'
import {
  PINGRESP,
  puback,
  publish,
  suback,
  unsuback,
  type ClientPacket,
  type Decode,
  type PublishPacket,
} from './packets.ts'
import type { BrokerRules, DeviceConnection } from './rules.ts'
import type { Cause } from './tally.ts'

/** One admitted connection of a device. */
export type Device = {
  readonly who: DeviceConnection
  readonly connection: Connection
  readonly role: Role
  /**
   * Publishes a command; false where it is not subscribed, leaves too many without a PUBACK, or has said no status yet:
   * who took the place of a connection that hung is known as connected before it said so itself.
   */
  command(payload: string | Buffer): boolean
  /** Whether it has said a status. */
  present(): boolean
  /** How many ended connections of its uid are not through yet. */
  predecessors(): number
  /** Resolves when its `gone` settled. */
  readonly finished: Promise<void>
}

type Needs = {
  rules: Pick<BrokerRules, 'received' | 'delay' | 'gone'>
  limits: Limits
  log: Logger
  decode: Decode
  /** Called once, as soon as the connection has ended. */
  ended(device: Device): void
}

type Waiting = { topic: Topic; payload: Buffer; packet_id: number | undefined }

const MAX_PACKET_ID = 0xffff

/** A packet that took longer is followed by a turn of the event loop. */
const REST_AFTER_MS = 2

const UID = ':uid'
const PREFIX = topics.deviceStatus.pattern.slice(0, topics.deviceStatus.pattern.indexOf(UID))

/** What a device may publish to, by what follows its uid. */
const PUBLISHED: ReadonlyMap<string, Topic> = new Map(
  [topics.deviceStatus, topics.deviceNetworks, topics.deviceReports, topics.deviceInbox].map((topic) => [
    topic.pattern.slice(PREFIX.length + UID.length),
    topic,
  ]),
)

/** After these, what waits is not taken: the device keeps it (no PUBACK) and sends it again, or has lost its right. */
const DROPS_WAITING: ReadonlySet<Cause> = new Set<Cause>(['failed', 'cut', 'stopped'])

/**
 * What a device may send, and what becomes of it. Its packets, its will and its `gone` go through one after the other,
 * behind those of `predecessor`, the connection of the same uid that came before and is not through yet. A predecessor
 * never waits for a successor, so neither can block the other.
 */
export function openDevice(
  { rules, limits, log, decode, ended }: Needs,
  connection: Connection,
  who: DeviceConnection,
  last_will: Buffer | undefined,
  predecessor: Device | undefined,
): Device {
  const commands = topicOf(topics.deviceCommands, { uid: who.uid })
  const waiting: Waiting[] = []
  /** Packets of one topic that have come faster than they may; the first is asked about again after `release`. */
  const held: Waiting[] = []
  let released: Waiting | undefined
  let release: NodeJS.Timeout | undefined
  const unacknowledged = new Set<number>()
  const finished = Promise.withResolvers<void>()
  let will = last_will
  let before = predecessor
  let waiting_bytes = 0
  let working = false
  let granted: 0 | 1 | undefined
  let said_status = false
  let last_packet_id = 0

  function frame(bytes: Buffer): void {
    const packet = decode(bytes)
    switch (packet.cmd) {
      case 'publish':
        return take(packet)
      case 'puback':
        unacknowledged.delete(packet.messageId)
        return pass('acknowledged')
      case 'pingreq':
        return connection.send(PINGRESP)
      case 'subscribe':
        return subscribe(packet)
      case 'unsubscribe':
        return unsubscribe(packet)
      case 'disconnect':
        will = undefined
        return connection.end('disconnect')
      case 'connect':
        throw new Breach('a second CONNECT')
    }
  }

  function take(packet: PublishPacket): void {
    const topic = publishedTopic(who.uid, packet.topic)
    if (!topic) throw new Breach('a PUBLISH to a topic that is not its own')
    if (packet.payload.length > topics.MAX_PAYLOAD_BYTES) throw new Breach('a payload that is too large')
    if (topic === topics.deviceStatus) said_status = true
    waiting.push({ topic, payload: packet.payload, packet_id: packet.messageId })
    waiting_bytes += packet.payload.length
    if (waiting.length + held.length >= limits.waiting_packets || waiting_bytes >= limits.waiting_bytes)
      connection.pause()
    work()
  }

  function subscribe({ messageId, subscriptions }: ClientPacket & { cmd: 'subscribe' }): void {
    if (subscriptions.some(({ topic }) => topic !== commands))
      throw new Breach('a SUBSCRIBE to what is not its own')
    const qos = subscriptions.map((subscription) => (subscription.qos > 0 ? 1 : 0))
    granted = qos.at(-1)
    connection.send(suback(messageId, qos))
  }

  function unsubscribe({ messageId, unsubscriptions }: ClientPacket & { cmd: 'unsubscribe' }): void {
    if (unsubscriptions.some((topic) => topic !== commands))
      throw new Breach('an UNSUBSCRIBE from what is not its own')
    granted = undefined
    connection.send(unsuback(messageId))
  }

  function command(payload: string | Buffer): boolean {
    if (granted === undefined || !said_status) return false
    if (unacknowledged.size >= limits.unacknowledged_commands) return false
    connection.send(publish(commands, payload, granted === 1 ? nextPacketId() : undefined))
    pass('commanded')
    return true
  }

  function nextPacketId(): number {
    do last_packet_id = (last_packet_id % MAX_PACKET_ID) + 1
    while (unacknowledged.has(last_packet_id))
    unacknowledged.add(last_packet_id)
    return last_packet_id
  }

  function work(): void {
    if (working) return
    working = true
    void workThrough()
  }

  async function workThrough(): Promise<void> {
    if (before) {
      await before.finished
      before = undefined
    }
    for (let packet = waiting.shift(); packet; packet = waiting.shift()) {
      const began = performance.now()
      await deliver(packet)
      // What is refused is refused at once: without a rest, one device could keep everybody else from their turn.
      if (performance.now() - began > REST_AFTER_MS) await turn()
    }
    if (connection.ended()) await depart()
    else working = false
  }

  /** Whether the packet is to be taken now; else it is among those that are held. */
  async function mayPass(packet: Waiting): Promise<boolean> {
    if (packet !== released && held[0]?.topic === packet.topic) {
      held.push(packet)
      return false
    }
    released = undefined
    const delay_ms = (await rules.delay?.(who, packet.topic)) ?? 0
    if (delay_ms > 0) {
      held.unshift(packet)
      holdFor(delay_ms)
    } else if (held[0]?.topic === packet.topic) holdFor(0)
    return delay_ms === 0
  }

  function holdFor(delay_ms: number): void {
    // Nobody hears of a PUBACK any more: the device sends them again.
    if (connection.ended()) return drop()
    release = setTimeout(() => {
      released = held.shift()
      if (released) waiting.unshift(released)
      work()
    }, delay_ms)
  }

  function drop(): void {
    clearTimeout(release)
    held.length = 0
  }

  async function deliver(packet: Waiting): Promise<void> {
    const { topic, payload, packet_id } = packet
    try {
      if (!(await mayPass(packet))) return
      await rules.received(who, topic, payload)
    } catch (error) {
      const from = { uid: who.uid, topic: topic.pattern }
      // A refusal is about the disk, and has been said; a full one shall not be filled with lines about it.
      if (error instanceof Refusal) log.debug({ ...from, code: error.code }, 'a packet could not be taken')
      else log.error({ err: error, ...from }, 'a packet could not be taken')
      return connection.end('failed') // gently: earlier messages have their PUBACK on the way
    }
    if (packet_id !== undefined) connection.send(puback(packet_id))
    waiting_bytes -= payload.length
    if (
      waiting.length + held.length <= limits.waiting_packets / 2 &&
      waiting_bytes <= limits.waiting_bytes / 2
    )
      connection.resume()
  }

  async function depart(): Promise<void> {
    try {
      if (will) await rules.received(who, topics.deviceStatus, will)
    } catch (error) {
      if (error instanceof Refusal) log.debug({ uid: who.uid, code: error.code }, 'a will could not be taken')
      else log.error({ err: error, uid: who.uid }, 'a will could not be taken')
    }
    try {
      await rules.gone(who)
    } catch (error) {
      log.error({ err: error, uid: who.uid }, 'the end of a connection could not be taken')
    }
    finished.resolve()
  }

  const device: Device = {
    who,
    connection,
    command,
    present: () => said_status,
    finished: finished.promise,
    predecessors: () => (before ? before.predecessors() + 1 : 0),
    role: {
      frame,
      ended(cause) {
        if (DROPS_WAITING.has(cause)) waiting.length = 0
        drop()
        ended(device)
        work()
      },
    },
  }
  if (before) work() // so that it lets go of the predecessor even if it never sends anything
  return device
}

/** The topic that the device publishes to, `undefined` for any that is not its own. */
export function publishedTopic(uid: string, name: string): Topic | undefined {
  if (!name.startsWith(PREFIX) || !name.startsWith(uid, PREFIX.length)) return undefined
  return PUBLISHED.get(name.slice(PREFIX.length + uid.length))
}
