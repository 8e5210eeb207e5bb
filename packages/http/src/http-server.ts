import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { type Answer, type HeaderFields, isStream, mergeHeaders, openSending } from './answer.ts'
import { openBodyReader, type ReadBody } from './body.ts'
import { writeClosingResponse } from './closing-response.ts'
import { type NetworkOf, openConnections } from './connections.ts'
import { HttpError } from './errors.ts'
import { JSON_TYPE } from './json.ts'
import { type Limits, LIMITS } from './limits.ts'
import { type ConnectionFault, createNodeServer, type TlsSource } from './node-server.ts'
import { openRouter, type Params, type RouteKey } from './router.ts'

type Response = ServerResponse<IncomingMessage>

/** A request, the named parts of its path, and its response. */
export type Exchange = {
  readonly request: IncomingMessage
  readonly response: Response
  readonly params: Params
}

/** Answers a request; `undefined` means not found. Errors that it throws are answered by `answerError`. */
export type Answering = (exchange: Exchange) => Answer | undefined | Promise<Answer | undefined>

/** A request, and its route if there is one. */
export type Routed<Route> = { readonly request: IncomingMessage; readonly route: Route | undefined }

/** The answer to an error; `text` is JSON. */
export type ErrorAnswer = { status: number; headers?: HeaderFields; text: string }

export type HttpServer<Route extends RouteKey> = {
  /** Throws if the method and path are already served. */
  serve(route: Route, answering: Answering): void
  readBody: ReadBody
  /** For upgrades to WebSocket. */
  readonly server: Server
  /** Resolves once the server accepts requests. Rejects with the error of the system. */
  listen(at: { host: string; port: number; backlog?: number }): Promise<AddressInfo>
  /** Keeps answering, but closes each connection after its next answer, so that clients reconnect elsewhere. */
  retire(): void
  /** Accepts no new connections. Resolves when the requests in progress are answered, or after `stop_ms`. */
  stop(): Promise<void>
}

type Needs<Route> = {
  limits?: Partial<Limits> | undefined
  /** Serves HTTPS. */
  tls?: TlsSource | undefined
  /** Headers of every answer, including answers to invalid requests. */
  headers?: HeaderFields
  networkOf?: NetworkOf
  answerError?: (error: unknown, routed: Routed<Route>) => ErrorAnswer
  /** Called for each answer that was sent, with the time since the headers of its request. */
  onAnswered?: (routed: Routed<Route>, status: number, ms: number) => void
  /** Called if a stream fails halfway. Its connection is cut, so that the client does not take it for complete. */
  onBrokenOff?: (error: unknown, routed: Routed<Route>) => void
  /** Called for each connection that is refused or cut. */
  onFault?: (why: ConnectionFault, socket: Socket) => void
}

/** Makes a server without routes that does not listen yet. */
export function openHttpServer<Route extends RouteKey>(needs: Needs<Route> = {}): HttpServer<Route> {
  const { tls, headers = {}, answerError = answerPlainly, onFault = () => {} } = needs
  const { networkOf = ({ remoteAddress }: Socket) => remoteAddress } = needs
  const limits = { ...LIMITS, ...needs.limits }
  const connections = openConnections(limits, networkOf, onFault)
  const router = openRouter<{ route: Route; answering: Answering }>(limits)
  const send = openSending(headers, limits.idle_ms)
  const answer = (request: IncomingMessage, response: Response): void => void run(request, response)
  const server = createNodeServer({ tls, limits, connections, headers, onFault, answer })

  /** Handles every request: find its route, run it, send the answer or the error, and count. */
  async function run(request: IncomingMessage, response: Response): Promise<void> {
    const began_ms = performance.now()
    let route: Route | undefined
    let reply: Answer | undefined
    const count = (status: number): void =>
      needs.onAnswered?.({ request, route }, status, performance.now() - began_ms)
    response.on('finish', () => count(response.statusCode))
    try {
      const found = router.find(request)
      if (found) {
        route = found.target.route
        reply = await found.target.answering({ request, response, params: found.params })
      }
      if (!reply) {
        route = undefined
        throw new HttpError('not_found', 'Nothing is served here.')
      }
      const sending = send(response, reply)
      if (sending) await sending
    } catch (error) {
      if (response.headersSent && isStream(reply?.body)) {
        if (!response.destroyed) needs.onBrokenOff?.(error, { request, route })
        return void setImmediate(() => response.destroy()) // after the written data has left
      }
      const { status, headers: own = {}, text } = answerError(error, { request, route })
      if (!response.headersSent)
        return void send(response, { status, headers: own, type: JSON_TYPE, body: text })
      // A head was prepared but not sent: the error replaces it.
      count(status)
      const all = { ...mergeHeaders(headers, own), 'Content-Type': JSON_TYPE }
      if (response.socket) writeClosingResponse(response.socket, { status, headers: all, text })
    }
  }

  return {
    serve: (route, answering) => router.add(route, { route, answering }),
    readBody: openBodyReader(limits),
    server,
    listen: (at) => listen(server, at),
    retire,
    async stop() {
      retire()
      server.close()
      const ended = Array.from(connections.underWay(), (response) => once(response, 'close'))
      await Promise.race([Promise.all(ended), setTimeout(limits.stop_ms, undefined, { ref: false })])
      server.closeAllConnections()
    },
  }

  function retire(): void {
    for (const event of ['request', 'checkContinue']) server.prependListener(event, closeAfter)
  }
}

function closeAfter(_request: IncomingMessage, response: Response): void {
  response.shouldKeepAlive = false
}

function listen(server: Server, at: Parameters<HttpServer<RouteKey>['listen']>[0]): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(at, () => {
      server.off('error', reject)
      resolve(server.address() as AddressInfo)
    })
  })
}

function answerPlainly(error: unknown): ErrorAnswer {
  if (!(error instanceof HttpError)) {
    return {
      status: 500,
      text: JSON.stringify({ detail: 'Something failed.', code: 'internal', params: {} }),
    }
  }
  const { status, retry_after_secs } = error
  const headers: HeaderFields = retry_after_secs === undefined ? {} : { 'Retry-After': retry_after_secs }
  return { status, headers, text: JSON.stringify(error) }
}
