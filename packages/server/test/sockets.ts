import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** Silent sockets, whose ends do not fail the test. */
export async function openSockets(t: TestContext, port: number, count: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1'))
  t.after(() => sockets.forEach((socket) => socket.destroy()))
  for (const socket of sockets) socket.on('error', () => {})
  await Promise.all(sockets.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])))
  return sockets
}

/** Everything that a socket receives until it ends. */
export function hear(socket: Socket): Promise<string> {
  let heard = ''
  socket.on('data', (bytes) => (heard += String(bytes)))
  return new Promise((resolve) => socket.once('close', () => resolve(heard)))
}

/** Writes the piece repeatedly until this many bytes are out or the peer is gone; returns the number of bytes. */
export async function pour(socket: Socket, piece: Buffer | string, bytes: number): Promise<number> {
  const gone = once(socket, 'close')
  let sent = 0
  for (; sent < bytes && !socket.destroyed; sent += Buffer.byteLength(piece))
    if (!socket.write(piece)) await Promise.race([once(socket, 'drain'), gone])
  return sent
}
