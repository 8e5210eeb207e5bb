import type { KeyPermission } from '@sdd/contract/accounts/api-keys.ts'
import { type ErrorCode, errorStatus } from '@sdd/contract/core/errors.ts'
import { CsvFile, type Parsed, type Route, type Schema, type Written } from '@sdd/contract/core/route.ts'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import * as z from 'zod/mini'
import type { Proxies } from '#server/core/address.ts'
import type { Caller, KeyCaller } from '#server/core/context.ts'
import { Refusal } from '#server/core/refusal.ts'
import { quick } from '#server/core/parsing.ts'
import { type Authenticate, type Exchange, type Known, readAsked } from './asked.ts'
import { openBodies } from './body.ts'
import type { Direct, Replied } from './direct.ts'
import { openFiles } from './file.ts'
import { asJson, JSON_TYPE } from './json.ts'
import type { Limits } from './limits.ts'
import type { WrittenReply } from './written.ts'

/** Serves a route of the contract. A rule that says no throws a `Refusal`. */
export type Serve = <R extends Route>(
  route: R,
  answer: (asked: Asked<R>) => Answer<R> | Promise<Answer<R>>,
) => void

/** What a route is asked, checked: the asker may, and each part is as its schema says. */
export type Asked<R extends Route> = {
  params: Parsed<R['params']>
  query: Parsed<R['query']>
  body: Parsed<R['body']>
  /** Who asks: a user, or an API key where one can hold the permission; nobody is known where the route is for anyone. */
  caller: R['may'] extends 'anyone' ? undefined : R['may'] extends KeyPermission ? Caller | KeyCaller : Caller
  /** The IP address that asks, an IPv4 one as itself; through a proxy that is known, the one that asks the proxy. */
  address: string
  /** What its browser or program calls itself; empty where it does not say. */
  user_agent: string
  /** The name under which the asker reached us, without a port; IPv6 in brackets. */
  host: string
  /** Where MQTT is reached through the proxy that spoke TLS with the asker; undefined where none did. */
  websocket_url: string | undefined
}

/** A call that was answered 403. */
export type Refused = Known & { route: Route; code: ErrorCode }

/** What a route answers: its reply, alone, marked by `withOtherStatus` or `heldBack`, or written already (`writeReply`). */
export type Answer<R extends Route> = R['reply'] extends Schema
  ? Said<R['reply']> | HeldBack<Said<R['reply']>> | WrittenReply<Written<R['reply']>>
  : void

type Said<S extends Schema> = Written<S> | OtherStatus<Written<S>>

const other = Symbol('the other status')

type OtherStatus<Reply> = { readonly [other]: Reply }

/** A reply that goes out with the route's `otherStatus` in place of its usual status of success. */
export function withOtherStatus<Reply>(reply: Reply): OtherStatus<Reply> {
  return { [other]: reply }
}

const held = Symbol('held back')

type HeldBack<Reply> = { readonly [held]: Promise<void>; readonly reply: Reply }

/** A reply that is made ready at once and goes out when `until` resolves; where that rejects, that is the answer. */
export function heldBack<Reply>(until: Promise<void> | undefined, reply: Reply): Reply | HeldBack<Reply> {
  return until ? { [held]: until, reply } : reply
}

/**
 * Serves routes, with Fastify where `direct` does not. Every reply is parsed with its schema before it leaves: what the contract does not name
 * cannot leak, and a reply that breaks the contract is an error of ours, logged, in tests and in production alike. The
 * longest lists are parsed and written in another thread (`writeReply`).
 */
export function openServe(
  { app, direct }: { app: FastifyInstance; direct: Pick<Direct, 'add'> },
  needs: {
    authenticate: Authenticate
    proxies: Pick<Proxies, 'askerOf' | 'hadTls'>
    limits: Limits
    log: Pick<Logger, 'error'>
    /** Hears of each call that is answered 403, before the answer goes out. */
    onRefused?: ((refused: Refused) => Promise<void>) | undefined
  },
) {
  const served = new Set<Route>()
  const { authenticate, proxies, onRefused } = needs
  const parts = { authenticate, proxies, readBody: openBodies(needs.limits) }
  const sendFile = openFiles(needs)

  const serve: Serve = (route, answer) => {
    served.add(route)
    // As the route's own schemas and permission make it: they are what `readAsked` went by.
    const answering = answer as (asked: unknown) => unknown
    const reply = async (exchange: Exchange) => {
      const known: Known = { caller: undefined, address: '' }
      try {
        const asked = await readAsked(route, exchange, parts, known)
        return { asked, ...checked(route, await answering(asked)) }
      } catch (error) {
        if (error instanceof Refusal && errorStatus[error.code] === 403)
          await onRefused?.({ ...known, route, code: error.code })
        throw error
      }
    }
    direct.add(route, reply)
    app.route({
      method: route.method,
      url: route.path,
      config: { contract: route },
      async handler({ raw, params }, to) {
        const exchange = { raw, response: to.raw, params: params as Exchange['params'] }
        const { asked, status, body, until } = await reply(exchange)
        await until
        to.code(status)
        if (body === undefined) return to.send()
        if (route.reply === CsvFile) return sendFile(to, body as CsvFile, asked)
        return to.type(JSON_TYPE).send(asJson(body))
      },
    })
  }

  return {
    serve,
    /** A route that the contract has and nobody serves, or the other way round, is a defect seen at the start. */
    assertAllServed(routes: readonly Route[]): void {
      const named = (some: Iterable<Route>) =>
        [...some].map(({ method, path }) => `${method} ${path}`).join(', ')
      const missing = new Set(routes).difference(served)
      if (missing.size > 0) throw new Error(`Nobody serves ${named(missing)}`)
      const undeclared = served.difference(new Set(routes))
      if (undeclared.size > 0) throw new Error(`The contract does not list ${named(undeclared)}`)
    },
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    contract?: Route
  }
}

function checked(route: Route, answer: unknown): Replied {
  if (!route.reply) return { status: route.status, body: undefined }
  if (answer instanceof Uint8Array) return { status: route.status, body: answer }
  if (typeof answer !== 'object' || answer === null)
    throw new Error(`${route.method} ${route.path} answers nothing`)
  if (held in answer) {
    const { [held]: until, reply } = answer as HeldBack<unknown>
    return { ...checked(route, reply), until }
  }
  if (!(other in answer)) return { status: route.status, body: z.parse(quick(route.reply), answer) }
  if (!route.otherStatus) throw new Error(`${route.method} ${route.path} declares no other status`)
  return { status: route.otherStatus, body: z.parse(quick(route.reply), answer[other]) }
}
