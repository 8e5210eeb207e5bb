import type { IncomingMessage } from 'node:http'
import { posix } from 'node:path'
import type { Readable } from 'node:stream'
import negotiate from '@fastify/accept-negotiator'
import send, { type SendResult } from '@fastify/send'
import type { Answer, HeaderFields } from './answer.ts'

/** The extensions of compressed twins. */
const EXTENSIONS = { br: '.br', gzip: '.gz', deflate: '.deflate' }
type Coding = keyof typeof EXTENSIONS

/**
 * Answers GET and HEAD with a file of the folder, by its relative path; `undefined` if there is none. Paths that leave
 * the folder, name a hidden file or are not normalized count as missing. An unchanged file is 304, by `ETag` and
 * `Last-Modified`. If the folder has a compressed twin (`.br`, `.gz`) and the client accepts it, the twin is sent
 * instead. Ranges are not supported.
 */
type AnswerFile = (request: IncomingMessage, path: string) => Promise<Answer | undefined>

/** The folder need not exist yet. `headersOf`: further headers of a file. */
export function openFolder(folder: string, headersOf: (path: string) => HeaderFields): AnswerFile {
  const options = { ...OPTIONS, root: folder }

  return async function answerFile(request, path) {
    if (path.includes('\\') || posix.normalize(path) !== path) return undefined
    const codings = Object.keys(EXTENSIONS) as Coding[]
    for (;;) {
      const coding = preferred(request, codings)
      const name = coding ? path + EXTENSIONS[coding] : path
      const found = await send(conditionsOf(request), encodeURI(name), options)
      if (found.type === 'file') return answer(path, coding, found)
      if (found.type === 'error' && found.statusCode >= 500) throw found.metadata.error
      if (coding === null) return undefined
      codings.splice(codings.indexOf(coding), 1)
    }
  }

  function answer(path: string, coding: Coding | null, { statusCode, headers, stream }: SendResult): Answer {
    const type = statusCode === 200 && { 'Content-Type': typeOf(path) }
    const encoding = coding && { 'Content-Encoding': coding }
    const all = { ...headers, ...type, ...encoding, ...headersOf(path), Vary: 'accept-encoding' }
    return { status: statusCode, headers: all, body: stream }
  }
}

const OPTIONS = {
  index: false,
  dotfiles: 'ignore',
  acceptRanges: false,
  cacheControl: false,
  contentType: false,
} as const

/** A client that accepts any coding (`*`) gets gzip, which every client can read. */
function preferred({ headers }: IncomingMessage, codings: Coding[]): Coding | null {
  const accepted = headers['accept-encoding']?.toLowerCase().replaceAll('*', 'gzip')
  return accepted === undefined ? null : negotiate(accepted, codings)
}

/** The request without conditions meant for writing. */
function conditionsOf({ method, headers }: IncomingMessage): Readable {
  const { 'if-match': _, 'if-unmodified-since': __, ...others } = headers
  return { method, headers: others } as unknown as Readable // only these are read
}

function typeOf(path: string): string {
  const type = send.mime.getType(path) ?? 'application/octet-stream'
  return send.isUtf8MimeType(type) ? `${type}; charset=utf-8` : type
}
