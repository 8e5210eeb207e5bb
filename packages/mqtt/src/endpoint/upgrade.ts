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

/** One frame may hold many MQTT packets; the largest of them with some room. */
const MAX_FRAME_BYTES = 128 * 1024

/** A frame may come in so many fragments, and what is not read yet in so many pieces, as each costs some memory. */
const MAX_FRAGMENTS = 1_024
const MAX_PIECES = 16 * 1_024

/** More than this unsent, and a ping is not answered: the client does not read. */
const MAX_UNSENT_FOR_PONG_BYTES = 16 * 1024

/** Close codes of RFC 6455, 7.4.1. */
const NORMAL = 1000
const UNSUPPORTED = 1003

/** Lines that every HTTP answer carries, each with its line end. */
export type HeaderLines = (encrypted: boolean) => string

/**
 * MQTT over WebSocket at /mqtt of an HTTP server. Browsers of a foreign origin get 403: without it any page could
 * open a connection from its visitor's network. Returns what detaches it again.
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
    skipUTF8Validation: true, // text is refused whatever it says
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

  /** RFC 6455, 5.5.3: of several pings the latest may be answered alone. */
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
        asked = Buffer.from(payload) // a view would keep all that was read with it
        told()
      })
      socket.on('pong', alive)
      socket.on('error', (error: NodeJS.ErrnoException) => {
        // It has its close code already; of a broken connection, 'close' tells.
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
 * Programs send no `Origin`; a browser always does. Where the page came over TLS its scheme counts too: one that came
 * without may have been written by whoever stands between. Without TLS of our own only a proxy in front can tell.
 */
function isSameOrigin({ headers, socket }: IncomingMessage): boolean {
  const { origin, host } = headers
  if (origin === undefined) return true
  const from = URL.parse(origin)
  if (from === null || from.origin !== origin) return false
  const encrypted = 'encrypted' in socket || /^https\b/i.test(String(headers['x-forwarded-proto'] ?? ''))
  if (from.protocol !== 'https:' && (encrypted || from.protocol !== 'http:')) return false
  // Read with the origin's scheme, so that a default port counts as none on both sides.
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
