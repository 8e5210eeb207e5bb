import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** A WebSocket with hand-written frames, for bytes that no client library would send. */
export type RawWebSocket = {
  socket: Socket
  /** The headers of the answer to the upgrade. */
  head: string
  /** All bytes after these headers so far. */
  heard: () => Buffer
  /** Resolves when the connection has ended, to the server's close code, or `undefined` without one. */
  closed: Promise<number | undefined>
}

export async function rawWebSocket(t: TestContext, port: number, more = ''): Promise<RawWebSocket> {
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  socket.on('error', () => {})
  socket.write(
    'GET /mqtt HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
      `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}\r\nSec-WebSocket-Protocol: mqtt\r\n${more}\r\n`,
  )
  let heard = Buffer.alloc(0)
  const closed = new Promise<number | undefined>((resolve) => {
    socket.once('close', () => resolve(closeCodeOf(heard)))
  })
  const [head] = (await once(socket, 'data')) as [Buffer]
  socket.on('data', (bytes: Buffer) => (heard = Buffer.concat([heard, bytes])))
  return { socket, head: head.toString(), heard: () => heard, closed }
}

type Shape = { fin?: boolean; compressed?: boolean; masked?: boolean; opcode: number; length?: bigint }

export const OPCODES = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9 }

/** A frame of RFC 6455, masked with zeros; `length` may claim bytes that do not follow. */
export function frame(
  payload: Buffer,
  { fin = true, compressed, masked = true, opcode, length }: Shape,
): Buffer {
  const claimed = length ?? BigInt(payload.length)
  const first = (fin ? 0x80 : 0) | (compressed ? 0x40 : 0) | opcode
  const mask = masked ? 0x80 : 0
  if (claimed < 126n) return Buffer.concat([Buffer.of(first, mask | Number(claimed)), key(masked), payload])
  const long = Buffer.alloc(claimed < 65_536n ? 2 : 8)
  if (long.length === 2) long.writeUInt16BE(Number(claimed))
  else long.writeBigUInt64BE(claimed)
  const header = Buffer.of(first, mask | (long.length === 2 ? 126 : 127))
  return Buffer.concat([header, long, key(masked), payload])
}

function key(masked: boolean): Buffer {
  return Buffer.alloc(masked ? 4 : 0)
}

/** The code of the last frame, if that is a close frame. */
function closeCodeOf(heard: Buffer): number | undefined {
  const at = heard.lastIndexOf(Buffer.of(0x88))
  return at >= 0 && heard.length >= at + 4 ? heard.readUInt16BE(at + 2) : undefined
}
