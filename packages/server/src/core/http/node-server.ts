import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Duplex } from 'node:stream'
import type { Tls } from '#server/core/certificate.ts'
import { protectiveHeaders, protectiveLines } from '#server/core/protection.ts'
import { JSON_TYPE } from './json.ts'

/** WebSockets of devices and browsers included; more are turned away by closing them. */
const MAX_CONNECTIONS = 20_000

const LIMITS = {
  headersTimeout: 10_000,
  /** Until the whole body is here. */
  requestTimeout: 30_000,
  keepAliveTimeout: 75_000,
  /** How often the time-outs above are looked at. */
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16 * 1024,
}
const MAX_HEADERS = 100
const HANDSHAKE_TIMEOUT_MS = 10_000

/** An HTTP server, or an HTTPS one where a certificate is given, that bounds what a connection may take. */
export function createNodeServer(tls: Tls | undefined, answer: RequestListener): Server {
  const latest = new WeakMap<Duplex, ServerResponse>()
  const headers = new Map(Object.entries(protectiveHeaders(tls !== undefined)))
  const listener: RequestListener = (request, response) => {
    latest.set(request.socket, response)
    // Below the framework, so that no answer goes without them.
    response.setHeaders(headers)
    answer(request, response)
  }
  // Some clients offer HTTP/2 with every first request (`Upgrade: h2c`); they are answered as if they had not.
  const shouldUpgradeCallback = ({ headers }: IncomingMessage): boolean =>
    headers.upgrade?.toLowerCase() === 'websocket' && server.listenerCount('upgrade') > 0
  const options = { ...LIMITS, shouldUpgradeCallback }
  const server: Server = tls ? createRenewedServer(tls, options, listener) : createServer(options, listener)
  server.maxConnections = MAX_CONNECTIONS
  server.maxHeadersCount = MAX_HEADERS
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const response = latest.get(socket)
    const halfway = response?.headersSent && !(response.writableFinished && response.req.complete)
    if (halfway || error.code === 'ECONNRESET') socket.destroy()
    else if (socket.writable) answerClientError(error, socket, tls !== undefined)
  })
  return server
}

function createRenewedServer(tls: Tls, options: ServerOptions, listener: RequestListener): Server {
  const security = { ...tls.options(), handshakeTimeout: HANDSHAKE_TIMEOUT_MS }
  const server = createTlsServer({ ...options, ...security }, listener)
  tls.onRenewed(() => server.setSecureContext(tls.options()))
  return server
}

/** Answers what is not HTTP, or not in time, in the shape of every other error. */
function answerClientError(error: NodeJS.ErrnoException, socket: Duplex, encrypted: boolean): void {
  const { status, code, detail } = CLIENT_ERRORS[error.code ?? ''] ?? NOT_HTTP
  const body = JSON.stringify({ detail, code })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${protectiveLines(encrypted)}Content-Type: ${JSON_TYPE}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
  // Closed with bytes unread, the connection would be reset and the answer lost.
  socket.resume()
  setTimeout(() => socket.destroy(), 1_000).unref()
}

const NOT_HTTP = { status: 400, code: 'malformed', detail: 'The request is not valid HTTP.' }

const CLIENT_ERRORS: Record<string, typeof NOT_HTTP> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'too_slow', detail: 'The request took too long to arrive.' },
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'headers_too_large',
    detail: 'The headers are larger than 16 KiB.',
  },
}
