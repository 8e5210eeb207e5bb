import { TextDecoder } from 'node:util'

/** The parts of an e-mail that its SMS is made from. */
export type Mail = {
  message_id: string
  /** Of the first `text/plain` part, without a signature; empty if there is none. */
  text: string
  subject: string
  /** There is HTML and no plain text. */
  html_alone: boolean
}

/** A part that cannot be decoded: an unknown charset or encoding, or bytes that do not fit. */
export class Undecodable extends Error {
  override readonly name = 'Undecodable'
}

/** A part of an e-mail. `body` has a character for each byte. */
type Part = { headers: ReadonlyMap<string, string>; body: string }
type Value = { value: string; params: ReadonlyMap<string, string> }

const MOST_PARTS = 100
const DEEPEST = 10

/** Reads an e-mail (RFC 5322, 2045 to 2047, 3676). Throws `Undecodable`. */
export function readMail(bytes: Buffer): Mail {
  const whole = readPart(bytes.toString('latin1'))
  const parts = leavesOf(whole, { left: MOST_PARTS }, 0)
  const plain = parts.find((part) => typeOf(part).value === 'text/plain')
  const html = parts.some((part) => typeOf(part).value === 'text/html')
  return {
    message_id: whole.headers.get('message-id') ?? '',
    text: plain ? withoutSignature(decodeText(plain)) : '',
    subject: decodeWords(whole.headers.get('subject') ?? '').trim(),
    html_alone: !plain && html,
  }
}

function readPart(text: string): Part {
  const blank = /^\r?\n/.exec(text) ?? /\r?\n\r?\n/.exec(text)
  const head = blank ? text.slice(0, blank.index) : text
  const headers = new Map<string, string>()
  for (const line of head.replaceAll(/\r?\n(?=[ \t])/g, '').split(/\r?\n/)) {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase()
    if (name !== '' && !headers.has(name)) headers.set(name, line.slice(colon + 1).trim())
  }
  return { headers, body: blank ? text.slice(blank.index + blank[0].length) : '' }
}

/** The parts without parts that are not attachments, in order. */
function leavesOf(part: Part, counted: { left: number }, depth: number): Part[] {
  if (counted.left-- <= 0 || depth > DEEPEST) return []
  if (/^attachment\b/i.test(part.headers.get('content-disposition') ?? '')) return []
  const { value, params } = typeOf(part)
  const boundary = params.get('boundary')
  if (!value.startsWith('multipart/') || !boundary) return [part]
  const [, ...pieces] = `\n${part.body}`.split(
    new RegExp(`\\r?\\n--${RegExp.escape(boundary)}(?=--|[ \\t]*\\r?\\n|$)`),
  )
  const inside = pieces.filter((piece) => !piece.startsWith('--'))
  return inside.flatMap((piece) => leavesOf(readPart(piece.replace(/^[ \t]*\r?\n/, '')), counted, depth + 1))
}

function typeOf({ headers }: Part): Value {
  return readValue(headers.get('content-type') ?? 'text/plain')
}

/** A header's value in lower case, and its parameters. */
function readValue(written: string): Value {
  const params = new Map<string, string>()
  for (const [, name = '', quoted, plain = ''] of written.matchAll(
    /;\s*([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]*))/g,
  ))
    params.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, '$1') ?? plain)
  return { value: written.split(';', 1)[0]!.trim().toLowerCase(), params }
}

function decodeText(part: Part): string {
  const { params } = typeOf(part)
  const encoding = readValue(part.headers.get('content-transfer-encoding') ?? '7bit').value
  const text = decodeBytes(bytesOf(part.body, encoding), params.get('charset') ?? 'utf-8').replaceAll(
    '\r\n',
    '\n',
  )
  return params.get('format')?.toLowerCase() === 'flowed' ? unflow(text, params.get('delsp')) : text
}

function bytesOf(body: string, encoding: string): Buffer {
  if (encoding === 'base64') return Buffer.from(body, 'base64')
  if (encoding === 'quoted-printable')
    return Buffer.from(decodeQuoted(body.replaceAll(/=[ \t]*\r?\n/g, '')), 'latin1')
  if (['7bit', '8bit', 'binary'].includes(encoding)) return Buffer.from(body, 'latin1')
  throw new Undecodable(encoding)
}

function decodeQuoted(text: string): string {
  return text.replaceAll(/=([0-9A-Fa-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

function decodeBytes(bytes: Buffer, charset: string): string {
  try {
    // ASCII is a part of UTF-8, which some programs send under its name.
    return new TextDecoder(/^us-ascii$/i.test(charset) ? 'utf-8' : charset, { fatal: true }).decode(bytes)
  } catch {
    throw new Undecodable(charset)
  }
}

/** Joins lines that were wrapped to be sent. The line of a signature ends with a blank, too. */
function unflow(text: string, delsp: string | undefined): string {
  const lines = text.split('\n').map((line) => (line.startsWith(' ') ? line.slice(1) : line))
  return lines
    .map((line, index) => {
      if (index === lines.length - 1) return line
      if (!line.endsWith(' ') || line === SIGNATURE) return `${line}\n`
      return delsp?.toLowerCase() === 'yes' ? line.slice(0, -1) : line
    })
    .join('')
}

const SIGNATURE = '-- '

function withoutSignature(text: string): string {
  const lines = text.split('\n')
  const end = lines.indexOf(SIGNATURE)
  return (end < 0 ? lines : lines.slice(0, end)).join('\n').trimEnd()
}

/** Encoded words of a header (RFC 2047). What cannot be decoded stays as it is written, which is UTF-8. */
function decodeWords(written: string): string {
  const joined = Buffer.from(written, 'latin1')
    .toString()
    .replaceAll(/(\?=)\s+(?==\?)/g, '$1')
  return joined.replaceAll(
    /=\?([^?*]+)(?:\*[^?]*)?\?([bq])\?([^?]*)\?=/gi,
    (all, charset: string, kind: string, text: string) => {
      const bytes =
        kind.toLowerCase() === 'b'
          ? Buffer.from(text, 'base64')
          : Buffer.from(decodeQuoted(text.replaceAll('_', ' ')), 'latin1')
      try {
        return decodeBytes(bytes, charset)
      } catch {
        return all
      }
    },
  )
}
