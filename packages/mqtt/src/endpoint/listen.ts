import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'
import { openFairQueue } from '#mqtt/fair-queue.ts'
import type { Addresses } from './addresses.ts'
import type { Wire } from './connection.ts'

export type ListenOptions = {
  host: string
  /** 0 = any free port. */
  port: number
  /** Asked for each connection, so that a certificate can be replaced. */
  tls?: { context(): SecureContext } | undefined
}

/** Where connections come in: by TCP and TLS, and by WebSocket. */
export type Door = {
  /** Whether too many wait to be admitted, in all or of this address, for one more; counts it if so. */
  turnsAway(address: string): boolean
  /** Counts one that cannot come in by this door at all. */
  refused(): void
  accept(wire: Wire): void
}

/**
 * Connections that the operating system holds until they are taken; it may have a lower limit of its own
 * (`net.core.somaxconn`). With Node's 511, some of many clients that come back at once would try again after a second.
 */
const BACKLOG = 4_096

/** Connections that begin to be read in one turn of the event loop: with TLS each has a handshake to make. */
const READ_AT_ONCE = 16

export type Listener = { port: number; close(): Promise<void> }

/** Listens for MQTT over TCP, or over TLS if a certificate is given. Rejects if the port cannot be had. */
export async function listen(
  { host, port, tls }: ListenOptions,
  door: Door,
  { ofSocket }: Pick<Addresses, 'ofSocket'>,
): Promise<Listener> {
  const arriving = openFairQueue({ per_turn: READ_AT_ONCE })
  const leaving = openFairQueue()
  // They are read from when they have `arrived`, and their end is answered by `leaving`.
  const how = { noDelay: true, pauseOnConnect: true, allowHalfOpen: true }
  const server = createServer(how, (tcp) => {
    if (door.turnsAway(ofSocket(tcp))) return void tcp.destroy()
    const open = () => {
      // The handshake runs within the time for the CONNECT, and what waits for it is counted like any other.
      const secureContext = tls?.context()
      const socket = secureContext ? new TLSSocket(tcp, { isServer: true, secureContext }) : tcp
      // If everything was sent, a close with a farewell would cost as much as all the rest.
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

/** `arrived` hands over what is to be read and written, once it is its turn. */
function socketWire(tcp: Socket, address: string, arrived: (begin: (socket: Socket) => void) => void): Wire {
  let socket = tcp
  return {
    address,
    websocket: false,
    start({ bytes, closed }) {
      tcp.on('error', () => {}) // 'close' follows
      tcp.on('close', () => (socket === tcp ? closed() : void socket.destroy()))
      arrived((its) => {
        socket = its
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
      // Closing with bytes unread would reset the connection, and the client might lose the last packet.
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
