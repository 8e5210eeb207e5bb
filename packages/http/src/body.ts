import type { IncomingMessage, ServerResponse } from 'node:http'
import { MIMEType } from 'node:util'
import { HttpError } from './errors.ts'
import { readJson } from './json.ts'
import type { Limits } from './limits.ts'
import { readUrlencoded } from './urlencoded.ts'

const PARSERS = {
  'application/json': readJson,
  'application/x-www-form-urlencoded': readUrlencoded,
}

/** The media types that can be read. */
type BodyType = keyof typeof PARSERS

/**
 * Reads and parses the body of a request. A request with neither body nor content type reads as the empty object.
 * Throws `unsupported_media_type`, `too_large`, `malformed`, or `busy` if bodies in progress fill the memory set aside
 * for them. With `raw`, resolves to the bytes, in any charset. A client that expects `100 Continue` gets it here, so a request refused earlier need not send its body.
 */
export type ReadBody = (
  response: ServerResponse<IncomingMessage>,
  body: { type: BodyType; max_bytes: number; raw?: boolean },
) => Promise<unknown>

export function openBodyReader(limits: Pick<Limits, 'bodies_bytes'>): ReadBody {
  /** The size of all bodies that are being read. */
  let held_bytes = 0

  return async function readBody(response, { type, max_bytes, raw = false }) {
    const { req: request } = response
    const { headers } = request
    const empty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
    if (empty && headers['content-type'] === undefined) return raw ? Buffer.alloc(0) : {}
    if (!hasType(headers, type, raw)) {
      throw new HttpError('unsupported_media_type', `The body must be ${type} in UTF-8, uncompressed.`)
    }
    if (Number(headers['content-length']) > max_bytes) throw tooLarge(max_bytes)
    if (headers.expect !== undefined) response.writeContinue()
    const bytes = readWhole(request, max_bytes) ?? (await readBytes(request, max_bytes))
    return raw ? bytes : PARSERS[type](decode(bytes))
  }

  /** The body if it has arrived completely. */
  function readWhole(request: IncomingMessage, max_bytes: number): Buffer | undefined {
    const size = request.readableLength
    if (size === 0 || !hasArrived(request)) return undefined
    if (size > max_bytes || held_bytes + size > limits.bodies_bytes) return undefined
    const bytes = request.read(size) as Buffer // without a size, it returns only the first piece
    request.resume() // to its end, or Node holds it until the next one comes
    return bytes
  }

  /** Reads and drops bytes beyond the limit: a client that is still writing would not see the answer. */
  function readBytes(request: IncomingMessage, max_bytes: number): Promise<Buffer> {
    const read = Promise.withResolvers<Buffer>()
    const chunks: Buffer[] = []
    let size = 0
    let over = false
    const settle = (result: Buffer | HttpError): void => {
      if (over) return
      over = true
      held_bytes -= size
      chunks.length = 0
      if (result instanceof HttpError) read.reject(result)
      else read.resolve(result)
    }
    request.on('data', (chunk: Buffer) => {
      if (over) return
      if (size + chunk.length > max_bytes) return settle(tooLarge(max_bytes))
      if (held_bytes + chunk.length > limits.bodies_bytes) return settle(busy())
      size += chunk.length
      held_bytes += chunk.length
      chunks.push(chunk)
    })
    request.on('end', () => settle(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    request.on('close', () => over || settle(new HttpError('malformed', 'The body broke off.')))
    request.on('error', () => {}) // 'close' follows
    return read.promise
  }
}

/** Whether the whole body is here: most arrive in one piece with their headers. False without a `Content-Length`. */
export function hasArrived(request: IncomingMessage): boolean {
  return request.readableLength === Number(request.headers['content-length'])
}

function tooLarge(max_bytes: number): HttpError {
  return new HttpError('too_large', `The body is larger than ${max_bytes} bytes.`)
}

function busy(): HttpError {
  const why = 'Too many large requests are arriving at once. Try again in a moment.'
  return new HttpError('busy', why, { retry_after_secs: 1 })
}

function hasType(headers: IncomingMessage['headers'], expected: BodyType, any_charset: boolean): boolean {
  const coding = headers['content-encoding']?.toLowerCase() ?? 'identity'
  if (coding !== 'identity') return false
  if (headers['content-type'] === expected) return true // the usual spelling
  try {
    const { essence, params } = new MIMEType(headers['content-type'] ?? '')
    return (
      essence === expected && (any_charset || (params.get('charset')?.toLowerCase() ?? 'utf-8') === 'utf-8')
    )
  } catch {
    return false
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new HttpError('malformed', 'The body is not valid UTF-8.')
  }
}
