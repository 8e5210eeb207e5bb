import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'

/**
 * Writes a response without Node's response object, when that is no longer usable, and ends the connection. `headers`
 * come before `Content-Length` and `Connection: close`.
 */
export function writeClosingResponse(
  socket: Duplex,
  {
    status,
    headers,
    text,
  }: { status: number; headers: Readonly<Record<string, string | number>>; text: string },
): void {
  const all = { ...headers, 'Content-Length': Buffer.byteLength(text), Connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`)
  // Closing with unread bytes would reset the connection and lose the response.
  socket.resume()
  setTimeout(() => socket.destroy(), 1_000).unref()
}
