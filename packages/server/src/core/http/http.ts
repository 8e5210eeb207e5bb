import { once } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { Route } from '@sdd/contract/core/route.ts'
import type { Readiness } from '@sdd/contract/core/system.ts'
import { fastify } from 'fastify'
import type { Logger } from 'pino'
import type { Config } from '#server/core/config.ts'
import type { Tls } from '#server/core/certificate.ts'
import { openProxies, type Proxies } from '#server/core/address.ts'
import { BACKLOG } from '#server/core/backlog.ts'
import { listenFault } from '#server/core/listen-fault.ts'
import type { Metrics } from '#server/core/metrics.ts'
import { protectiveHeaders } from '#server/core/protection.ts'
import type { Authenticate } from './asked.ts'
import { openConnections } from './connections.ts'
import { serveConsole } from './console.ts'
import { type Direct, openDirect } from './direct.ts'
import { LIMITS, type Limits } from './limits.ts'
import { nameOf, requestId } from './named.ts'
import { createNodeServer } from './node-server.ts'
import { nothingHere, openAnswerError, openRefuse } from './refuse.ts'
import { openRefused } from './refused.ts'
import { openServe, type Refused, type Serve } from './serve.ts'
import { serveSystem } from './system.ts'
import { openTally } from './tally.ts'

export type Http = {
  serve: Serve
  /** Throws where `routes` and what is served differ. */
  assertAllServed(routes: readonly Route[]): void
  /** For upgrades to WebSocket, which are not ours. */
  readonly server: Server
  /** The port it listens on. */
  port(): number
  /** Resolves once requests are taken; `ConfigError` about `HOST` or `PORT` where they cannot be used. */
  listen(): Promise<{ url: string; address: string }>
  /** Answers on, and ends each connection with its next answer: who comes again comes to whom a balancer chooses. */
  retire(): void
  /** Takes no more connections, and resolves when the requests under way are answered, or after 5 s. */
  stop(): Promise<void>
}

/** Requests under way have this long to end when the server stops. */
const STOP_MS = 5_000

/** Serves the contract's routes, the console built in `console_folder`, and the state of the server itself. */
export function openHttp(needs: {
  config: Pick<Config, 'HOST' | 'PORT'>
  /** Serve HTTPS. */
  tls?: Tls | undefined
  console_folder: string
  log: Logger
  metrics: Metrics
  authenticate: Authenticate
  /** Hears of each call that is answered 403, before the answer goes out. */
  onRefused?: (refused: Refused) => Promise<void>
  /** How far the server takes work; a `Refusal` where it takes none. */
  readiness: () => Readiness
  /** None where absent. */
  proxies?: Proxies
  limits?: Partial<Limits>
}): Http {
  const { config, log, metrics, proxies = openProxies([]) } = needs
  const limits = { ...LIMITS, ...needs.limits }
  const answerError = openAnswerError(log)
  const refuse = openRefuse(answerError)
  const tally = openTally(log, metrics)
  const refused = openRefused(log, metrics)
  const connections = openConnections(limits, proxies, refused)
  let direct: Direct
  const app = fastify({
    serverFactory(framework) {
      const encrypted = needs.tls !== undefined
      const headers = new Map(Object.entries(protectiveHeaders(encrypted)))
      // Below the framework, so that no answer goes without them.
      const keep_alive = `timeout=${Math.floor(limits.idle_ms / 1_000)}`
      const otherwise: typeof framework = (request, response) => {
        response.setHeaders(headers)
        if (response.shouldKeepAlive) response.setHeader('Keep-Alive', keep_alive)
        framework(request, response)
      }
      direct = openDirect({ answerError, tally, encrypted, keep_alive, otherwise })
      const { answer } = direct
      return createNodeServer({ tls: needs.tls, limits, connections, refused, answer })
    },
    clientErrorHandler: () => {}, // node-server.ts answers
    frameworkErrors: refuse,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    genReqId: requestId,
    // A long part of a path is for the rules to know or not to know.
    routerOptions: { maxParamLength: 16 * 1024 },
  })
  const { server } = app
  app.setErrorHandler(refuse)
  app.setNotFoundHandler((request, reply) => refuse(nothingHere(), request, reply))
  // How a body is written is the route's to say: see body.ts.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
  app.addHook('onResponse', (request, reply, done) => {
    tally(request.raw, nameOf(request), reply.statusCode, reply.elapsedTime)
    done()
  })

  const { authenticate } = needs
  const { serve, assertAllServed } = openServe(
    { app, direct: direct! },
    { authenticate, proxies, limits, log, onRefused: needs.onRefused },
  )
  serveSystem(app, serve, needs)
  serveConsole(app, needs.console_folder)

  let retired = false
  function retire(): void {
    if (retired) return
    retired = true
    server.prependListener('request', (_request, response: ServerResponse) => {
      response.shouldKeepAlive = false
    })
  }

  return {
    serve,
    assertAllServed,
    server,
    port: () => (server.address() as AddressInfo).port,
    async listen() {
      await app.ready()
      await listen(server, config)
      const bound = server.address() as AddressInfo
      return { url: urlOf(bound, config.HOST, needs.tls ? 'https' : 'http'), address: bound.address }
    },
    retire,
    async stop() {
      retire()
      server.close()
      const ended = Array.from(connections.underWay(), (response) => once(response, 'close'))
      await Promise.race([Promise.all(ended), setTimeout(STOP_MS, undefined, { ref: false })])
      server.closeAllConnections()
      await app.close()
    },
  }
}

function listen(server: Server, { HOST: host, PORT: port }: Pick<Config, 'HOST' | 'PORT'>): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => reject(listenFault(error, { variable: 'PORT', host, port }) as Error)
    server.once('error', fail)
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.off('error', fail)
      resolve()
    })
  })
}

/** As a person on this machine can open it. */
function urlOf({ port }: AddressInfo, HOST: string, scheme: 'http' | 'https'): string {
  const everywhere = HOST === '0.0.0.0' || HOST === '::'
  const host = everywhere ? 'localhost' : HOST.includes(':') ? `[${HOST}]` : HOST
  return `${scheme}://${host}:${port}`
}
