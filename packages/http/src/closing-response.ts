import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'

/**
 * Writes a response by hand, where Node no longer can, and ends the connection with it. `headers` come before
 * `Content-Length` and `Connection: close`.
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
  // Closed with bytes unread, the connection would be reset and the response lost.
  socket.resume()
  setTimeout(() => socket.destroy(), 1_000).unref()
}
