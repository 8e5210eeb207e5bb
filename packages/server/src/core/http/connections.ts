import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { addressOf, networkOf, type Proxies } from '#server/core/address.ts'
import type { Limits } from './limits.ts'

/** Why a connection was turned away, or ended, without an answer. */
export type Cut = 'crowded' | 'pipelined' | 'unread'

/** The connections that speak HTTP: how many there may be, and what goes on on each. */
export type Connections = {
  enter(socket: Socket): void
  /** It becomes a WebSocket, which others count. */
  leave(socket: Duplex): void
  /**
   * Runs `answer` when the requests that came before it on the same connection are answered: however many are sent at
   * once, one is worked on.
   */
  inTurn(exchange: Exchange, answer: () => void): void
  /** What came last is no HTTP, or not in time. Runs `answer` behind the answers that come first, or cuts. */
  broken(socket: Duplex, answer: () => void): void
  /**
   * To be called now and then: ends what rests for too long, and has the system say of an answer that is still on its way
   * when nothing of it is taken any more (`still`). Timers of every connection would be wound up by each request.
   */
  look(): void
  /** Nothing moved on it for a while: it is cut where an answer waits to be taken. */
  still(socket: Socket): void
  /** The answers that are being made or sent. */
  underWay(): Iterable<ServerResponse>
}

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse }

type Connection = {
  readonly socket: Socket
  /** Both ends: addresses and ports. */
  readonly ends: string
  readonly address: string
  /** What counts as one address. */
  readonly network: string
  /** What is being answered, and what came last. */
  current: Exchange | undefined
  newest: Exchange | undefined
  readonly waiting: (() => void)[]
  /** When it began, or was last answered. */
  rests_since_ms: number
  /** What had come when it was first looked at in this rest. */
  rest: { since_ms: number; bytes_read: number }
}

export function openConnections(
  limits: Limits,
  proxies: Pick<Proxies, 'has'>,
  told: (why: Cut, address: string) => void,
): Connections {
  /**
   * By both ends, as a TLS socket is another object than the one below it. Nothing is moved in it for a request: a map
   * that is written all the time leaves old tables behind, each of which keeps the next and what that had from V8's collector.
   */
  const open = new Map<string, Connection>()
  /** The same by the socket that its requests name, written once for each connection. */
  const by_socket = new WeakMap<Duplex, Connection>()
  const by_network = new Map<string, number>()

  function enter(socket: Socket): void {
    const ends = endsOf(socket)
    if (ends === undefined) return void socket.destroy() // it is gone already
    const address = addressOf(socket)
    const network = networkOf(address)
    if (!makeRoom(address, network)) {
      told('crowded', address)
      return void socket.destroy()
    }
    const connection: Connection = {
      socket,
      ends,
      address,
      network,
      current: undefined,
      newest: undefined,
      waiting: [],
      rests_since_ms: performance.now(),
      rest: { since_ms: 0, bytes_read: 0 },
    }
    open.set(ends, connection)
    by_network.set(network, (by_network.get(network) ?? 0) + 1)
    socket.once('close', () => remove(connection))
  }

  function makeRoom(address: string, network: string): boolean {
    const here = proxies.has(address) ? 0 : (by_network.get(network) ?? 0)
    const crowded_here = here >= limits.connections_per_address
    if (!crowded_here && open.size < limits.connections) return true
    let longest: Connection | undefined
    for (const connection of open.values()) {
      if ((crowded_here && connection.network !== network) || !waitsForClient(connection)) continue
      if (longest === undefined || connection.rests_since_ms < longest.rests_since_ms) longest = connection
    }
    if (longest) cut('crowded', longest)
    return longest !== undefined
  }

  function cut(why: Cut, connection: Connection): void {
    told(why, connection.address)
    remove(connection)
    connection.socket.destroy()
  }

  function remove(connection: Connection): void {
    if (!isOpen(connection)) return
    open.delete(connection.ends)
    connection.waiting.length = 0
    const others = by_network.get(connection.network)! - 1
    if (others > 0) by_network.set(connection.network, others)
    else by_network.delete(connection.network)
  }

  function isOpen(connection: Connection): boolean {
    return open.get(connection.ends) === connection
  }

  function find(socket: Duplex): Connection | undefined {
    const known = by_socket.get(socket)
    if (known) return isOpen(known) ? known : undefined
    const connection = open.get(endsOf(socket as Socket) ?? '')
    if (connection) by_socket.set(socket, connection)
    return connection
  }

  function inTurn(exchange: Exchange, answer: () => void): void {
    const { socket } = exchange.request
    // Cut, it is still read to the end of what has come; nobody waits for an answer.
    const connection = socket.destroyed ? undefined : find(socket)
    if (!connection) return
    if (connection.waiting.length >= limits.waiting_requests) return cut('pipelined', connection)
    connection.newest = exchange
    const begin = (): void => {
      const { response } = exchange
      connection.current = exchange
      response.on('close', () => {
        connection.current = undefined
        // What was answered is held no longer: with what it leads to it would outlive two collections, and become dear.
        if (connection.newest === exchange && exchange.request.complete) connection.newest = undefined
        if (!isOpen(connection)) return
        connection.rests_since_ms = performance.now()
        const next = connection.waiting.shift()
        if (next) setImmediate(next) // after everybody else
      })
      answer()
    }
    if (connection.current) connection.waiting.push(begin)
    else begin()
  }

  function broken(socket: Duplex, answer: () => void): void {
    const { current, newest, waiting } = find(socket) ?? {}
    if (!newest || !waiting) return answer()
    if (newest.request.complete) return current ? void waiting.push(answer) : answer()
    if (waiting.length > 0) waiting.splice(-1, 1, answer) // its own turn has not come, and will not
    else if (newest.response.headersSent) socket.destroy()
    else answer()
  }

  function look(): void {
    const now_ms = performance.now()
    for (const connection of open.values()) {
      const { current } = connection
      if (current) watch(current.request.socket)
      else if (!rests(connection, now_ms)) connection.socket.destroy()
    }
  }

  /** Node knows how much of one write has left; it is asked for the few whose answers take longer than a moment. */
  function watch(socket: Socket): void {
    if (socket.writableLength > 0 && !socket.timeout) socket.setTimeout(limits.unread_ms)
  }

  function still(socket: Socket): void {
    const connection = find(socket)
    if (connection?.current && socket.writableLength > 0) return cut('unread', connection)
    socket.setTimeout(0) // until it is looked at again
  }

  /** A little longer than it was told, as a request may be on its way. For one that has begun to come, its own limits hold. */
  function rests({ socket, rests_since_ms, rest }: Connection, now_ms: number): boolean {
    if (rest.since_ms !== rests_since_ms) {
      rest.since_ms = rests_since_ms
      rest.bytes_read = socket.bytesRead
    }
    const over = now_ms - rests_since_ms >= limits.idle_ms + limits.check_ms
    return !over || rest.bytes_read !== socket.bytesRead
  }

  return {
    enter,
    leave(socket) {
      const connection = find(socket)
      if (connection) remove(connection)
    },
    inTurn,
    broken,
    look,
    still,
    *underWay() {
      for (const { current } of open.values()) if (current) yield current.response
    },
  }
}

/** It has no request under way, or one whose body is not here. */
function waitsForClient({ current }: Connection): boolean {
  return current === undefined || !current.request.complete
}

function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string | undefined {
  return remoteAddress && `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`
}
