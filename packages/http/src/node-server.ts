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
import type { SecureContextOptions } from 'node:tls'
import type { HeaderFields } from './answer.ts'
import { writeClosingResponse } from './closing-response.ts'
import type { Connections, Cut } from './connections.ts'
import { hasTwice } from './header-names.ts'
import { JSON_TYPE } from './json.ts'
import type { Limits } from './limits.ts'

/** The certificate and its key, for new TLS connections. */
export type TlsSource = {
  options(): SecureContextOptions
  /** Calls `listener` after each change of `options`. Open connections are not affected. */
  onRenewed(listener: () => void): void
}

/** Why a connection ended before, or without, a request that could be answered. */
export type ConnectionFault = Cut | 'malformed' | 'too_slow' | 'headers_too_large'

/** An HTTP server, or HTTPS with a certificate, that limits what a connection may use. */
export function createNodeServer(needs: {
  tls: TlsSource | undefined
  limits: Limits
  connections: Connections
  /** Headers of every answer. */
  headers: HeaderFields
  onFault: (why: ConnectionFault, socket: Socket) => void
  answer: RequestListener
}): Server {
  const { tls, limits, connections, headers, onFault, answer } = needs
  const listener: RequestListener = (request, response) => {
    connections.inTurn({ request, response }, () => {
      if (isAmbiguous(request)) refuseRequest(request, response)
      else answer(request, response)
    })
  }
  // Some clients offer HTTP/2 with every first request (`Upgrade: h2c`). The offer is ignored.
  const shouldUpgradeCallback = ({ headers: { upgrade }, socket }: IncomingMessage): boolean => {
    if (upgrade?.toLowerCase() !== 'websocket' || server.listenerCount('upgrade') === 0) return false
    connections.leave(socket)
    return true
  }
  const options = {
    headersTimeout: limits.headers_ms,
    requestTimeout: limits.request_ms,
    keepAliveTimeout: 0, // see Connections.check
    connectionsCheckingInterval: limits.check_ms,
    maxHeaderSize: limits.header_bytes,
    shouldUpgradeCallback,
  }
  const server: Server = tls
    ? createRenewedServer(tls, { ...options, handshakeTimeout: limits.handshake_ms }, listener)
    : createServer(options, listener)
  Object.assign(server, { httpAllowHalfOpen: true }) // a half-closed client still gets its answer; not in the types
  server.maxHeadersCount = limits.headers
  server.on('connection', connections.enter)
  server.on('timeout', connections.still)
  const checking = setInterval(connections.check, limits.check_ms).unref()
  server.on('close', () => clearInterval(checking))
  // body.ts sends 100 Continue, so a client that is refused earlier need not send its body.
  server.on('checkContinue', listener)
  server.on('connect', (_request, socket) => refuseConnection(NOT_HTTP, socket))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    const fault = faultOf(error.code, limits)
    connections.broken(socket, () => refuseConnection(fault, socket))
  })

  function refuseRequest(request: IncomingMessage, response: ServerResponse): void {
    onFault('malformed', request.socket)
    response.writeHead(NOT_HTTP.status, { ...headers, 'Content-Type': JSON_TYPE, Connection: 'close' })
    response.end(bodyOf(NOT_HTTP))
  }

  function refuseConnection(fault: Fault, socket: Duplex): void {
    onFault(fault.code, socket as Socket)
    writeClosingResponse(socket, {
      status: fault.status,
      headers: { ...headers, 'Content-Type': JSON_TYPE },
      text: bodyOf(fault),
    })
  }

  return server
}

function createRenewedServer(tls: TlsSource, options: TlsOptions, listener: RequestListener): Server {
  const server = createTlsServer({ ...options, ...tls.options() }, listener)
  tls.onRenewed(() => server.setSecureContext(tls.options()))
  return server
}

/**
 * A request that a proxy in front may read differently: two hosts, or a chunked body, which HTTP/1.0 does not have (RFC
 * 9112, 3.2 and 6.1). Node refuses the other cases: two lengths, a length with chunks, a bare line feed.
 */
function isAmbiguous(request: IncomingMessage): boolean {
  if (hasTwice(request, 'host')) return true
  return request.httpVersion === '1.0' && request.headers['transfer-encoding'] !== undefined
}

type Fault = { status: number; code: Exclude<ConnectionFault, Cut>; detail: string }

const NOT_HTTP: Fault = { status: 400, code: 'malformed', detail: 'The request is not valid HTTP.' }

function faultOf(node_code: string | undefined, { header_bytes, headers }: Limits): Fault {
  if (node_code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { status: 408, code: 'too_slow', detail: 'The request took too long to arrive.' }
  if (node_code === 'HPE_HEADER_OVERFLOW') {
    const most = `${header_bytes >> 10} KiB, or the headers more than ${headers}`
    return {
      status: 431,
      code: 'headers_too_large',
      detail: `The request line and the headers are more than ${most}.`,
    }
  }
  return NOT_HTTP
}

function bodyOf({ detail, code }: Fault): string {
  return JSON.stringify({ detail, code, params: {} })
}
