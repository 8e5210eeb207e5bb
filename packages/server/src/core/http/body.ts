import type { IncomingMessage } from 'node:http'
import { MIMEType } from 'node:util'
import { mediaTypes, type Route } from '@sdd/contract/route.ts'
import { Refusal } from '#server/core/refusal.ts'
import { readJson } from './json.ts'
import { readPairs } from './pairs.ts'

/** The largest body. */
export const MAX_BODY_BYTES = 1024 * 1024

/**
 * Reads the body as the route has it written. No body and no content type counts as the empty object: what it lacks
 * is then said field by field. `unsupported_media_type`, `too_large`, `malformed`.
 */
export async function readBody(request: IncomingMessage, encoding: Route['encoding']): Promise<unknown> {
  const { headers } = request
  const empty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
  if (empty && headers['content-type'] === undefined) return {}
  if (!isWritten(headers, encoding)) {
    throw new Refusal(
      'unsupported_media_type',
      `The body must be ${mediaTypes[encoding]} in UTF-8, uncompressed.`,
    )
  }
  const text = decode(await readBytes(request))
  return encoding === 'json' ? readJson(text) : readPairs(text)
}

function isWritten(headers: IncomingMessage['headers'], encoding: Route['encoding']): boolean {
  const coding = headers['content-encoding']?.toLowerCase() ?? 'identity'
  if (coding !== 'identity') return false
  try {
    const type = new MIMEType(headers['content-type'] ?? '')
    const charset = type.params.get('charset')?.toLowerCase() ?? 'utf-8'
    return type.essence === mediaTypes[encoding] && charset === 'utf-8'
  } catch {
    return false
  }
}

/** What comes beyond the limit is read and dropped: a client that still writes would not see its answer. */
function readBytes(request: IncomingMessage): Promise<Buffer> {
  const tooLarge = () => new Refusal('too_large', `The body is larger than ${MAX_BODY_BYTES} bytes.`)
  if (Number(request.headers['content-length']) > MAX_BODY_BYTES) return Promise.reject(tooLarge())
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= MAX_BODY_BYTES) chunks.push(chunk)
      else reject(tooLarge())
    })
    request.on('end', () => resolve(Buffer.concat(chunks)))
    request.on('close', () => reject(new Refusal('malformed', 'The body broke off.')))
    request.on('error', () => {}) // 'close' follows
  })
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new Refusal('malformed', 'The body is not valid UTF-8.')
  }
}
