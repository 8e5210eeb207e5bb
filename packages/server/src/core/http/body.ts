import type { IncomingMessage, ServerResponse } from 'node:http'
import { MIMEType } from 'node:util'
import { mediaTypes, type Route } from '@sdd/contract/core/route.ts'
import { Refusal } from '#server/core/refusal.ts'
import { readJson } from './json.ts'
import type { Limits } from './limits.ts'
import { readPairs } from './pairs.ts'

/**
 * Reads the body of the request as its route has it written. No body and no content type counts as the empty object:
 * what it lacks is then said field by field. `unsupported_media_type`, `too_large`, `malformed`; `busy` where so many
 * bodies arrive at once that there is no room for one more.
 */
export type ReadBody = (
  route: Pick<Route, 'encoding' | 'may'>,
  response: ServerResponse<IncomingMessage>,
) => Promise<unknown>

export function openBodies(limits: Limits): ReadBody {
  /** Of all bodies that are being read. */
  let held_bytes = 0

  return async function readBody({ encoding, may }, response) {
    const { req: request } = response
    const { headers } = request
    const empty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
    if (empty && headers['content-type'] === undefined) return {}
    if (!isWritten(headers, encoding)) {
      throw new Refusal(
        'unsupported_media_type',
        `The body must be ${mediaTypes[encoding]} in UTF-8, uncompressed.`,
      )
    }
    // Who has no session may make others wait for memory least of all.
    const most_bytes = may === 'anyone' ? limits.stranger_body_bytes : limits.body_bytes
    if (Number(headers['content-length']) > most_bytes) throw tooLarge(most_bytes)
    if (headers.expect !== undefined) response.writeContinue()
    const bytes = readWhole(request, most_bytes) ?? (await readBytes(request, most_bytes))
    const text = decode(bytes)
    return encoding === 'json' ? readJson(text) : readPairs(text)
  }

  /** The body where all of it has come already, as most do in one piece with their headers. */
  function readWhole(request: IncomingMessage, most_bytes: number): Buffer | undefined {
    const size = request.readableLength
    if (size === 0 || size !== Number(request.headers['content-length'])) return undefined
    if (size > most_bytes || held_bytes + size > limits.bodies_bytes) return undefined
    const bytes = request.read(size) as Buffer // without a size, the first of its pieces alone
    request.resume() // to its end, or Node holds it until the next one comes
    return bytes
  }

  /** What comes beyond the limit is read and dropped: a client that still writes would not see its answer. */
  function readBytes(request: IncomingMessage, most_bytes: number): Promise<Buffer> {
    const read = Promise.withResolvers<Buffer>()
    const chunks: Buffer[] = []
    let size = 0
    let over = false
    const give = (result: Buffer | Refusal): void => {
      if (over) return
      over = true
      held_bytes -= size
      chunks.length = 0
      if (result instanceof Refusal) read.reject(result)
      else read.resolve(result)
    }
    request.on('data', (chunk: Buffer) => {
      if (over) return
      if (size + chunk.length > most_bytes) return give(tooLarge(most_bytes))
      if (held_bytes + chunk.length > limits.bodies_bytes) return give(busy())
      size += chunk.length
      held_bytes += chunk.length
      chunks.push(chunk)
    })
    request.on('end', () => give(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    request.on('close', () => over || give(new Refusal('malformed', 'The body broke off.')))
    request.on('error', () => {}) // 'close' follows
    return read.promise
  }
}

function tooLarge(most_bytes: number): Refusal {
  return new Refusal('too_large', `The body is larger than ${most_bytes} bytes.`)
}

function busy(): Refusal {
  const why = 'Too many large requests are arriving at once. Try again in a moment.'
  return new Refusal('busy', why, { retry_after_secs: 1 })
}

function isWritten(headers: IncomingMessage['headers'], encoding: Route['encoding']): boolean {
  const coding = headers['content-encoding']?.toLowerCase() ?? 'identity'
  if (coding !== 'identity') return false
  if (headers['content-type'] === mediaTypes[encoding]) return true // as nearly all write it
  try {
    const type = new MIMEType(headers['content-type'] ?? '')
    const charset = type.params.get('charset')?.toLowerCase() ?? 'utf-8'
    return type.essence === mediaTypes[encoding] && charset === 'utf-8'
  } catch {
    return false
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new Refusal('malformed', 'The body is not valid UTF-8.')
  }
}
