import * as z from 'zod/mini'
import type { ErrorCode } from './errors.ts'
import type { Permission } from './roles.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** A success status with a reply. */
type ReplyStatus = 200 | 201 | 202

/** The content type of each encoding of a body. */
export const mediaTypes = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
} as const

/**
 * What a user may have to do first: change a password set by somebody else, or set up the second factor that the
 * company requires. Until then every route answers 403 with the matching code, unless its `openBefore` names the duty.
 */
export const duties = ['password_change', 'second_factor_setup'] as const
export type Duty = (typeof duties)[number]

/** Any schema of a route's input or reply. */
export type Schema = z.ZodMiniType

/** The reply of a CSV route: the file name for the browser, and the text as it is produced. */
export const CsvFile = z.object({
  filename: z.string().check(z.regex(/^[\w.-]+$/)),
  pieces: z.custom<AsyncIterable<string>>((pieces) => Symbol.asyncIterator in Object(pieces)),
})
export type CsvFile = z.infer<typeof CsvFile>

/** The declaration of a route. Every default is safe. */
type RouteSpec<
  Params extends Schema | undefined,
  Query extends Schema | undefined,
  Body extends Schema | undefined,
  Reply extends Schema | undefined,
  May extends Permission,
> = {
  /** One sentence for the API's own description. */
  summary: string
  /** Who may call it. Default: any signed-in user. */
  may?: May
  /** The duties that need not be done before. Default: none. */
  openBefore?: readonly Duty[]
  params?: Params
  query?: Query
  body?: Body
  /** The most bytes of the body, if they differ from the usual limit. */
  body_bytes?: number
  /** The encoding of the body. Default: JSON. */
  encoding?: keyof typeof mediaTypes
  reply?: Reply
  /** The success status. Default: 200, or 204 without a reply. */
  status?: ReplyStatus | 204
  /** A second status of success, with the same reply. */
  otherStatus?: ReplyStatus
  /** Its errors in addition to those that every route shares. */
  errors?: readonly ErrorCode[]
  /** The statuses of errors that differ from those of other routes. */
  errorStatuses?: ErrorStatuses
  /** Whether its errors repeat `detail` as `status`. */
  errorsCarryStatus?: boolean
}

type ErrorStatuses = { readonly [Code in ErrorCode]?: number }

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
  body_bytes: number | undefined
  encoding: keyof typeof mediaTypes
  reply: Reply
  status: ReplyStatus | 204
  otherStatus: ReplyStatus | undefined
  errors: readonly ErrorCode[]
  errorStatuses: ErrorStatuses
  errorsCarryStatus: boolean
}

/** The type of a schema after parsing; `undefined` if the route has none. */
export type Parsed<S extends Schema | undefined> = S extends Schema ? z.output<S> : undefined

/** The type before parsing, as a caller writes it; `undefined` if the route has none. */
export type Written<S extends Schema | undefined> = S extends Schema ? z.input<S> : undefined

/**
 * Declares a route once, for the server, its clients, the API's description and the access test. Without `may`, a route
 * requires a signed-in user; an open route must say `anyone`.
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
    body_bytes: spec.body_bytes,
    encoding: spec.encoding ?? 'json',
    reply: spec.reply as Reply,
    status: spec.status ?? (spec.reply ? 200 : 204),
    otherStatus: spec.otherStatus,
    errors: spec.errors ?? [],
    errorStatuses: spec.errorStatuses ?? {},
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
    if (value === undefined) throw new TypeError(`${route.path} needs a value for ${name}`)
    return encodeURIComponent(value)
  })
}
