import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Route } from '@sdd/contract/core/route.ts'
import type { Readiness } from '@sdd/contract/core/system.ts'
import { type Answering, type HttpServer, openHttpServer, type Routed } from '@sdd/http/http-server.ts'
import type { TlsSource } from '@sdd/http/node-server.ts'
import type { Logger } from 'pino'
import { addressOf, networkOf, openProxies, type Proxies } from '#server/core/address.ts'
import { BACKLOG } from '#server/core/backlog.ts'
import type { Config } from '#server/core/config.ts'
import { listenFault } from '#server/core/listen-fault.ts'
import type { Metrics } from '#server/core/metrics.ts'
import { protectiveHeaders } from '#server/core/security-headers.ts'
import { Refusal } from '#server/core/refusal.ts'
import { serveConsole } from './console.ts'
import { asRefusal, openErrorAnswers } from './error-answer.ts'
import { LIMITS, type Limits } from './limits.ts'
import type { Authenticate } from './request.ts'
import {
  type ForbiddenCall,
  nameRequest,
  openRequestMetrics,
  openServe,
  type Serve,
  type ServedRoute,
} from './serve.ts'
import { serveSystem } from './system.ts'

/** Serves routes outside the contract: the interfaces of other programs. */
export type OtherRoutes = {
  serve(route: { method: string; path: string }, answering: Answering): void
  /** The client's IP address, as for the contract's routes. */
  addressOf(request: IncomingMessage): string
  /** The bytes of a form, one character for each. `too_large`, `unsupported_media_type`, `malformed`, `busy`. */
  readForm(response: ServerResponse<IncomingMessage>, max_bytes: number): Promise<string>
}

/** The same on a port of its own, with the same limits, certificate and metrics. */
export type OtherHttp = OtherRoutes & {
  /** Rejects with a `ConfigError` about `variable` or `HOST`. */
  listen(at: {
    host: string
    port: number
    variable: string
  }): Promise<{ port: number; stop(): Promise<void> }>
}

type Http = {
  serve: Serve
  /** Throws if `routes` and the served routes differ. */
  assertAllServed(routes: readonly Route[]): void
  /** Further routes on this port. */
  readonly others: OtherRoutes
  /** Makes another server that does not listen yet. */
  openOther(): OtherHttp
  /** For upgrades to WebSocket. */
  readonly server: Server
  port(): number
  /**
   * Resolves to the bound address once requests are accepted. Rejects with a `ConfigError` if `HOST` or `PORT` cannot
   * be used.
   */
  listen(): Promise<string>
  /** The address at which a person on this machine can open it, once it listens. */
  url(): string
  /** Keeps answering, but closes each connection after its next response, so that clients reconnect elsewhere. */
  retire(): void
  /** Accepts no more connections. Resolves when the requests under way are answered, or after 5 s. */
  stop(): Promise<void>
}

/** Serves the contract's routes, the console built in `console_folder`, and the state of the server itself. */
export function openHttp(needs: {
  config: Pick<Config, 'HOST' | 'PORT'>
  /** If present, HTTPS is served. */
  tls?: TlsSource | undefined
  console_folder: string
  log: Logger
  metrics: Metrics
  authenticate: Authenticate
  /** Called for each call that gets a 403, before the response is sent. */
  onForbidden?: (call: ForbiddenCall) => Promise<void>
  /** How far the server accepts work. Throws a `Refusal` if it accepts none. */
  readiness: () => Readiness
  /** No proxies if absent. */
  proxies?: Proxies
  limits?: Partial<Limits>
}): Http {
  const { config, tls, log, metrics, proxies = openProxies([]) } = needs
  const limits = { ...LIMITS, ...needs.limits }
  const needed = {
    limits,
    tls,
    headers: protectiveHeaders(tls !== undefined),
    networkOf(socket: Socket) {
      const address = addressOf(socket)
      return proxies.has(address) ? undefined : networkOf(address)
    },
    answerError: openErrorAnswers(log),
    onBrokenOff(error: unknown, routed: Routed<ServedRoute>) {
      if (!(error instanceof Refusal)) log.error({ err: error, ...nameRequest(routed) }, 'A file broke off')
    },
    ...openRequestMetrics(log, metrics),
  }
  const http = openHttpServer<ServedRoute>(needed)
  const routesOf = ({
    serve,
    readBody,
  }: Pick<HttpServer<ServedRoute>, 'serve' | 'readBody'>): OtherRoutes => ({
    serve,
    addressOf: proxies.askerOf,
    async readForm(response, max_bytes) {
      const type = 'application/x-www-form-urlencoded'
      const read = readBody(response, { type, max_bytes, raw: true }) as Promise<Buffer>
      const bytes = await read.catch((error: unknown) => {
        throw asRefusal(error) ?? error
      })
      return bytes.toString('latin1')
    },
  })
  const { serve, assertAllServed } = openServe(http, { ...needs, proxies, limits })
  serveSystem(http, serve, needs)
  serveConsole(http, needs.console_folder)

  return {
    serve,
    others: routesOf(http),
    openOther() {
      const other = openHttpServer<ServedRoute>(needed)
      return {
        ...routesOf(other),
        async listen({ host, port, variable }) {
          const bound = await other.listen({ host, port, backlog: BACKLOG }).catch((error: unknown) => {
            throw listenFault(error, { variable, host, port })
          })
          return { port: bound.port, stop: other.stop }
        },
      }
    },
    assertAllServed,
    server: http.server,
    port: () => (http.server.address() as AddressInfo).port,
    async listen() {
      const { HOST: host, PORT: port } = config
      const bound = await http.listen({ host, port, backlog: BACKLOG }).catch((error: unknown) => {
        throw listenFault(error, { variable: 'PORT', host, port })
      })
      return bound.address
    },
    url: () => urlOf(http.server.address() as AddressInfo, config.HOST, tls ? 'https' : 'http'),
    retire: http.retire,
    stop: http.stop,
  }
}

function urlOf({ port }: AddressInfo, HOST: string, scheme: 'http' | 'https'): string {
  const everywhere = HOST === '0.0.0.0' || HOST === '::'
  const host = everywhere ? 'localhost' : HOST.includes(':') ? `[${HOST}]` : HOST
  return `${scheme}://${host}:${port}`
}
