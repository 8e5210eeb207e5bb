import type { IncomingMessage, Server } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import type { Addresses } from './addresses.ts'
import type { Wire } from './connection.ts'
import type { Door } from './listen.ts'

const PATH = '/mqtt'
const SUBPROTOCOL = 'mqtt'

/** One frame may contain many MQTT packets. This is the largest packet with some room. */
const MAX_FRAME_BYTES = 128 * 1024

/** The most fragments per frame, and the most unread pieces, because each needs some memory. */
const MAX_FRAGMENTS = 1_024
const MAX_PIECES = 16 * 1_024

/** With more bytes unsent, a ping is not answered: the client does not read. */
const MAX_UNSENT_FOR_PONG_BYTES = 16 * 1024

/** Close codes of RFC 6455, 7.4.1. */
const NORMAL = 1000
const UNSUPPORTED = 1003

/** Lines that every HTTP response carries, each with its line end. */
export type HeaderLines = (encrypted: boolean) => string

/**
 * Serves MQTT over WebSocket at /mqtt of an HTTP server. A browser page of another origin gets 403: otherwise any
 * website could open a connection from its visitor's network. Returns a function that detaches it.
 */
export function attachWebSockets(
  server: Server,
  door: Door,
  { ofRequest }: Pick<Addresses, 'ofRequest'>,
  headerLines: HeaderLines,
): () => void {
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_FRAME_BYTES,
    maxFragments: MAX_FRAGMENTS,
    maxBufferedChunks: MAX_PIECES,
    autoPong: false, // webSocketWire answers
    skipUTF8Validation: true, // text is refused anyway
    handleProtocols: () => SUBPROTOCOL,
  })

  function upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    if (request.url?.split('?', 1)[0] !== PATH) {
      if (server.listenerCount('upgrade') > 1) return
      door.refused()
      return refuse(stream, 404, headerLines)
    }
    const fault = isSameOrigin(request) ? (offersMqtt(request) ? undefined : 400) : 403
    if (fault) {
      door.refused()
      return refuse(stream, fault, headerLines)
    }
    const address = ofRequest(request)
    if (door.turnsAway(address)) return refuse(stream, 503, headerLines)
    sockets.handleUpgrade(request, stream as Socket, head, (socket) =>
      door.accept(webSocketWire(socket, address)),
    )
  }

  server.on('upgrade', upgrade)
  return () => void server.off('upgrade', upgrade)
}

function webSocketWire(socket: WebSocket, address: string): Wire {
  let close_code = NORMAL
  let asked: Buffer | undefined

  /** RFC 6455, 5.5.3 allows answering only the latest of several pings. */
  function pong(): void {
    const payload = asked
    asked = undefined
    if (socket.bufferedAmount <= MAX_UNSENT_FOR_PONG_BYTES) socket.pong(payload)
  }

  return {
    address,
    websocket: true,
    start({ bytes, alive, asked: told, foreign, closed }) {
      socket.on('message', (message, isBinary) => {
        if (isBinary) return bytes(message as Buffer)
        close_code = UNSUPPORTED
        foreign('a text frame')
      })
      socket.on('ping', (payload) => {
        if (!asked) setImmediate(pong)
        asked = Buffer.from(payload) // a view would keep the whole read buffer alive
        told()
      })
      socket.on('pong', alive)
      socket.on('error', (error: NodeJS.ErrnoException) => {
        // This error has set its close code already; a broken connection is reported by 'close'.
        if (error.code?.startsWith('WS_ERR_')) foreign(`a WebSocket frame: ${error.message}`)
      })
      socket.on('close', closed)
    },
    send: (packets) => socket.send(packets),
    unsent: () => socket.bufferedAmount,
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    ping: () => socket.ping(),
    end() {
      socket.close(close_code)
      socket.resume()
    },
    destroy: () => socket.terminate(),
  }
}

/**
 * Programs send no `Origin`; browsers always do. If the page was served over TLS, its scheme must match too: an
 * attacker on the network could have written a page that came without TLS. Without TLS in this server, only a proxy in
 * front can tell.
 */
function isSameOrigin({ headers, socket }: IncomingMessage): boolean {
  const { origin, host } = headers
  if (origin === undefined) return true
  const from = URL.parse(origin)
  if (from === null || from.origin !== origin) return false
  const encrypted = 'encrypted' in socket || /^https\b/i.test(String(headers['x-forwarded-proto'] ?? ''))
  if (from.protocol !== 'https:' && (encrypted || from.protocol !== 'http:')) return false
  // Parsed with the origin's scheme, so that a default port is dropped on both sides.
  return from.host !== '' && from.host === URL.parse(`${from.protocol}//${host}`)?.host
}

function offersMqtt({ headers }: IncomingMessage): boolean {
  const offered = headers['sec-websocket-protocol'] ?? ''
  return offered.split(',').some((protocol) => protocol.trim() === SUBPROTOCOL)
}

function refuse(stream: Duplex, status: number, headerLines: HeaderLines): void {
  stream.on('error', () => {})
  stream.once('finish', () => stream.destroy())
  const headers = headerLines('encrypted' in stream)
  stream.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers}Connection: close\r\nContent-Length: 0\r\n\r\n`,
  )
}
