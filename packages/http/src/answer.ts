import type { IncomingMessage, ServerResponse } from 'node:http'

export type HeaderFields = Readonly<Record<string, string | number>>

/** The answer of a route. */
export type Answer = {
  readonly status: number
  /** Each header replaces the common header of the same name. */
  readonly headers?: HeaderFields
  /** `Content-Type` of the body. */
  readonly type?: string
  /** A stream's pieces are requested one by one, as the client reads them. */
  readonly body?: string | Uint8Array | Stream
  /** Delays an answer that is not a stream. If it rejects, that error is answered instead. */
  readonly until?: Promise<void> | undefined
}

type Stream = AsyncIterable<string | Uint8Array>
type Response = ServerResponse<IncomingMessage>

/** Sends an answer. Rejects with the error of `until` or of a stream. */
type SendAnswer = (response: Response, answer: Answer) => Promise<void> | undefined

/** `common`: headers of every answer. `idle_ms`: the keep-alive time announced to clients. */
export function openSending(common: HeaderFields, idle_ms: number): SendAnswer {
  const keep_alive = `timeout=${Math.floor(idle_ms / 1_000)}`
  const common_list = Object.entries(common).flat()

  function writeHead(response: Response, { status, headers, type }: Answer, bytes = 0): void {
    // As a list: headers set one by one are looked up and copied again.
    const head = headers ? Object.entries(mergeHeaders(common, headers)).flat() : common_list.slice()
    if (response.shouldKeepAlive) head.push('Keep-Alive', keep_alive)
    if (type !== undefined) head.push('Content-Type', type)
    if (bytes > 0) head.push('Content-Length', bytes)
    response.writeHead(status, head)
  }

  async function sendStream(response: Response, answer: Answer, pieces: Stream): Promise<void> {
    for await (const piece of pieces) {
      if (response.destroyed) return
      // The head waits for the first piece, so that an earlier error can still get its own answer.
      if (!response.headersSent) writeHead(response, answer)
      if (!response.write(piece)) await drained(response)
    }
    if (!response.headersSent) writeHead(response, answer)
    response.end()
  }

  return function sendAnswer(response, answer) {
    const { body = '', until } = answer
    if (isStream(body)) return sendStream(response, answer, body)
    const bytes = Buffer.byteLength(body)
    writeHead(response, answer, bytes)
    // Text with one byte per character is sent unconverted, joined with the head.
    const end = (): unknown => response.end(body, bytes === body.length ? 'latin1' : 'utf8')
    if (until) return until.then(end) as Promise<void>
    end()
    return undefined
  }
}

export function isStream(body: Answer['body']): body is Stream {
  return typeof body === 'object' && Symbol.asyncIterator in body
}

/** Header names are compared without regard to case. */
export function mergeHeaders(common: HeaderFields, own: HeaderFields): HeaderFields {
  const replaced = new Set(Object.keys(own).map((name) => name.toLowerCase()))
  const kept = Object.entries(common).filter(([name]) => !replaced.has(name.toLowerCase()))
  return { ...Object.fromEntries(kept), ...own }
}

/** Resolves when the client has read the written data or has disconnected. */
function drained(response: Response): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      response.off('drain', settle).off('close', settle)
      resolve()
    }
    response.on('drain', settle).on('close', settle)
  })
}
