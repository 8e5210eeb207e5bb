import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { linesOf, protectiveLines } from '#server/core/protection.ts'
import { JSON_TYPE } from './json.ts'

type Answer = { status: number; headers?: Readonly<Record<string, string>>; text: string }

/** Writes an answer by hand, where Node cannot any more, and ends the connection with it. */
export function answerLast(
  socket: Duplex,
  { status, headers = {}, text }: Answer,
  { encrypted }: { encrypted: boolean },
): void {
  const own = {
    ...headers,
    'Content-Type': JSON_TYPE,
    'Content-Length': String(Buffer.byteLength(text)),
    Connection: 'close',
  }
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${protectiveLines(encrypted)}${linesOf(own)}`
  socket.end(`${head}\r\n${text}`)
  // Closed with bytes unread, the connection would be reset and the answer lost.
  socket.resume()
  setTimeout(() => socket.destroy(), 1_000).unref()
}
