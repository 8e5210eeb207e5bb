import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { addressOf } from '#server/core/address.ts'
import { BACKLOG } from '#server/core/backlog.ts'
import type { Tls } from '#server/core/certificate.ts'
import type { Wire } from './connection.ts'
import { openLeaving } from './leaving.ts'

export type ListenOptions = {
  host: string
  /** 0 = any free port. */
  port: number
  tls?: Pick<Tls, 'context'>
}

/** Where connections come in: by TCP and TLS, and by WebSocket. */
export type Door = {
  /** Whether too many wait to be admitted, in all or of this address, for one more; counts it if so. */
  turnsAway(address: string): boolean
  /** Counts one that cannot come in by this door at all. */
  refused(): void
  accept(wire: Wire): void
}

export type Listener = { port: number; close(): Promise<void> }

/** Listens for MQTT over TCP, or over TLS where a certificate is given. Rejects where the port cannot be had. */
export async function listen({ host, port, tls }: ListenOptions, door: Door): Promise<Listener> {
  const leave = openLeaving()
  // Their end is answered by `leave`.
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (tcp) => {
    if (door.turnsAway(addressOf(tcp))) return void tcp.destroy()
    // The handshake runs within the time for the CONNECT, and what waits for it is counted like any other.
    const secureContext = tls?.context()
    const socket = secureContext ? new TLSSocket(tcp, { isServer: true, secureContext }) : tcp
    socket.on('end', () => leave(socket))
    door.accept(socketWire(tcp, socket))
  })
  await listening(server, host, port)
  return {
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

function socketWire(tcp: Socket, socket: Socket): Wire {
  return {
    address: addressOf(tcp),
    websocket: false,
    start({ bytes, closed }) {
      socket.on('data', bytes)
      socket.on('error', () => {}) // 'close' follows
      socket.on('close', closed)
      if (tcp === socket) return
      tcp.on('error', () => {})
      tcp.on('close', () => socket.destroy())
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
