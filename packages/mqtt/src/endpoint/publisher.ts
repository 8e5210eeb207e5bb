import { ProtocolError } from '#mqtt/codec/bytes.ts'
import { type ClientPacket, readClientPacket } from '#mqtt/codec/from-client.ts'
import { pingresp, suback, unsuback } from '#mqtt/codec/from-server.ts'
import { puback, publish, type Publish } from '#mqtt/codec/publish.ts'
import type { FairQueue } from '#mqtt/fair-queue.ts'
import type { Log } from '#mqtt/log.ts'
import type { Connection, Role } from './connection.ts'
import type { Limits } from './limits.ts'
import type { Connected, PublisherRequest, PublisherRules, Topic } from './rules.ts'
import type { Cause } from './tally.ts'

/** One admitted connection of a publisher. */
export type Publisher<Who> = {
  readonly name: string
  readonly who: Connected<Who>
  readonly connection: Connection
  readonly role: Role
  /**
   * Publishes to its subscription. False if it is not subscribed, has too many messages without a PUBACK, or has not
   * announced itself. A new connection may replace a hung one under a name already known as connected, so it must
   * announce itself again.
   */
  send(payload: string | Uint8Array): boolean
  /** Whether it has announced itself. */
  present(): boolean
  /** How many ended connections of its name are still being processed. */
  predecessors(): number
  /** Resolves when its `gone` has settled. */
  readonly finished: Promise<void>
}

export type PublisherNeeds<Who, T extends Topic> = {
  rules: PublisherRules<Who, T>
  limits: Limits
  log: Log
  /** The code of an error that is expected and logged elsewhere. */
  codeOf(error: unknown): string | undefined
  /** Where a publisher waits after a slow packet. */
  reading: FairQueue
  /** Called once, as soon as the connection has ended. */
  ended(publisher: Publisher<Who>): void
}

type Client<Who, T extends Topic> = Pick<PublisherRequest<Who, T>, 'name' | 'will'> & { who: Connected<Who> }

type Waiting<T> = { topic: T; payload: Uint8Array; packet_id: number | undefined }

const MAX_PACKET_ID = 0xffff

/** After a slower packet, other publishers get a turn. */
const LONG_MS = 2

/**
 * After these, waiting packets are dropped: the publisher got no PUBACK and sends them again, or its access was
 * revoked.
 */
const DROPS_WAITING: ReadonlySet<Cause> = new Set<Cause>(['failed', 'cut', 'stopped'])

/**
 * The packets that a publisher may send, and how they are processed. Its packets, its will and its `gone` are processed
 * one at a time. They wait for `predecessor`, an earlier connection of the same name with unfinished packets. A
 * predecessor never waits for a successor, so neither can block the other.
 */
export function openPublisher<Who, T extends Topic>(
  { rules, limits, log, codeOf, reading, ended }: PublisherNeeds<Who, T>,
  connection: Connection,
  { name, who, will: last_will }: Client<Who, T>,
  predecessor: Publisher<Who> | undefined,
): Publisher<Who> {
  const subscription = rules.subscriptionOf(name)
  const waiting: Waiting<T>[] = []
  /** Throttled packets of one topic. After `release`, the rules are asked again for the first one. */
  const held: Waiting<T>[] = []
  let released: Waiting<T> | undefined
  let release: NodeJS.Timeout | undefined
  const unacknowledged = new Set<number>()
  const finished = Promise.withResolvers<void>()
  let will = last_will
  let before = predecessor
  let waiting_bytes = 0
  let held_bytes = 0
  let working = false
  let granted: 0 | 1 | undefined
  let announced = false
  let last_packet_id = 0

  function frame(bytes: Uint8Array): void {
    const packet = readClientPacket(bytes)
    switch (packet.type) {
      case 'publish':
        return take(packet)
      case 'puback':
        unacknowledged.delete(packet.packet_id)
        return rules.acknowledged?.()
      case 'pingreq':
        return connection.send(pingresp())
      case 'subscribe':
        return subscribe(packet)
      case 'unsubscribe':
        return unsubscribe(packet)
      case 'disconnect':
        will = undefined
        return connection.end('disconnect')
      case 'connect':
        throw new ProtocolError('a second CONNECT')
    }
  }

  function take({ topic: topic_name, payload, packet_id }: Publish): void {
    const topic = rules.topicOf(name, topic_name)
    if (!topic) throw new ProtocolError('a PUBLISH to a topic that is not its own')
    if (payload.length > limits.payload_bytes) throw new ProtocolError('a payload that is too large')
    if (rules.announces(topic)) announced = true
    waiting.push({ topic, payload, packet_id })
    waiting_bytes += payload.length
    if (isFull(1)) connection.pause()
    work()
  }

  function subscribe({ packet_id, filters }: ClientPacket & { type: 'subscribe' }): void {
    if (filters.some(({ topic }) => topic !== subscription))
      throw new ProtocolError('a SUBSCRIBE to what is not its own')
    const qos = filters.map((filter) => (filter.qos > 0 ? 1 : 0))
    granted = qos.at(-1)
    connection.send(suback(packet_id, qos))
  }

  function unsubscribe({ packet_id, topics }: ClientPacket & { type: 'unsubscribe' }): void {
    if (topics.some((topic) => topic !== subscription))
      throw new ProtocolError('an UNSUBSCRIBE from what is not its own')
    granted = undefined
    connection.send(unsuback(packet_id))
  }

  function send(payload: string | Uint8Array): boolean {
    if (granted === undefined || !announced) return false
    if (unacknowledged.size >= limits.unacknowledged) return false
    connection.send(publish(subscription, payload, granted === 1 ? nextPacketId() : undefined))
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
      // A refused packet fails quickly; without this pause, one publisher could keep all others waiting.
      if (performance.now() - began > LONG_MS) await new Promise<void>((resolve) => reading(resolve))
    }
    if (connection.ended()) await depart()
    else working = false
  }

  /** Whether the packet may be processed now; otherwise it is among the held ones. */
  async function mayPass(packet: Waiting<T>): Promise<boolean> {
    if (packet !== released && held[0]?.topic === packet.topic) {
      held.push(packet)
      countHeld(packet, 1)
      return false
    }
    released = undefined
    const delay_ms = (await rules.delay?.(who, packet.topic)) ?? 0
    if (delay_ms > 0) {
      held.unshift(packet)
      countHeld(packet, 1)
      holdFor(delay_ms)
    } else if (held[0]?.topic === packet.topic) holdFor(0)
    return delay_ms === 0
  }

  function holdFor(delay_ms: number): void {
    // A PUBACK can no longer reach the publisher, so it sends them again.
    if (connection.ended()) return drop()
    release = setTimeout(() => {
      released = held.shift()
      if (released) {
        waiting.unshift(released)
        countHeld(released, -1)
      }
      work()
    }, delay_ms)
  }

  function countHeld({ payload }: Waiting<T>, sign: 1 | -1): void {
    waiting_bytes -= sign * payload.length
    held_bytes += sign * payload.length
  }

  function drop(): void {
    clearTimeout(release)
    held.length = held_bytes = 0
  }

  async function deliver(packet: Waiting<T>): Promise<void> {
    const { topic, payload, packet_id } = packet
    try {
      if (!(await mayPass(packet))) return resume()
      await rules.received(who, topic, payload)
    } catch (error) {
      report(error, { topic: topic.pattern }, 'a packet could not be processed')
      return connection.end('failed') // gently: earlier packets have their PUBACK on the way
    }
    if (packet_id !== undefined) connection.send(puback(packet_id))
    waiting_bytes -= payload.length
    resume()
  }

  function resume(): void {
    if (!isFull(0.5)) connection.resume()
  }

  /** Whether the waiting packets take this part of their room, or the held ones all of theirs. */
  function isFull(part: number): boolean {
    return (
      waiting.length >= limits.waiting_packets * part ||
      waiting_bytes >= limits.waiting_bytes * part ||
      held.length >= limits.held_packets ||
      held_bytes >= limits.waiting_bytes
    )
  }

  const logged = () => ({ [rules.called.field]: name })

  /** An expected error may occur with every packet and is logged elsewhere; it must not fill the log. */
  function report(error: unknown, more: object, message: string): void {
    const code = codeOf(error)
    if (code === undefined) log.error({ err: error, ...logged(), ...more }, message)
    else log.debug({ ...logged(), ...more, code }, message)
  }

  async function depart(): Promise<void> {
    try {
      if (will) await rules.received(who, will.topic, will.payload)
    } catch (error) {
      report(error, {}, 'a will could not be processed')
    }
    try {
      await rules.gone(who)
    } catch (error) {
      log.error({ err: error, ...logged() }, 'the end of a connection could not be processed')
    }
    finished.resolve()
  }

  const publisher: Publisher<Who> = {
    name,
    who,
    connection,
    send,
    present: () => announced,
    finished: finished.promise,
    predecessors: () => (before ? before.predecessors() + 1 : 0),
    role: {
      frame,
      ended(cause) {
        if (DROPS_WAITING.has(cause)) waiting.length = 0
        drop()
        ended(publisher)
        work()
      },
    },
  }
  if (before) work() // so that the predecessor is released even if this connection never sends anything
  return publisher
}
