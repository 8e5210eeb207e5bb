import type { FieldError } from './errors.ts'
import { type Parsed, pathOf, type Route, type Schema, type Written } from './route.ts'

export type Client = {
  /** Calls a route and resolves to its reply, parsed with the route's schema. Rejects with a `CallFault`. */
  call: <R extends Route>(route: R, ...input: Given<R>) => Promise<Parsed<R['reply']>>
  /** Calls a route and resolves to the unparsed JSON of its reply; undefined if there is none. Rejects like `call`. */
  load: (route: Route, input: Input<Route>) => Promise<unknown>
  /** Resolves to the response with its body unread, if the server did not refuse. Rejects like `call`. */
  request: (route: Route, input: Input<Route>, accept: string) => Promise<Response>
}

type Part<Name extends string, S extends Schema | undefined> = S extends Schema
  ? { [name in Name]: Written<S> }
  : unknown
type Parts<R extends Route> = Part<'params', R['params']> &
  Part<'query', R['query']> &
  Part<'body', R['body']>

/** The input of a call of this route. A `signal` replaces the client's time limit. */
export type Input<R extends Route> = Parts<R> & { signal?: AbortSignal | undefined }
type Given<R extends Route> = unknown extends Parts<R> ? [input?: Input<R>] : [input: Input<R>]

/** A call that was refused, or got no answer (`status` 0). Its message is a sentence for people. */
export class CallFault extends Error {
  override readonly name = 'CallFault'
  /** The HTTP status; 0 if there was no answer, so the outcome is unknown. */
  readonly status: number
  readonly statusText: string
  /** The parsed body, of any shape. */
  readonly body: unknown
  /** The error code for programs; empty if the answer did not come from this API. */
  readonly code: string
  /** The facts behind the sentence: see `errorParams`. */
  readonly params: Readonly<Record<string, unknown>>
  /** The fault of each invalid field, by name. */
  readonly fields: Readonly<Record<string, string>>
  /** The same for programs: see `fieldParams`. */
  readonly field_codes: Readonly<Record<string, FieldError>>
  /** When to retry, if the server says so. */
  readonly retry_after_secs: number | undefined

  constructor(
    message: string,
    { status = 0, statusText = '', body, retry_after_secs, cause }: Partial<Facts> = {},
  ) {
    super(message, { cause })
    this.status = status
    this.statusText = statusText
    this.body = body
    this.code = textOf(body, 'code') ?? ''
    const { params, fields, field_codes } = Object(body) as Record<string, unknown>
    this.params = recordOf(params)
    this.fields = textsIn(fields)
    this.field_codes = codesIn(field_codes)
    this.retry_after_secs = retry_after_secs
  }
}

type Facts = Pick<CallFault, 'status' | 'statusText' | 'body' | 'retry_after_secs' | 'cause'>

/** The time limit of one answer. */
const PATIENCE_MS = 30_000

/**
 * A client of the API. `url` is the server (`http://127.0.0.1:8080`), `token` an API key or an access token; open
 * routes are called without it. It never retries. A task with a guid can safely be submitted again.
 */
export function openClient({ url, token }: { url: string; token?: string | undefined }): Client {
  const { origin } = new URL(url)

  async function request(route: Route, input: Input<Route>, accept: string): Promise<Response> {
    const { params, query, body, signal } = input as Loose
    const address = new URL(pathOf(route, params), url)
    for (const [name, value] of Object.entries(query ?? {})) {
      if (value !== undefined) address.searchParams.set(name, value)
    }
    const isForm = route.encoding === 'form'
    const response = await fetch(address, {
      method: route.method,
      headers: {
        accept,
        ...(token && route.may !== 'anyone' && { authorization: `Bearer ${token}` }),
        ...(body && !isForm && { 'content-type': 'application/json' }),
      },
      ...(body && { body: isForm ? new URLSearchParams(body) : JSON.stringify(body) }),
      signal: signal ?? AbortSignal.timeout(PATIENCE_MS),
    }).catch((cause: unknown) => {
      throw noAnswer(cause, signal)
    })
    if (!response.ok) throw await refusalIn(response, origin)
    return response
  }

  async function load(route: Route, input: Input<Route>): Promise<unknown> {
    const response = await request(route, input, 'application/json')
    const body = await response.text().catch((cause: unknown) => {
      throw noAnswer(cause, input.signal)
    })
    return body === '' ? undefined : parseJson(body, origin)
  }

  /** The reason given by the caller, if the caller aborted. */
  function noAnswer(cause: unknown, signal: AbortSignal | undefined): unknown {
    return signal?.aborted ? cause : new CallFault(`${origin} does not answer`, { cause })
  }

  return {
    async call(route, ...[input]) {
      const body = await load(route, input ?? {})
      return route.reply?.parse(body) as never
    },
    load,
    request,
  }
}

type Loose = {
  params?: Record<string, string | number>
  query?: Record<string, string | undefined>
  body?: Record<string, string>
  signal?: AbortSignal | undefined
}

async function refusalIn(response: Response, origin: string): Promise<CallFault> {
  const { status, statusText, headers } = response
  const body: unknown = await response.json().catch(() => undefined)
  const retry_after = headers.get('retry-after')
  return new CallFault(textOf(body, 'detail') ?? `${origin} answered ${status}`, {
    status,
    statusText,
    body,
    retry_after_secs: retry_after === null ? undefined : Number(retry_after),
  })
}

/** A success that is not JSON came from a proxy between the client and the server. */
function parseJson(body: string, origin: string): unknown {
  try {
    return JSON.parse(body)
  } catch (cause) {
    throw new CallFault(`${origin} sent an unreadable answer`, { status: 502, cause })
  }
}

/** The body's text of this name; undefined if it is empty or not a text. */
export function textOf(body: unknown, name: string): string | undefined {
  const value = (body as Record<string, unknown> | null | undefined)?.[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

function textsIn(fields: unknown): Record<string, string> {
  const pairs = Object.entries(recordOf(fields))
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
}

function codesIn(fields: unknown): Record<string, FieldError> {
  return Object.fromEntries(
    Object.entries(recordOf(fields)).flatMap(([name, fault]) => {
      const code = textOf(fault, 'code')
      return code === undefined ? [] : [[name, { code, params: recordOf(Object(fault).params) }]]
    }),
  )
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
