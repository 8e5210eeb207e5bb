import type { IncomingMessage, Server } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import type { Wire } from './connection.ts'
import { addressOf, type Door } from './listen.ts'

const PATH = '/mqtt'
const SUBPROTOCOL = 'mqtt'

/** One frame may hold many MQTT packets; the largest of them with some room. */
const MAX_FRAME_BYTES = 128 * 1024

/**
 * MQTT over WebSocket at /mqtt of an HTTP server. Browsers of a foreign origin get 403: without it any page could
 * open a connection from its visitor's network. Returns what detaches it again.
 */
export function attachWebSockets(server: Server, door: Door): () => void {
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_FRAME_BYTES,
    skipUTF8Validation: true, // text is refused whatever it says
    handleProtocols: () => SUBPROTOCOL,
  })

  function upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    if (request.url?.split('?', 1)[0] !== PATH) {
      if (server.listenerCount('upgrade') === 1) refuse(stream, 404)
      return
    }
    if (!isSameOrigin(request)) return refuse(stream, 403)
    if (!offersMqtt(request)) return refuse(stream, 400)
    const address = addressOf(request.socket)
    if (door.turnsAway(address)) return refuse(stream, 503)
    sockets.handleUpgrade(request, stream as Socket, head, (socket) =>
      door.accept(webSocketWire(socket, address)),
    )
  }

  server.on('upgrade', upgrade)
  return () => void server.off('upgrade', upgrade)
}

function webSocketWire(socket: WebSocket, address: string): Wire {
  return {
    address,
    websocket: true,
    start({ bytes, alive, foreign, closed }) {
      socket.on('message', (message, isBinary) => (isBinary ? bytes(message as Buffer) : foreign()))
      socket.on('pong', alive)
      socket.on('error', () => {}) // 'close' follows
      socket.on('close', closed)
    },
    send: (packets) => socket.send(packets),
    unsent: () => socket.bufferedAmount,
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    ping: () => socket.ping(),
    end() {
      socket.close()
      socket.resume()
    },
    destroy: () => socket.terminate(),
  }
}

/** Programs send no `Origin`; a browser always does. */
function isSameOrigin({ headers: { origin, host } }: IncomingMessage): boolean {
  if (origin === undefined) return true
  const from = URL.parse(origin)
  // Read with the origin's scheme, so that a default port counts as none on both sides.
  return from !== null && from.host !== '' && from.host === URL.parse(`${from.protocol}//${host}`)?.host
}

function offersMqtt({ headers }: IncomingMessage): boolean {
  const offered = headers['sec-websocket-protocol'] ?? ''
  return offered.split(',').some((protocol) => protocol.trim() === SUBPROTOCOL)
}

function refuse(stream: Duplex, status: number): void {
  stream.on('error', () => {})
  stream.once('finish', () => stream.destroy())
  stream.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}
