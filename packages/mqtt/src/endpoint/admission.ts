import { ProtocolError } from '#mqtt/codec/bytes.ts'
import { type Connect, isForeignConnect, readClientPacket } from '#mqtt/codec/from-client.ts'
import { connack } from '#mqtt/codec/from-server.ts'
import { openFairQueue } from '#mqtt/fair-queue.ts'
import type { Log } from '#mqtt/log.ts'
import type { Connection, Role } from './connection.ts'
import type { Limits } from './limits.ts'
import type { Listeners } from './listeners.ts'
import type { Publishers } from './publishers.ts'
import type { ListenerRequest, ListenerRules, PublisherRequest, PublisherRules, Topic } from './rules.ts'
import type { Denial, Tally } from './tally.ts'

/** Handles a new connection until its CONNACK. */
type Admission = {
  /**
   * Makes room for another pending connection from this address, if necessary by ending an older one. False if that is
   * impossible.
   */
  makeRoom(address: string): boolean
  /** The role of a connection that has not been admitted. */
  role(connection: Connection): Role
  /** Its transport is closed. A refused connection stays counted until then, because it holds a socket. */
  leave(connection: Connection): void
  /** Refuses clients with this name or key whose CONNECT is being checked: the rules may have answered too early. */
  revoke(key: unknown): void
  /** Refuses every publisher whose CONNECT is being checked. */
  revokePublishers(): void
  count(): number
  /** Resolves when every pending check has its answer. */
  settled(): Promise<void>
}

/** Reads what a CONNECT asks for, or says why it is refused. */
export type ReadRequest<P, L, T extends Topic> = (
  connect: Connect,
  websocket: boolean,
) => PublisherRequest<P, T> | ListenerRequest<L> | Denial

type Needs<P, L, T extends Topic> = {
  read: ReadRequest<P, L, T>
  rules: {
    publishers: Pick<PublisherRules<P, T>, 'called'>
    listeners: Pick<ListenerRules<L>, 'called' | 'keyOf'>
  }
  limits: Limits
  log: Log
  tally: Tally
  codeOf(error: unknown): string | undefined
  /** The group of addresses that share a limit. */
  networkOf(address: string): string
  publishers: Publishers<P, T>
  listeners: Listeners<L>
}

/** The names and keys revoked since the rules were asked, or every publisher. */
type Revoked = Set<unknown>
const EVERY_PUBLISHER = Symbol('every publisher')

/** The codes of a CONNACK (MQTT 3.1.1, 3.2.2.3). */
const ACCEPTED = 0
const CODES = { protocol: 1, session: 2, unavailable: 3, credentials: 4, forbidden: 5 } as const

export function openAdmission<P, L, T extends Topic>(needs: Needs<P, L, T>): Admission {
  const { rules, limits, log, tally, codeOf, networkOf, publishers, listeners } = needs
  const waiting = new Set<Connection>()
  const waiting_by_network = new Map<string, number>()
  /**
   * The pending connections that may be ended to make room: silent, or refused and not closed. The oldest comes first.
   */
  const yielding = new Set<Connection>()
  const asking = openFairQueue({
    per_turn: limits.asked_at_once,
    per_turn_ms: Infinity,
    at_once: limits.asked_at_once,
    eager: true,
  })
  /** Each pending check, with the promise of its answer. */
  const questions = new Map<Revoked, Promise<void>>()

  function makeRoom(address: string): boolean {
    const network = networkOf(address)
    const crowded_here = (waiting_by_network.get(network) ?? 0) >= limits.pending_per_address
    if (!crowded_here && waiting.size < limits.pending) return true
    for (const connection of yielding) {
      if (crowded_here && networkOf(connection.address) !== network) continue
      leave(connection)
      connection.cut('crowded')
      return true
    }
    return false
  }

  function enter(connection: Connection): void {
    waiting.add(connection)
    yielding.add(connection)
    const network = networkOf(connection.address)
    waiting_by_network.set(network, (waiting_by_network.get(network) ?? 0) + 1)
  }

  function leave(connection: Connection): void {
    if (!waiting.delete(connection)) return
    yielding.delete(connection)
    const network = networkOf(connection.address)
    const others = waiting_by_network.get(network)! - 1
    if (others > 0) waiting_by_network.set(network, others)
    else waiting_by_network.delete(network)
  }

  function role(connection: Connection): Role {
    enter(connection)
    return { frame: (frame) => read(connection, frame), ended: () => {} }
  }

  function read(connection: Connection, frame: Uint8Array): void {
    if (isForeignConnect(frame)) return deny(connection, 'protocol')
    const packet = readClientPacket(frame)
    if (packet.type !== 'connect') throw new ProtocolError('a packet before CONNECT')
    const request = needs.read(packet, connection.websocket)
    if (typeof request === 'string') return deny(connection, request)
    connection.pause()
    yielding.delete(connection)
    const revoked: Revoked = new Set()
    const answered = new Promise<void>((resolve) => {
      const urgent = request.as === 'listener'
      asking(() => answer(connection, request, revoked).finally(resolve), urgent)
    })
    questions.set(
      revoked,
      answered.finally(() => questions.delete(revoked)),
    )
  }

  async function answer(
    connection: Connection,
    request: PublisherRequest<P, T> | ListenerRequest<L>,
    revoked: Revoked,
  ): Promise<void> {
    if (connection.ended()) return
    try {
      const denial = await (request.as === 'publisher'
        ? admitPublisher(connection, request, revoked)
        : admitListener(connection, request, revoked))
      if (denial) deny(connection, denial)
    } catch (error) {
      const { address } = connection
      const code = codeOf(error)
      if (code === undefined) log.error({ err: error, address }, 'a CONNECT could not be checked')
      else log.debug({ address, code }, 'a CONNECT could not be checked')
      deny(connection, 'unavailable')
    }
    connection.resume()
  }

  async function admitPublisher(
    connection: Connection,
    request: PublisherRequest<P, T>,
    revoked: Revoked,
  ): Promise<Denial | undefined> {
    const { name } = request
    const who = await request.admit()
    if (connection.ended()) return undefined
    if (!who || revoked.has(name)) return 'credentials'
    if (revoked.has(EVERY_PUBLISHER)) return 'unavailable'
    if (!publishers.hasRoom(name)) return 'unavailable'
    leave(connection)
    connection.send(connack(ACCEPTED))
    publishers.admit(connection, request, who)
    const { kind, field } = rules.publishers.called
    log.debug({ connection_id: connection.id, [field]: name }, `${kind} admitted`)
    return undefined
  }

  async function admitListener(
    connection: Connection,
    request: ListenerRequest<L>,
    revoked: Revoked,
  ): Promise<Denial | undefined> {
    const who = await request.admit()
    if (connection.ended()) return undefined
    if (!who) return 'credentials'
    const key = rules.listeners.keyOf(who)
    if (revoked.has(key)) return 'credentials'
    if (!listeners.hasRoom(who)) return 'unavailable'
    leave(connection)
    connection.send(connack(ACCEPTED))
    listeners.admit(connection, request.silence_ms, who)
    const { kind, field } = rules.listeners.called
    log.debug({ connection_id: connection.id, [field]: key }, `${kind} admitted`)
    return undefined
  }

  function deny(connection: Connection, denial: Denial): void {
    tally.refused[denial]++
    connection.send(connack(CODES[denial]))
    connection.end('refused')
    if (waiting.has(connection)) yielding.add(connection)
  }

  return {
    makeRoom,
    role,
    leave,
    revoke(key) {
      for (const revoked of questions.keys()) revoked.add(key)
    },
    revokePublishers() {
      for (const revoked of questions.keys()) revoked.add(EVERY_PUBLISHER)
    },
    count: () => waiting.size,
    async settled() {
      await Promise.all(questions.values())
    },
  }
}
