import { pathOf, type Parsed, type Route, type Schema, type Written } from '@sdd/contract/core/route.ts'
import { noteDuty } from '#console/core/duty.ts'
import { askForProof } from '#console/core/proof.ts'
import { expireSession, readSession } from '#console/core/session.ts'
import { text } from '#console/core/text.ts'

/** A refusal, or no answer at all (`status` 0). */
export class ApiFault extends Error {
  readonly status: number
  readonly statusText: string
  /** The parsed body, whatever it was. */
  readonly body: unknown

  constructor(status: number, statusText: string, body?: unknown) {
    super(textOf(body, 'detail') ?? `Error ${status}: ${statusText}`)
    this.name = 'ApiFault'
    this.status = status
    this.statusText = statusText
    this.body = body
  }
}

type Part<Name extends string, S extends Schema | undefined> = S extends Schema
  ? { [name in Name]: Written<S> }
  : unknown

type Input<R extends Route> = Part<'params', R['params']> &
  Part<'query', R['query']> &
  Part<'body', R['body']> & { signal?: AbortSignal }

/**
 * Calls a route of the contract with the session's token. The reply is parsed with the route's own schema, or
 * by `read` where a screen takes more than that: a server may answer the user specification's fields alone, and
 * long lists are not worth a parse. Where the server wants a proof of who sits at the screen, it is asked for, and the
 * call is made again. Rejects with an ApiFault; a 401 also ends the session.
 */
export async function call<R extends Route, Reply = Parsed<R['reply']>>(
  route: R,
  input: Input<R>,
  read: (body: unknown) => Reply = (body) => route.reply?.parse(body) as Reply,
): Promise<Reply> {
  const ask = () => request(route, input as Loose, 'application/json')
  const response = await ask().catch(async (fault: unknown) => {
    if (wantsProof(fault) && (await askForProof())) return ask()
    throw fault
  })
  return read(await readReply(response, (input as Loose).signal))
}

/**
 * Loads a route's CSV file, as it comes, and the name that the server gives it; `heard` learns how many bytes there
 * are. Rejects as `call` does, also where the reply ends too soon.
 */
export async function download<R extends Route>(
  route: R,
  input: Input<R>,
  heard: (bytes: number) => void,
): Promise<{ file: Blob; name: string | undefined }> {
  const { signal } = input as Loose
  const response = await request(route, input as Loose, 'text/csv')
  const type = response.headers.get('content-type') ?? ''
  if (!type.startsWith('text/csv') || !response.body) throw new ApiFault(502, type)
  const reader = response.body.getReader()
  const parts: BlobPart[] = []
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read().catch((fault: unknown) => {
      throw signal?.aborted ? fault : new ApiFault(0, '')
    })
    if (done) return { file: new Blob(parts, { type }), name: nameIn(response) }
    parts.push(value)
    bytes += value.length
    heard(bytes)
  }
}

function nameIn(response: Response): string | undefined {
  return /filename="?([\w.-]+)/.exec(response.headers.get('content-disposition') ?? '')?.[1]
}

/** The response of a call that the server did not refuse. */
async function request(
  route: Route,
  { params, query, body, signal }: Loose,
  accept: string,
): Promise<Response> {
  const token = route.may === 'anyone' ? undefined : readSession()?.token
  const headers: Record<string, string> = { accept }
  if (token) headers.authorization = `Bearer ${token}`
  const init: RequestInit = { method: route.method, headers, signal }
  if (body && route.encoding === 'form') init.body = new URLSearchParams(body as Record<string, string>)
  else if (body) {
    headers['content-type'] = 'application/json'
    init.body = JSON.stringify(body)
  }
  const askedAt_ms = performance.now()
  const response = await fetch(pathOf(route, params) + search(query), init).catch((fault: unknown) => {
    if (signal?.aborted) throw fault
    throw new ApiFault(0, '')
  })
  if (response.ok) return response
  const reply = await readBody(response)
  if (response.status === 401 && token) expireSession(token)
  if (response.status === 403 && token) noteDuty(textOf(reply, 'code'), token, askedAt_ms)
  throw new ApiFault(response.status, response.statusText, reply)
}

/** A text that the body has under this name. */
export function textOf(body: unknown, name: string): string | undefined {
  const value = (body as Record<string, unknown> | null | undefined)?.[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Whether the server wants to know first that it is the user who asks: where a call still fails so, they did not say. */
export function wantsProof(fault: unknown): boolean {
  return fault instanceof ApiFault && textOf(fault.body, 'code') === 'proof_required'
}

/**
 * Why a call failed, for whoever made it: the server's own words, that it gave no answer, or `otherwise`. Nothing where the
 * person chose not to prove who they are: they know.
 */
export function whyOf(fault: unknown, otherwise: string): string {
  if (!(fault instanceof ApiFault)) return otherwise
  if (wantsProof(fault)) return ''
  return fault.status === 0 ? text.noReply : (textOf(fault.body, 'detail') ?? otherwise)
}

/** What a refusal says of each field that it found invalid, by the field's name. */
export function fieldsOf(fault: unknown): Record<string, string> {
  const { fields } = ((fault instanceof ApiFault && fault.body) || {}) as { fields?: unknown }
  const pairs = typeof fields === 'object' && fields !== null ? Object.entries(fields) : []
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
}

/** The rows of a list, bare or wrapped under its own name or `data`; what is not an object is left out. */
export function rowsOf<Row>(body: unknown, name: string): Row[] {
  const wrapped = body as Record<string, unknown> | null | undefined
  const rows = Array.isArray(body) ? body : (wrapped?.[name] ?? wrapped?.data)
  if (!Array.isArray(rows)) throw new ApiFault(200, `no ${name}`)
  return rows.filter((row) => typeof row === 'object' && row !== null) as Row[]
}

type Loose = {
  params?: Record<string, string | number>
  query?: Record<string, string | undefined>
  body?: object
  signal?: AbortSignal
}

function search(query: Loose['query'] = {}): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return given.length ? `?${new URLSearchParams(given)}` : ''
}

/** The body as JSON, `undefined` where it is empty. What is neither came from something between us and the server. */
async function readReply(response: Response, signal: AbortSignal | undefined): Promise<unknown> {
  const body = await response.text().catch((fault: unknown) => {
    throw signal?.aborted ? fault : new ApiFault(0, '')
  })
  if (body === '') return undefined
  try {
    return JSON.parse(body)
  } catch {
    throw new ApiFault(502, text.unreadable)
  }
}

/** The body of a refusal as JSON; `undefined` where it is empty or is none. */
async function readBody(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch {
    return undefined
  }
}
