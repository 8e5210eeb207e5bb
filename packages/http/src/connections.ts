import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Limits } from './limits.ts'

/** Why a connection was refused or ended without an answer. */
export type Cut = 'crowded' | 'pipelined' | 'unread'

/** The group of a connection for `connections_per_address`; `undefined` exempts it, for example for a proxy. */
export type NetworkOf = (socket: Socket) => string | undefined

/** The HTTP connections: their limits, and the requests on each. */
export type Connections = {
  enter(socket: Socket): void
  /** The connection becomes a WebSocket, which is not counted here. */
  leave(socket: Duplex): void
  /**
   * Runs `answer` after earlier requests of the same connection are answered. Pipelined requests are handled one at a
   * time.
   */
  inTurn(exchange: Exchange, answer: () => void): void
  /** The last bytes are not HTTP, or came too late. Runs `answer` after earlier answers, or cuts the connection. */
  broken(socket: Duplex, answer: () => void): void
  /**
   * Call it every `check_ms`. Ends connections that idle too long, and sets a socket timeout (`still`) for an
   * unfinished answer. A timer per connection would have to be reset by each request.
   */
  check(): void
  /** Nothing moved on this connection for a while: cuts it if the client is not reading its answer. */
  still(socket: Socket): void
  /** The responses that are being made or sent. */
  underWay(): Iterable<ServerResponse>
}

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse }

type Connection = {
  readonly socket: Socket
  /** Both endpoints: addresses and ports. */
  readonly ends: string
  readonly network: string | undefined
  /** The request being answered, and the latest one. */
  current: Exchange | undefined
  newest: Exchange | undefined
  readonly waiting: (() => void)[]
  /** When the connection began, or was last answered. */
  idle_since_ms: number
  /** The bytes received by the first check since then. */
  idle: { since_ms: number; bytes_read: number }
}

export function openConnections(
  limits: Limits,
  networkOf: NetworkOf,
  onCut: (why: Cut, socket: Socket) => void,
): Connections {
  /**
   * Keyed by both endpoints, because a TLS socket and its TCP socket are different objects. Requests do not write to
   * this map: a map under constant writes leaves old tables behind, and each keeps its successor from V8's garbage
   * collector.
   */
  const open = new Map<string, Connection>()
  /** The same, keyed by the socket that requests name. Written once per connection. */
  const by_socket = new WeakMap<Duplex, Connection>()
  const by_network = new Map<string, number>()

  function enter(socket: Socket): void {
    const ends = endsOf(socket)
    if (ends === undefined) return void socket.destroy() // already closed
    const network = networkOf(socket)
    if (!makeRoom(network)) {
      onCut('crowded', socket)
      return void socket.destroy()
    }
    const connection: Connection = {
      socket,
      ends,
      network,
      current: undefined,
      newest: undefined,
      waiting: [],
      idle_since_ms: performance.now(),
      idle: { since_ms: 0, bytes_read: 0 },
    }
    open.set(ends, connection)
    if (network !== undefined) by_network.set(network, (by_network.get(network) ?? 0) + 1)
    socket.once('close', () => remove(connection))
  }

  function makeRoom(network: string | undefined): boolean {
    const from_network = network === undefined ? 0 : (by_network.get(network) ?? 0)
    const crowded_network = from_network >= limits.connections_per_address
    if (!crowded_network && open.size < limits.connections) return true
    let longest: Connection | undefined
    for (const connection of open.values()) {
      if ((crowded_network && connection.network !== network) || !waitsForClient(connection)) continue
      if (longest === undefined || connection.idle_since_ms < longest.idle_since_ms) longest = connection
    }
    if (longest) cut('crowded', longest)
    return longest !== undefined
  }

  function cut(why: Cut, connection: Connection): void {
    onCut(why, connection.socket)
    remove(connection)
    connection.socket.destroy()
  }

  function remove(connection: Connection): void {
    if (!isOpen(connection)) return
    open.delete(connection.ends)
    connection.waiting.length = 0
    const { network } = connection
    if (network === undefined) return
    const others = by_network.get(network)! - 1
    if (others > 0) by_network.set(network, others)
    else by_network.delete(network)
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
    // A cut connection is still read to the end of the received bytes, but needs no answers.
    const connection = socket.destroyed ? undefined : find(socket)
    if (!connection) return
    if (connection.waiting.length >= limits.waiting_requests) return cut('pipelined', connection)
    connection.newest = exchange
    const begin = (): void => {
      const { response } = exchange
      connection.current = exchange
      response.on('close', () => {
        connection.current = undefined
        // If kept longer, an answered request and its references would survive two garbage collections, which costs
        // time.
        if (connection.newest === exchange && exchange.request.complete) connection.newest = undefined
        if (!isOpen(connection)) return
        connection.idle_since_ms = performance.now()
        const next = connection.waiting.shift()
        if (next) setImmediate(next) // other connections first
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
    if (waiting.length > 0) waiting.splice(-1, 1, answer) // its own turn has not come, and never will
    else if (newest.response.headersSent) socket.destroy()
    else answer()
  }

  function check(): void {
    const now_ms = performance.now()
    for (const connection of open.values()) {
      const { current } = connection
      if (current) watch(current.request.socket)
      else if (idledOut(connection, now_ms)) connection.socket.destroy()
    }
  }

  /** Node knows how much of a write is unsent. This is checked only for answers that outlast a check. */
  function watch(socket: Socket): void {
    if (socket.writableLength > 0 && !socket.timeout) socket.setTimeout(limits.unread_ms)
  }

  function still(socket: Socket): void {
    const connection = find(socket)
    if (connection?.current && socket.writableLength > 0) return cut('unread', connection)
    socket.setTimeout(0) // until the next check
  }

  /**
   * Allows a little more than the announced time, because a request may be on its way. A request that has begun to
   * arrive has its own limits.
   */
  function idledOut({ socket, idle_since_ms, idle }: Connection, now_ms: number): boolean {
    if (idle.since_ms !== idle_since_ms) {
      idle.since_ms = idle_since_ms
      idle.bytes_read = socket.bytesRead
    }
    const over = now_ms - idle_since_ms >= limits.idle_ms + limits.check_ms
    return over && idle.bytes_read === socket.bytesRead
  }

  return {
    enter,
    leave(socket) {
      const connection = find(socket)
      if (connection) remove(connection)
    },
    inTurn,
    broken,
    check,
    still,
    *underWay() {
      for (const { current } of open.values()) if (current) yield current.response
    },
  }
}

/** No request is in progress, or only one whose body is incomplete. */
function waitsForClient({ current }: Connection): boolean {
  return current === undefined || !current.request.complete
}

function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string | undefined {
  return remoteAddress && `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`
}
