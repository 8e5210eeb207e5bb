import * as z from 'zod/mini'
import type { ErrorCode } from './errors.ts'
import type { Permission } from './roles.ts'

export type Method = 'GET' | 'POST' | 'DELETE'

/** A status of success that comes with a reply. */
export type ReplyStatus = 200 | 201 | 202

/** The content type of a body, by how it is written. */
export const mediaTypes = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
} as const

/**
 * What a user may have to do before anything else: change a password that somebody else set, or set up the second factor
 * that their company requires. Until then every route answers 403 with the code of that name, but those that say they
 * are `openBefore` it.
 */
export const duties = ['password_change', 'second_factor_setup'] as const
export type Duty = (typeof duties)[number]

/** A schema of any shape: what a route takes or answers. */
export type Schema = z.ZodMiniType

/** The reply of a route that answers a CSV file: what a browser shall call it, and its text as it is made. */
export const CsvFile = z.object({
  filename: z.string().check(z.regex(/^[\w.-]+$/)),
  pieces: z.custom<AsyncIterable<string>>((pieces) => Symbol.asyncIterator in Object(pieces)),
})
export type CsvFile = z.infer<typeof CsvFile>

/** What a route's declaration may say; everything has a safe default. */
export type RouteSpec<
  Params extends Schema | undefined,
  Query extends Schema | undefined,
  Body extends Schema | undefined,
  Reply extends Schema | undefined,
  May extends Permission,
> = {
  /** One sentence for the API's own description. */
  summary: string
  /** Who may call it; a route that says nothing wants a signed-in user. */
  may?: May
  /** Also open to users who still have to do this; nothing, where absent. */
  openBefore?: readonly Duty[]
  params?: Params
  query?: Query
  body?: Body
  /** How the body is written on the wire; JSON where absent. */
  encoding?: keyof typeof mediaTypes
  reply?: Reply
  /** Status of success: 200 where absent, 204 where there is no reply. */
  status?: ReplyStatus | 204
  /** A second status of success, with the same reply. */
  otherStatus?: ReplyStatus
  /** What it may answer beyond the errors that every route shares. */
  errors?: readonly ErrorCode[]
  /** Whether its errors repeat `detail` as `status`. */
  errorsCarryStatus?: boolean
}

export type Route<
  Params extends Schema | undefined = Schema | undefined,
  Query extends Schema | undefined = Schema | undefined,
  Body extends Schema | undefined = Schema | undefined,
  Reply extends Schema | undefined = Schema | undefined,
  May extends Permission = Permission,
> = {
  method: Method
  /** With named parts: `/api/device/:uid/networks`. */
  path: string
  summary: string
  may: May
  openBefore: readonly Duty[]
  params: Params
  query: Query
  body: Body
  encoding: keyof typeof mediaTypes
  reply: Reply
  status: ReplyStatus | 204
  otherStatus: ReplyStatus | undefined
  errors: readonly ErrorCode[]
  errorsCarryStatus: boolean
}

/** What a schema gives once parsed; `undefined` where the route has none. */
export type Parsed<S extends Schema | undefined> = S extends Schema ? z.output<S> : undefined

/** What a caller writes before parsing; `undefined` where the route has none. */
export type Written<S extends Schema | undefined> = S extends Schema ? z.input<S> : undefined

/**
 * Declares a route once, for the server that serves it, the clients that call it, the API's
 * description and the access test. A route without `may` wants a signed-in user: `anyone` must be written.
 */
export function route<
  Params extends Schema | undefined = undefined,
  Query extends Schema | undefined = undefined,
  Body extends Schema | undefined = undefined,
  Reply extends Schema | undefined = undefined,
  const May extends Permission = 'signed-in',
>(
  where: `${Method} /${string}`,
  spec: RouteSpec<Params, Query, Body, Reply, May>,
): Route<Params, Query, Body, Reply, May> {
  const [method, path] = where.split(' ') as [Method, string]
  return {
    method,
    path,
    summary: spec.summary,
    may: spec.may ?? ('signed-in' as May),
    openBefore: spec.openBefore ?? [],
    params: spec.params as Params,
    query: spec.query as Query,
    body: spec.body as Body,
    encoding: spec.encoding ?? 'json',
    reply: spec.reply as Reply,
    status: spec.status ?? (spec.reply ? 200 : 204),
    otherStatus: spec.otherStatus,
    errors: spec.errors ?? [],
    errorsCarryStatus: spec.errorsCarryStatus ?? false,
  }
}

/** The path with its named parts filled in, each one percent-encoded. */
export function pathOf(
  route: Pick<Route, 'path'>,
  params: Readonly<Record<string, string | number>> = {},
): string {
  return route.path.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined) throw new TypeError(`${route.path} wants a value for ${name}`)
    return encodeURIComponent(value)
  })
}
