import type { Server } from 'node:http'
import { ProtocolError } from '#mqtt/codec/bytes.ts'
import { openFairQueue } from '#mqtt/fair-queue.ts'
import { type Log, openThrottledLog } from '#mqtt/log.ts'
import { type Addresses, PLAIN_ADDRESSES } from './addresses.ts'
import { openAdmission, type ReadRequest } from './admission.ts'
import { openConnection, type Connection, type Queues } from './connection.ts'
import { LIMITS, type Limits } from './limits.ts'
import { listen, type Door, type ListenOptions, type Listener } from './listen.ts'
import { openListeners } from './listeners.ts'
import { openPublishers } from './publishers.ts'
import type { Connected, ListenerRules, PublisherRules, Topic } from './rules.ts'
import { newTally, type Cause, type Tally } from './tally.ts'
import { attachWebSockets, type HeaderLines } from './upgrade.ts'

export type Endpoint<P, L> = {
  /** Serves MQTT over TCP, or over TLS if a certificate is given. Rejects if the port is not available. */
  listen(options: ListenOptions): Promise<{ port: number }>
  /** Serves MQTT over WebSocket at /mqtt of this server. */
  attach(server: Server): void
  readonly publishers: {
    /**
     * Publishes to the current connection of this name. False if it has none, is not subscribed, has not announced
     * itself, or has too many messages without a PUBACK. Nothing is kept for later.
     */
    send(name: string, payload: string | Uint8Array): boolean
    /** When the last packet of its current connection came, in ms since 1970. */
    lastHeard(name: string): number | undefined
    /**
     * Revokes access: cuts the connection of this name, and refuses one that is being admitted. With `which`, cuts only
     * an admitted connection for which it returns true.
     */
    disconnect(name: string, which?: (who: Connected<P>) => boolean): void
    /** Cuts every publisher, and refuses those being admitted. */
    disconnectAll(): void
    /** The publishers that have announced themselves. */
    present(): Iterable<Connected<P>>
  }
  readonly listeners: {
    /** Sends to every listener that is subscribed to exactly this topic and passes `may`. */
    send(topic: string, payload: string, may: (who: Connected<L>) => boolean): void
    open(): Iterable<Connected<L>>
    /** Revokes access: cuts the connections of this key, and refuses those being admitted. */
    disconnect(key: unknown): void
  }
  counts(): { publishers: number; listeners: number; pending: number }
  readonly tally: Tally
  /**
   * Refuses new connections and ends all open ones. Resolves when every `received`, will and `gone` has settled and the
   * ports are free.
   */
  stop(): Promise<void>
}

type Needs<P, L, T extends Topic> = {
  log: Log
  read: ReadRequest<P, L, T>
  rules: { publishers: PublisherRules<P, T>; listeners: ListenerRules<L> }
  /** The code of an error that is expected and logged elsewhere; `undefined` for any other. */
  codeOf?: (error: unknown) => string | undefined
  addresses?: Addresses
  /** Extra header lines for a refused upgrade. */
  headerLines?: HeaderLines
  limits?: Partial<Limits>
}

/** How long received bytes are read in one turn of the event loop. */
const READ_MS = 5

/** Ends caused by a limit, which are worth a log line; the others are routine. */
const WORTH_SAYING: ReadonlySet<Cause> = new Set<Cause>(['no_connect', 'slow', 'crowded'])
const QUIET = { level: 'debug', unsaid: undefined } as const

/**
 * An MQTT 3.1.1 endpoint over TCP, TLS and WebSocket for two kinds of clients: publishers, whose packets are
 * acknowledged after they are processed, and listeners. The protocol is fixed here. The rules decide which
 * clients are admitted and what a packet means.
 */
export function openEndpoint<P, L, T extends Topic>(needs: Needs<P, L, T>): Endpoint<P, L> {
  const { log, rules, codeOf = () => undefined, addresses = PLAIN_ADDRESSES, headerLines = () => '' } = needs
  const limits: Limits = { ...LIMITS, ...needs.limits }
  const tally = newTally()
  const queues: Queues = {
    opening: openFairQueue({ per_turn: limits.asked_at_once }),
    reading: openFairQueue({ per_turn_ms: READ_MS, eager: true }),
    closing: openFairQueue(),
  }
  const publishers = openPublishers({ rules: rules.publishers, limits, log, codeOf, reading: queues.reading })
  const listeners = openListeners(rules.listeners, limits.listeners)
  const admission = openAdmission({
    read: needs.read,
    rules,
    limits,
    log,
    tally,
    codeOf,
    networkOf: addresses.networkOf,
    publishers,
    listeners,
  })
  const connections = new Set<Connection>()
  const throttledLog = openThrottledLog()
  const ports: Listener[] = []
  const detachments: (() => void)[] = []
  let stopping = false

  const door: Door = {
    turnsAway(address) {
      if (!stopping && admission.makeRoom(address)) return false
      tally.refused.crowded++
      const { level, unsaid } = throttledLog('crowded')
      log[level]({ address, unsaid }, 'a connection was refused: too many are waiting to be admitted')
      return true
    },
    refused: () => void tally.refused.upgrade++,
    accept(wire) {
      connections.add(openConnection(wire, limits, admission.role, { closed, slowed }, queues))
    },
  }

  function slowed({ id: connection_id, address }: Connection): void {
    tally.slowed++
    const { level, unsaid } = throttledLog('slowed')
    log[level]({ connection_id, address, unsaid }, 'a connection exceeds its rate and is slowed down')
  }

  function closed(connection: Connection, cause: Cause, error: unknown): void {
    connections.delete(connection)
    admission.leave(connection)
    tally.ended[cause]++
    const { id: connection_id, address } = connection
    if (error === undefined) {
      const { level, unsaid } = WORTH_SAYING.has(cause) ? throttledLog(cause) : QUIET
      log[level]({ connection_id, address, cause, unsaid }, 'connection ended')
    } else if (error instanceof ProtocolError) {
      const { level, unsaid } = throttledLog(cause)
      log[level]({ connection_id, address, breach: error.message, unsaid }, 'connection ended')
    } else log.error({ connection_id, address, err: error }, 'connection failed')
  }

  // One timer for all connections: a timer per packet would cost more than the packet.
  const sweeping = setInterval(() => {
    const now = performance.now()
    for (const connection of connections) connection.sweep(now)
  }, limits.sweep_ms).unref()

  async function stop(): Promise<void> {
    stopping = true
    for (const detach of detachments) detach()
    const closing = Promise.all(ports.map((port) => port.close()))
    for (const connection of connections) queues.closing(() => connection.cut('stopped'))
    await new Promise<void>((resolve) => queues.closing(resolve))
    listeners.stop()
    await Promise.all([publishers.stop(), admission.settled(), closing])
    clearInterval(sweeping)
  }

  return {
    async listen(options) {
      const listener = await listen(options, door, addresses)
      ports.push(listener)
      return { port: listener.port }
    },
    attach: (server) => void detachments.push(attachWebSockets(server, door, addresses, headerLines)),
    publishers: {
      send: publishers.send,
      lastHeard: publishers.lastHeard,
      disconnect(name, which) {
        if (which === undefined) admission.revoke(name)
        publishers.disconnect(name, which)
      },
      disconnectAll() {
        admission.revokePublishers()
        publishers.disconnectAll()
      },
      present: publishers.present,
    },
    listeners: {
      send: listeners.send,
      open: listeners.open,
      disconnect(key) {
        admission.revoke(key)
        listeners.disconnect(key)
      },
    },
    counts: () => ({
      publishers: publishers.count(),
      listeners: listeners.count(),
      pending: admission.count(),
    }),
    tally,
    stop,
  }
}
