import type { NewTask, TaskResult } from './types.ts'

/** A call that was refused, or got no answer (`status` 0). Its message is a sentence for people. */
export class SddError extends Error {
  override readonly name = 'SddError'
  /** The HTTP status; 0 if there was no answer. */
  readonly status: number
  /** The error code for programs; empty if the answer did not come from this API. */
  readonly code: string
  /** The facts behind the sentence. */
  readonly params: Readonly<Record<string, unknown>>
  /** The fault of each invalid field, by name. */
  readonly fields: Readonly<Record<string, string>>
  /** When to retry, if the server says so. */
  readonly retry_after_secs: number | undefined
  /** Of `send` and `sendMany`: all tasks with their guids. The same tasks may be submitted again: none is sent twice. */
  tasks: readonly NewTask[] = []
  /** Of `sendMany`: the results of the first tasks, which were answered before. */
  results: readonly TaskResult[] = []

  constructor(message: string, { status = 0, body, retry_after_secs, cause }: Partial<Facts> = {}) {
    super(message, { cause })
    const { code, params, fields } = Object(body) as Record<string, unknown>
    this.status = status
    this.code = typeof code === 'string' ? code : ''
    this.params = Object(params) as Record<string, unknown>
    this.fields = Object(fields) as Record<string, string>
    this.retry_after_secs = retry_after_secs
  }
}

type Facts = { status: number; body: unknown; retry_after_secs: number | undefined; cause: unknown }

export type Settings = {
  /** The server, such as `https://sms.example.com`. */
  url: string
  /** An API key (`sdk_…`), or the access token of a person. */
  key?: string
  /** The most attempts of one call. */
  attempts?: number
  /** The time limit of one attempt. A body that comes in pieces, as an export does, may take longer. */
  timeout_ms?: number
  /** The pause after the first failure. It doubles after each of the next. */
  pause_ms?: number
  fetch?: typeof fetch
}

export type Call = {
  query?: Readonly<Record<string, string | number | undefined>>
  body?: unknown
  form?: Readonly<Record<string, string>>
  signal?: AbortSignal | undefined
  /** Whether a second call does nothing twice. Any other call is tried once. Default: GET, PUT and DELETE. */
  repeatable?: boolean
}

export type Request = (method: string, path: string, call?: Call) => Promise<Response>

export type Requests = {
  /** Resolves once the headers of the answer are there. */
  request: Request
  /** Resolves to the JSON of the answer. An answer that breaks off counts as none. */
  json<T>(...asked: Parameters<Request>): Promise<T>
}

const REPEATABLE: readonly string[] = ['GET', 'PUT', 'DELETE']
const MAX_PAUSE_MS = 30_000

/** How the address of a server begins: the end of a sentence. */
export const ADDRESS = 'must begin with https:// or http://, such as https://sms.example.com'

export function isAddress(url: string): boolean {
  return /^https?:/i.test(url) && URL.canParse(url)
}

/**
 * Calls the API. After no answer, 429, 502, 503 or 504 it tries a repeatable call again, as late as `Retry-After` says.
 * Rejects with an `SddError`, or with the reason of `signal`.
 */
export function openRequests(settings: Settings): Requests {
  const { url, key, attempts = 5, timeout_ms = 30_000, pause_ms = 500 } = settings
  const ask = settings.fetch ?? fetch

  async function attempt<T>(read: Read<T>, method: string, path: string, call: Call): Promise<T> {
    const { query = {}, body, form, signal } = call
    const address = new URL(path, url)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) address.searchParams.set(name, String(value))
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(), timeout_ms)
    try {
      const response = await ask(address, {
        method,
        headers: {
          ...(key && { authorization: `Bearer ${key}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(form && { body: new URLSearchParams(form) }),
        signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal,
      })
      if (!response.ok) throw await refusalIn(response, address.origin)
      return await read(response)
    } catch (cause) {
      if (signal?.aborted) throw signal.reason
      throw cause instanceof SddError ? cause : new SddError(`${address.origin} does not answer`, { cause })
    } finally {
      clearTimeout(timer)
    }
  }

  async function retry<T>(read: Read<T>, method: string, path: string, call: Call = {}): Promise<T> {
    if (!isAddress(url)) throw new SddError(`url ${ADDRESS}`)
    const { repeatable = REPEATABLE.includes(method) } = call
    for (let tried = 1; ; tried++) {
      try {
        return await attempt(read, method, path, call)
      } catch (error) {
        if (!(error instanceof SddError) || !repeatable || tried >= attempts || !isPassing(error)) throw error
        const growing = pause_ms * 2 ** (tried - 1)
        // A random part, so that many programs do not come back at the same moment.
        const pause = (error.retry_after_secs ?? 0) * 1_000 || growing * (0.5 + Math.random())
        if (pause > MAX_PAUSE_MS) throw error
        await rest(pause, call.signal)
      }
    }
  }

  return {
    request: (...asked) => retry((response) => response, ...asked),
    json: <T>(...asked: Parameters<Request>) => retry<T>(jsonIn, ...asked),
  }
}

type Read<T> = (response: Response) => T | Promise<T>

async function jsonIn<T>(response: Response): Promise<T> {
  const text = await response.text()
  try {
    return JSON.parse(text) as T
  } catch (cause) {
    const { url, status } = response
    throw new SddError(`${new URL(url).origin} answered no JSON`, { status, cause })
  }
}

function isPassing({ status }: SddError): boolean {
  return [0, 429, 502, 503, 504].includes(status)
}

function rest(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal!.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}

async function refusalIn(response: Response, origin: string): Promise<SddError> {
  const { status, headers } = response
  const body: unknown = await response.json().catch(() => undefined)
  const { detail } = Object(body) as { detail?: unknown }
  const seconds = headers.get('retry-after')
  return new SddError(typeof detail === 'string' ? detail : `${origin} answered ${status}`, {
    status,
    body,
    retry_after_secs: seconds === null ? undefined : Number(seconds),
  })
}
