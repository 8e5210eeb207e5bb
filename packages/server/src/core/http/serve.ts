import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { KeyPermission } from '@sdd/contract/accounts/api-keys.ts'
import { type ErrorCode, errorStatus } from '@sdd/contract/core/errors.ts'
import { CsvFile, type Parsed, type Route, type Schema, type Written } from '@sdd/contract/core/route.ts'
import type { Answer } from '@sdd/http/answer.ts'
import type { HttpServer, Routed } from '@sdd/http/http-server.ts'
import { JSON_TYPE } from '@sdd/http/json.ts'
import type { ConnectionFault } from '@sdd/http/node-server.ts'
import type { Logger } from 'pino'
import * as z from 'zod/mini'
import { addressOf, type Proxies } from '#server/core/address.ts'
import type { Caller, KeyCaller } from '#server/core/context.ts'
import type { Metrics } from '#server/core/metrics.ts'
import { Refusal } from '#server/core/refusal.ts'
import { openThrottledLog } from '@sdd/mqtt/log.ts'
import { openDownloads } from './download.ts'
import type { Limits } from './limits.ts'
import { type Authenticate, type KnownCaller, quick, readRequest } from './request.ts'
import type { WrittenReply } from './serialized-reply.ts'

/** Serves a route of the contract. A rule that refuses the request throws a `Refusal`. */
export type Serve = <R extends Route>(
  route: R,
  answer: (request: RouteRequest<R>) => Reply<R> | Promise<Reply<R>>,
) => void

/** A checked request: the caller has the permission, and each part matches its schema. */
type RouteRequest<R extends Route> = {
  params: Parsed<R['params']>
  query: Parsed<R['query']>
  body: Parsed<R['body']>
  /** A user, or an API key if one can hold the permission; `undefined` if the route is for anyone. */
  caller: R['may'] extends 'anyone' ? undefined : R['may'] extends KeyPermission ? Caller | KeyCaller : Caller
  /**
   * The client's IP address, with an IPv4-mapped IPv6 address as plain IPv4. Behind a known proxy, the address of the
   * proxy's client.
   */
  address: string
  /** The `User-Agent` of the client; empty if it sends none. */
  user_agent: string
  /** The host name under which the client reached us, without a port; IPv6 in brackets. */
  host: string
  /** The address of MQTT through the proxy that spoke TLS with the client; `undefined` if none did. */
  websocket_url: string | undefined
}

/** A call that was answered 403. */
export type ForbiddenCall = KnownCaller & { route: Route; code: ErrorCode }

/** A route's reply: plain, marked by `withOtherStatus` or `afterSync`, or already serialised (`writeReply`). */
type Reply<R extends Route> = R['reply'] extends Schema
  ? AnyStatus<R['reply']> | AfterSync<AnyStatus<R['reply']>> | WrittenReply<Written<R['reply']>>
  : void

type AnyStatus<S extends Schema> = Written<S> | OtherStatus<Written<S>>

const other = Symbol('the other status')

type OtherStatus<Body> = { readonly [other]: Body }

/** A reply with the route's `otherStatus` instead of its usual success status. */
export function withOtherStatus<Body>(reply: Body): OtherStatus<Body> {
  return { [other]: reply }
}

const sync = Symbol('after the sync')

type AfterSync<Body> = { readonly [sync]: Promise<void>; readonly reply: Body }

/** A reply that is prepared at once and sent when `synced` resolves. If that rejects, its error is sent instead. */
export function afterSync<Body>(synced: Promise<void> | undefined, reply: Body): Body | AfterSync<Body> {
  return synced ? { [sync]: synced, reply } : reply
}

/**
 * Serves the contract's routes. Every reply is parsed with its schema before it is sent, so that fields outside the
 * contract cannot leak. A reply that breaks the contract is an error of ours, and is logged in tests and in production
 * alike. The longest lists are parsed and serialised in another thread (`writeReply`).
 */
export function openServe(
  http: Pick<HttpServer<ServedRoute>, 'serve' | 'readBody'>,
  needs: {
    authenticate: Authenticate
    proxies: Pick<Proxies, 'askerOf' | 'hadTls'>
    limits: Limits
    /** Called for each call that gets a 403, before the response is sent. */
    onForbidden?: ((call: ForbiddenCall) => Promise<void>) | undefined
  },
) {
  const served = new Set<Route>()
  const reading = { ...needs, readBody: http.readBody }
  const answerDownload = openDownloads(needs.limits)

  const serve: Serve = (route, answer) => {
    served.add(route)
    // The types match, because `readRequest` has checked the route's own schemas and permission.
    const run = answer as (request: unknown) => unknown
    http.serve(route, async (exchange) => {
      const known: KnownCaller = { caller: undefined, address: '' }
      try {
        const request = await readRequest(route, exchange, reading, known)
        const reply = await run(request)
        if (route.reply === CsvFile)
          return answerDownload(z.parse(CsvFile, reply), request, exchange.response)
        return answerOf(route, reply)
      } catch (error) {
        if (error instanceof Refusal && errorStatus[error.code] === 403)
          await needs.onForbidden?.({ ...known, route, code: error.code })
        throw error
      }
    })
  }

  return {
    serve,
    /** Fails the start if a route of the contract is not served, or a served route is not in the contract. */
    assertAllServed(routes: readonly Route[]): void {
      const named = (some: Iterable<Route>) =>
        [...some].map(({ method, path }) => `${method} ${path}`).join(', ')
      const missing = new Set(routes).difference(served)
      if (missing.size > 0) throw new Error(`No route is served for ${named(missing)}`)
      const undeclared = served.difference(new Set(routes))
      if (undeclared.size > 0) throw new Error(`The contract does not list ${named(undeclared)}`)
    },
  }
}

function answerOf(route: Route, reply: unknown): Answer {
  if (!route.reply) return { status: route.status }
  if (reply instanceof Uint8Array) return { status: route.status, type: JSON_TYPE, body: reply }
  if (typeof reply !== 'object' || reply === null)
    throw new Error(`${route.method} ${route.path} has no reply`)
  if (sync in reply) {
    const { [sync]: until, reply: body } = reply as AfterSync<unknown>
    return { ...answerOf(route, body), until }
  }
  if (!(other in reply)) return jsonAnswer(route.status, route.reply, reply)
  if (!route.otherStatus) throw new Error(`${route.method} ${route.path} declares no other status`)
  return jsonAnswer(route.otherStatus, route.reply, reply[other])
}

function jsonAnswer(status: number, schema: Schema, reply: unknown): Answer {
  return { status, type: JSON_TYPE, body: JSON.stringify(z.parse(quick(schema), reply)) }
}

/** A route of the contract, or another one such as the console or the metrics. */
export type ServedRoute = { method: string; path: string } & Partial<
  Pick<Route, 'errorsCarryStatus' | 'errorStatuses'>
>

/**
 * `not_ready` and `disk_full` are not faults of the request. Each has its own log line, and a log must not fill a full
 * disk.
 */
const LOGGED_ELSEWHERE = new Set<number>([errorStatus.not_ready, errorStatus.disk_full])

/** Counts and logs each answered request, and each connection that ended without an answer. */
export function openRequestMetrics(
  log: Pick<Logger, 'debug' | 'info' | 'warn' | 'isLevelEnabled'>,
  metrics: Pick<Metrics, 'counter' | 'histogram'>,
) {
  const seconds = metrics.histogram(
    'sdd_http_request_seconds',
    'Time from the headers of a request until its response was sent',
    {
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      labels: ['method', 'route', 'status'],
    },
  )
  const faults = metrics.counter(
    'sdd_http_refused_total',
    'HTTP connections that a limit ended, or that spoke no valid HTTP',
    ['why'],
  )
  const throttled = openThrottledLog()
  return {
    onAnswered(routed: Routed<ServedRoute>, status: number, ms: number): void {
      const labels = {
        method: routed.request.method!,
        route: patternOf(routed.route),
        status: String(status),
      }
      seconds.observe(labels, ms / 1_000)
      const level = status >= 500 && !LOGGED_ELSEWHERE.has(status) ? 'warn' : 'debug'
      if (!log.isLevelEnabled(level)) return
      log[level]({ ...nameRequest(routed), status, ms: Math.round(ms) }, 'Request')
    },
    /** Throttled. It logs the address and the reason, but nothing that the client wrote. */
    onFault(why: ConnectionFault, socket: Socket): void {
      faults.inc({ why })
      const { level, unsaid } = throttled(why)
      log[level]({ why, address: addressOf(socket), unsaid }, 'An HTTP connection was refused')
    },
  }
}

/** The fields that identify a request in the log: its route, never the actual path or query. */
export function nameRequest({ request, route }: Routed<ServedRoute>) {
  return { request_id: requestId(request), method: request.method!, route: patternOf(route) }
}

/** The name of a route in metrics and log lines. */
function patternOf(route: ServedRoute | undefined): string {
  return route?.path ?? 'none'
}

const ids = new WeakMap<IncomingMessage, string>()

/** Identifies this request to its client and in the log. Created on first use, because most requests need none. */
export function requestId(request: IncomingMessage): string {
  return ids.getOrInsertComputed(request, () => randomUUID())
}
