import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer, type ServerOptions as TlsOptions } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { addressOf } from '#server/core/address.ts'
import type { Tls } from '#server/core/certificate.ts'
import { protectiveHeaders } from '#server/core/protection.ts'
import type { Connections, Cut } from './connections.ts'
import { comesTwice } from './header-names.ts'
import { JSON_TYPE } from './json.ts'
import { answerLast } from './last-answer.ts'
import type { Limits } from './limits.ts'
import type { Refused } from './refused.ts'

/** An HTTP server, or an HTTPS one where a certificate is given, that bounds what a connection may take. */
export function createNodeServer({
  tls,
  limits,
  connections,
  refused,
  answer,
}: {
  tls: Tls | undefined
  limits: Limits
  connections: Connections
  refused: (why: Refused, address: string) => void
  answer: RequestListener
}): Server {
  const listener: RequestListener = (request, response) => {
    connections.inTurn({ request, response }, () => {
      if (isAmbiguous(request)) refuseRequest(request, response)
      else answer(request, response)
    })
  }
  // Some clients offer HTTP/2 with every first request (`Upgrade: h2c`); they are answered as if they had not.
  const shouldUpgradeCallback = ({ headers, socket }: IncomingMessage): boolean => {
    if (headers.upgrade?.toLowerCase() !== 'websocket' || server.listenerCount('upgrade') === 0) return false
    connections.leave(socket)
    return true
  }
  const options = {
    headersTimeout: limits.headers_ms,
    requestTimeout: limits.request_ms,
    keepAliveTimeout: 0, // see Connections.look
    connectionsCheckingInterval: limits.check_ms,
    maxHeaderSize: limits.header_bytes,
    shouldUpgradeCallback,
  }
  const server: Server = tls
    ? createRenewedServer(tls, { ...options, handshakeTimeout: limits.handshake_ms }, listener)
    : createServer(options, listener)
  Object.assign(server, { httpAllowHalfOpen: true }) // who has said all still hears the answer; the types lack it
  server.maxHeadersCount = limits.headers
  server.on('connection', connections.enter)
  server.on('timeout', connections.still)
  const looking = setInterval(connections.look, limits.check_ms).unref()
  server.on('close', () => clearInterval(looking))
  // body.ts says when the body may come: who is refused before need not send it.
  server.on('checkContinue', listener)
  server.on('connect', (_request, socket) => refuseConnection(NOT_HTTP, socket))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    const why = CLIENT_ERRORS[error.code ?? ''] ?? NOT_HTTP
    connections.broken(socket, () => refuseConnection(why, socket))
  })

  function refuseRequest(request: IncomingMessage, response: ServerResponse): void {
    refused('malformed', addressOf(request.socket))
    const body = bodyOf(NOT_HTTP)
    const headers = {
      ...protectiveHeaders(tls !== undefined),
      'Content-Type': JSON_TYPE,
      Connection: 'close',
    }
    response.writeHead(NOT_HTTP.status, headers).end(body)
  }

  /** In the shape of every other error. */
  function refuseConnection(why: ClientError, socket: Duplex): void {
    refused(why.code, addressOf(socket as Socket))
    answerLast(socket, { status: why.status, text: bodyOf(why) }, { encrypted: tls !== undefined })
  }

  return server
}

function createRenewedServer(tls: Tls, options: TlsOptions, listener: RequestListener): Server {
  const server = createTlsServer({ ...options, ...tls.options() }, listener)
  tls.onRenewed(() => server.setSecureContext(tls.options()))
  return server
}

/**
 * What whoever stands before us may have read in another way: two hosts, or a body in chunks, which HTTP/1.0 does not
 * know (RFC 9112, 3.2 and 6.1). Node refuses the rest: two lengths, a length and chunks, a bare line feed.
 */
function isAmbiguous(request: IncomingMessage): boolean {
  if (comesTwice(request, 'host')) return true
  return request.httpVersion === '1.0' && request.headers['transfer-encoding'] !== undefined
}

type ClientError = { status: number; code: Exclude<Refused, Cut>; detail: string }

const NOT_HTTP: ClientError = {
  status: 400,
  code: 'malformed',
  detail: 'The request is not valid HTTP.',
}

const CLIENT_ERRORS: Record<string, ClientError> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'too_slow', detail: 'The request took too long to arrive.' },
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'headers_too_large',
    detail: 'The request line and the headers are more than 16 KiB, or the headers more than 100.',
  },
}

function bodyOf({ detail, code }: ClientError): string {
  return JSON.stringify({ detail, code })
}
