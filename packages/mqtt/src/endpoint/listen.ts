import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'
import { openFairQueue } from '#mqtt/fair-queue.ts'
import type { Addresses } from './addresses.ts'
import type { Wire } from './connection.ts'

export type ListenOptions = {
  host: string
  /** 0 = any free port. */
  port: number
  /** Called for each connection, so that a certificate can be replaced. */
  tls?: { context(): SecureContext } | undefined
}

/** The entry of new connections over TCP, TLS and WebSocket. */
export type Door = {
  /**
   * Whether a new connection must be refused because too many are pending, in total or from this address. Counts the
   * refusal.
   */
  turnsAway(address: string): boolean
  /** Counts a connection that cannot enter here at all. */
  refused(): void
  accept(wire: Wire): void
}

/**
 * New connections that the operating system queues (its own limit, `net.core.somaxconn`, may be lower). With Node's
 * default of 511, some clients would retry after a second when many reconnect at once.
 */
const BACKLOG = 4_096

/** New connections that are read in one turn of the event loop, because each TLS connection needs a handshake. */
const READ_AT_ONCE = 16

export type Listener = { port: number; close(): Promise<void> }

/** Listens for MQTT over TCP, or over TLS if a certificate is given. Rejects if the port is not available. */
export async function listen(
  { host, port, tls }: ListenOptions,
  door: Door,
  { ofSocket }: Pick<Addresses, 'ofSocket'>,
): Promise<Listener> {
  const arriving = openFairQueue({ per_turn: READ_AT_ONCE })
  const leaving = openFairQueue()
  // Sockets are read once they have `arrived`, and `leaving` answers their end.
  const options = { noDelay: true, pauseOnConnect: true, allowHalfOpen: true }
  const server = createServer(options, (tcp) => {
    if (door.turnsAway(ofSocket(tcp))) return void tcp.destroy()
    const open = () => {
      // The handshake counts towards the time for the CONNECT, and waiting bytes are limited as usual.
      const secureContext = tls?.context()
      const socket = secureContext ? new TLSSocket(tcp, { isServer: true, secureContext }) : tcp
      // If everything was sent, a graceful close would cost as much as the rest of the connection.
      const answer = () => (secureContext || tcp.writableLength > 0 ? socket.end() : tcp.destroy())
      socket.on('end', () => leaving(answer))
      return socket
    }
    door.accept(socketWire(tcp, ofSocket(tcp), (begin) => arriving(() => tcp.destroyed || begin(open()))))
  })
  await listening(server, host, port)
  return {
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** `arrived` calls back with the socket when it is this connection's turn. */
function socketWire(tcp: Socket, address: string, arrived: (begin: (socket: Socket) => void) => void): Wire {
  let socket = tcp
  return {
    address,
    websocket: false,
    start({ bytes, closed }) {
      tcp.on('error', () => {}) // 'close' follows
      tcp.on('close', () => (socket === tcp ? closed() : void socket.destroy()))
      arrived((ready) => {
        socket = ready
        socket.on('data', bytes)
        if (socket === tcp) return void socket.resume()
        socket.on('error', () => {})
        socket.on('close', closed)
      })
    },
    send: (packets) => void socket.write(packets),
    unsent: () => socket.writableLength,
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    ping: () => {},
    end() {
      socket.end()
      // Closing with unread bytes would reset the connection, and the client might lose the last packet.
      socket.resume()
    },
    destroy: () => void socket.destroy(),
  }
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
