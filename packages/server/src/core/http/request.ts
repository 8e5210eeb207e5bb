import type { IncomingMessage } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import { holds, keyPermissions, type Permission } from '@sdd/contract/core/roles.ts'
import { wholeFields } from '@sdd/contract/core/fields.ts'
import { type Duty, mediaTypes, type Route, type Schema } from '@sdd/contract/core/route.ts'
import { hasArrived, type ReadBody } from '@sdd/http/body.ts'
import { hasTwice } from '@sdd/http/header-names.ts'
import type { Exchange } from '@sdd/http/http-server.ts'
import { readUrlencoded } from '@sdd/http/urlencoded.ts'
import * as z from 'zod/mini'
import type { Proxies } from '#server/core/address.ts'
import type { Caller, KeyCaller, KeyHolder, SignedIn } from '#server/core/context.ts'
import { fault, invalidFields } from '#server/core/field-faults.ts'
import { accessChanged, type Fault, type Faults, Refusal } from '#server/core/refusal.ts'
import { faultOf } from './field-codes.ts'
import type { Limits } from './limits.ts'
import { rawQueryOf } from './query.ts'

/**
 * Finds the holder of the session or API key that the token names; `undefined` if it does not exist or is no longer
 * valid.
 */
export type Authenticate = (token: string, address: string) => MaybePromise<SignedIn | KeyHolder | undefined>

type MaybePromise<T> = T | Promise<T>

/** The caller, filled in as soon as it is known, even if it lacks the permission. */
export type KnownCaller = { caller: Caller | KeyCaller | undefined; address: string }

/**
 * Reads a request as its route declares it. The checks run in this order: the caller (`unauthorized`), a duty that
 * comes first (`password_change_required`, `second_factor_setup_required`), the permission of the role or key
 * (`forbidden`), the format of the body, and the values (`invalid`, every field at once). A caller without permission
 * learns nothing else, and their body is not read.
 */
export async function readRequest(
  route: Route,
  { request, response, params }: Exchange,
  needs: {
    authenticate: Authenticate
    readBody: ReadBody
    proxies: Pick<Proxies, 'askerOf' | 'hadTls'>
    limits: Pick<Limits, 'body_bytes' | 'stranger_body_bytes'>
  },
  known: KnownCaller,
) {
  const { authenticate, readBody, proxies, limits } = needs
  const reached = readHost(request.headers.host ?? '')
  const address = proxies.askerOf(request)
  known.address = address
  const identify = async (): Promise<void> => {
    const holder = await findHolder(request, authenticate, address)
    known.caller = holder && { ...holder, address }
    authorize(route, request, known.caller)
  }
  if (route.may === 'anyone') refuseForeignPage(route, request)
  else await identify()
  const has_arrived = hasArrived(request)
  const body = {
    type: mediaTypes[route.encoding],
    // Requests without a session get less memory, so that they do not make others wait for it.
    max_bytes: route.may === 'anyone' ? limits.stranger_body_bytes : (route.body_bytes ?? limits.body_bytes),
  }
  const parts = {
    params: checkParams(params),
    query: route.query && readUrlencoded(rawQueryOf(request.url)),
    body: route.body && (await readBody(response, body)),
  }
  // A caller may lose the permission while a slow body arrives.
  if (known.caller && route.body && !has_arrived) await identify()
  const { caller } = known
  return {
    ...parseParts(route, parts),
    caller,
    address,
    user_agent: request.headers['user-agent'] ?? '',
    host: reached?.hostname ?? request.socket.localAddress ?? '',
    websocket_url: reached && proxies.hadTls(request) ? `wss://${reached.host}/mqtt` : undefined,
    /** Rejects once the caller loses the permission, or its scope has changed. */
    async recheck() {
      if (caller === undefined) return
      const { scope } = authorize(route, request, await findHolder(request, authenticate, address))
      if (!isDeepStrictEqual(scope, caller.scope)) throw accessChanged()
    },
  }
}

let latest: { written: string; reached: URL | null } = { written: '', reached: null }

/** Parses the `Host` header. Cached, because it is nearly always the same as in the previous request. */
function readHost(written: string): URL | null {
  if (latest.written !== written) latest = { written, reached: URL.parse(`http://${written}`) }
  return latest.reached
}

/**
 * A page of another origin must not make its visitors call a route without a session: wrong passwords that it guesses
 * would count for their address. Browsers report the origin of a request (Fetch Metadata), and no page can change that.
 */
function refuseForeignPage({ method }: Route, { headers }: IncomingMessage): void {
  const from = headers['sec-fetch-site'] ?? 'none'
  if (method === 'GET' || from === 'none' || from === 'same-origin') return
  throw new Refusal('forbidden', 'A page of another origin may not do this: open the console itself.', {
    params: { reason: 'foreign_page' },
  })
}

function findHolder(
  request: IncomingMessage,
  authenticate: Authenticate,
  address: string,
): ReturnType<Authenticate> {
  const token = tokenOf(request)
  return token === '' ? undefined : authenticate(token, address)
}

/** Empty if there is none. */
function tokenOf(request: IncomingMessage): string {
  // Node keeps the first of several headers, but a proxy in front may have checked the last.
  if (hasTwice(request, 'authorization')) {
    throw new Refusal('malformed', 'There is more than one Authorization header.')
  }
  const [, token = ''] = /^Bearer +([\w.~+/-]+=*) *$/i.exec(request.headers.authorization ?? '') ?? []
  return token
}

/** Returns the caller if it may call the route. Only this function decides that. */
function authorize(
  route: Route,
  request: IncomingMessage,
  caller: SignedIn | KeyHolder | undefined,
): SignedIn | KeyHolder {
  if (!caller) {
    throw new Refusal(
      'unauthorized',
      tokenOf(request).startsWith('sdk_')
        ? 'This API key is unknown, revoked or has expired: make a new one in Settings.'
        : 'There is no session, or it has ended: log in again.',
    )
  }
  if ('duty' in caller && caller.duty !== undefined && !route.openBefore.includes(caller.duty)) {
    throw new Refusal(`${caller.duty}_required`, DUTIES[caller.duty])
  }
  const refused = whyNot(caller, route.may)
  if (refused !== undefined) {
    const params = 'role' in caller ? ({ reason: 'role', role: caller.role } as const) : KEY_REFUSED
    throw new Refusal('forbidden', refused, { params })
  }
  return caller
}

const DUTIES: Record<Duty, string> = {
  password_change:
    'Somebody else set your password: first choose your own (POST /api/password), then you can do everything else.',
  second_factor_setup:
    'Your company requires a second factor: first set yours up (POST /api/second-factor), then you can do everything else.',
}

const KEY_REFUSED = { reason: 'api_key' } as const

/** Why the caller lacks the permission; `undefined` if it has it. */
function whyNot(caller: SignedIn | KeyHolder, permission: Permission): string | undefined {
  if ('role' in caller) {
    if (holds(caller.role, permission)) return undefined
    return `The role ${caller.role} may not do this: ask an administrator.`
  }
  if ((caller.may as readonly Permission[]).includes(permission)) return undefined
  return (keyPermissions as readonly Permission[]).includes(permission)
    ? `The API key ${caller.name} may only do ${caller.may.join(', ')}: use one that may do ${permission}.`
    : 'An API key opens only the routes of external tasks and GET /api/inbox: log in as a user for this one.'
}

function checkParams(params: Exchange['params']): Exchange['params'] {
  // PostgreSQL cannot store a NUL, so no name in a path can contain one.
  if (Object.values(params).some((value) => value.includes('\0'))) {
    throw new Refusal('malformed', 'The path contains a NUL character.')
  }
  return params
}

type Parts = Record<'params' | 'query' | 'body', unknown>

function parseParts(route: Route, parts: Parts): Parts {
  // A map, because a client may name a field like a property of every object, such as `constructor`.
  const all: FaultMap = new Map()
  let isValid = true
  const read = (part: keyof Parts): unknown => {
    const schema = route[part]
    if (!schema) return undefined
    const explain = part === 'query' || route.encoding === 'form' ? explainPair : explainMissing
    const { value, faults } = parse(schema, parts[part], { whole: part, explain })
    if (!faults) return value
    isValid = false
    for (const [name, fault] of Object.entries(faults)) all.getOrInsert(name, fault)
    return undefined
  }
  const values = { params: read('params'), query: read('query'), body: read('body') }
  if (!isValid) throw invalidFields(Object.fromEntries(all))
  return values
}

type FaultMap = Map<string, Fault>

const explainPair: typeof explainMissing = (issue) =>
  Array.isArray(issue.input) ? 'is given more than once' : explainMissing(issue)

type Issue = z.core.$ZodIssue

/**
 * Parses a JSON value by its schema. If it does not match, returns every fault. Faults of the whole value are listed
 * under `whole`.
 */
export function parse<S extends Schema>(
  schema: S,
  value: unknown,
  { whole = 'body', explain = explainMissing }: { whole?: string; explain?: z.core.$ZodErrorMap } = {},
): { value: z.output<S>; faults?: never } | { faults: Faults; value?: never } {
  const parsed = z.safeParse(quick(schema), value, { error: explain, reportInput: true })
  if (parsed.success) return { value: parsed.data }
  const faults: FaultMap = new Map()
  for (const issue of parsed.error.issues) noteFaults({ faults, schema, whole }, issue, [])
  return { faults: Object.fromEntries(faults) }
}

/** A faster version of the schema: zod reads a `mini` object field by field, although it can generate code for it. */
export function quick<S extends Schema>(schema: S): S {
  return quicker.getOrInsertComputed(schema, quicken) as S
}

const quicker = new WeakMap<z.core.$ZodType, z.core.$ZodType>()

function quicken(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.core.$ZodUnion) {
    return new z.core.$ZodUnion({ ...schema._zod.def, options: schema._zod.def.options.map(quicken) })
  }
  if (schema instanceof z.core.$ZodArray) {
    return new z.core.$ZodArray({ ...schema._zod.def, element: quicken(schema._zod.def.element) })
  }
  if (!(schema instanceof z.core.$ZodObject)) return schema
  const fields = Object.entries(schema._zod.def.shape).map(([name, field]) => [name, quicken(field)])
  return new z.core.$ZodObjectJIT({ ...schema._zod.def, shape: Object.fromEntries(fields) })
}

/** A message for schemas that have none: a missing value "is required". Other issues keep zod's message. */
const explainMissing: z.core.$ZodErrorMap = (issue) => (issue.input === undefined ? 'is required' : undefined)

function noteFaults(
  noting: { faults: FaultMap; schema: Schema; whole: string },
  issue: Issue,
  above: readonly PropertyKey[],
): void {
  const { faults, schema, whole } = noting
  const path = [...above, ...issue.path]
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) {
      const isPart = path.length > 0 && isWhole(schema, path[0]!)
      const why = isPart ? `${[...path.slice(1), key].join('.')} is not known here` : 'is not known here'
      const name = isPart ? String(path[0]) : [...path, key].join('.')
      faults.getOrInsert(name, fault(why, 'unknown_field', {}))
    }
    return
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    for (const inner of meant(issue.errors)) noteFaults(noting, inner, path)
    return
  }
  const [name, ...part] = path
  if (part.length > 0 && isWhole(schema, name!)) {
    const { why } = faultOf(issue, schema, path)
    faults.getOrInsert(String(name), fault(`${part.join('.')} ${why}`, 'bad_format', {}))
    return
  }
  // A text in a list is a fault of the list. An object in a list has fields of its own, so it keeps its place.
  const isObject = issue.code === 'invalid_type' && issue.expected === 'object'
  const named = typeof path.at(-1) === 'number' && !isObject ? path.slice(0, -1) : path
  faults.getOrInsertComputed(named.join('.') || whole, () => faultOf(issue, schema, path))
}

/** Whether faults in this field are reported as faults of the whole field. */
function isWhole(schema: Schema, name: PropertyKey): boolean {
  const { shape } = schema._zod.def as { shape?: Record<PropertyKey, Schema> }
  const field = shape && Object.hasOwn(shape, name) ? shape[name] : undefined
  return field !== undefined && wholeFields.has(field)
}

/** The issues of the form that was probably meant: the first one with the fewest unknown keys. */
function meant(forms: readonly (readonly Issue[])[]): readonly Issue[] {
  const unknown = (issues: readonly Issue[]) =>
    issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 0), 0)
  return forms.reduce((best, form) => (unknown(form) < unknown(best) ? form : best))
}

z.config(z.locales.en())
