import { ApiError } from './errors.ts'
import { type Parsed, pathOf, type Route, type Schema, type Written } from './route.ts'

export type Client = {
  /** Calls a route, and gives its reply as the route's schema has it. Rejects with a `CallFault`. */
  call: <R extends Route>(route: R, ...input: Inputs<R>) => Promise<Parsed<R['reply']>>
}

type Part<Name extends string, S extends Schema | undefined> = S extends Schema
  ? { [name in Name]: Written<S> }
  : unknown
type Input<R extends Route> = Part<'params', R['params']> &
  Part<'query', R['query']> &
  Part<'body', R['body']>
type Inputs<R extends Route> = unknown extends Input<R> ? [] : [Input<R>]

/** A call that the server refused, or that nobody answered (`status` 0). Its message is a sentence for people. */
export class CallFault extends Error {
  override readonly name = 'CallFault'
  /** The HTTP status; 0 where there was no answer, and nobody knows what the server did. */
  readonly status: number
  /** What went wrong, for programs; empty where the answer was not ours. */
  readonly code: string
  /** What is wrong with each field. */
  readonly fields: Readonly<Record<string, string>>
  /** When to try again, where the server says so. */
  readonly retry_after_secs: number | undefined

  constructor(detail: string, more: Partial<Facts>) {
    super(detail)
    this.status = more.status ?? 0
    this.code = more.code ?? ''
    this.fields = more.fields ?? {}
    this.retry_after_secs = more.retry_after_secs
  }
}

type Facts = Pick<CallFault, 'status' | 'code' | 'fields' | 'retry_after_secs'>

/** How long one answer may take. */
const PATIENCE_MS = 30_000

/**
 * A client of the API for programs. `url` is where the server is (`http://127.0.0.1:8080`), `token` an API key or an
 * access token; without one, only what anyone may call can be called. It tries nothing again: a task that is handed in
 * with a guid may be, as often as it takes.
 */
export function openClient({ url, token }: { url: string; token?: string | undefined }): Client {
  return {
    async call(route, ...[input]) {
      const { params, query, body } = (input ?? {}) as Loose
      const address = new URL(pathOf(route, params), url)
      for (const [name, value] of Object.entries(query ?? {})) {
        if (value !== undefined) address.searchParams.set(name, value)
      }
      const response = await fetch(address, {
        method: route.method,
        headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(PATIENCE_MS),
      }).catch((cause: Error) => {
        throw Object.assign(new CallFault(`${address.origin} does not answer`, {}), { cause })
      })
      if (!response.ok) throw await faultOf(response)
      return route.reply?.parse(await response.json()) as never
    },
  }
}

type Loose = {
  params?: Record<string, string | number>
  query?: Record<string, string | undefined>
  body?: unknown
}

async function faultOf(response: Response): Promise<CallFault> {
  const { status, headers, url } = response
  const answer: unknown = await response.json().catch(() => undefined)
  const refusal = ApiError.safeParse(answer).data
  const retry_after = headers.get('retry-after')
  return new CallFault(refusal?.detail ?? `${new URL(url).origin} answered ${status}`, {
    status,
    code: refusal?.code ?? '',
    fields: refusal?.fields ?? {},
    retry_after_secs: retry_after === null ? undefined : Number(retry_after),
  })
}
