import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readServerPacket, type ServerPacket } from '@sdd/mqtt/codec/from-server.ts'
import { packetReader } from '@sdd/mqtt/codec/reader.ts'

/** A packet from a server, of any type. */
export type Answer = {
  type: ServerPacket['type']
  packet_id?: number | undefined
  code?: number
  codes?: number[]
  topic?: string
  payload?: Uint8Array
}

/** Raw bytes and packets over a socket, to send what a real client never would. */
export type RawClient = {
  socket: Socket
  send(...packets: Uint8Array[]): void
  /** The next packet. Rejects if the connection ends first. */
  next(): Promise<Answer>
  /** Resolves when the server has closed the connection. */
  closed: Promise<void>
}

export async function rawClient(test: TestContext, port: number): Promise<RawClient> {
  const socket = connect(port, '127.0.0.1')
  test.after(() => socket.destroy())
  const arrived: Answer[] = []
  const waiting: PromiseWithResolvers<Answer>[] = []
  const closed = Promise.withResolvers<void>()
  const read = packetReader(readServerPacket, (packet: Answer) => {
    const waiter = waiting.shift()
    if (waiter) waiter.resolve(packet)
    else arrived.push(packet)
  })
  socket.on('data', read)
  socket.on('error', () => {})
  socket.on('close', () => {
    closed.resolve()
    for (const waiter of waiting) waiter.reject(new Error('the connection ended'))
  })
  await once(socket, 'connect')
  return {
    socket,
    closed: closed.promise,
    send: (...packets) => void socket.write(Buffer.concat(packets)),
    next() {
      const packet = arrived.shift()
      if (packet) return Promise.resolve(packet)
      if (socket.destroyed) return Promise.reject(new Error('the connection ended'))
      const waiter = Promise.withResolvers<Answer>()
      waiting.push(waiter)
      return waiter.promise
    },
  }
}

/** A raw client that sends this CONNECT and is admitted. */
export async function admittedClient(
  test: TestContext,
  port: number,
  connect_packet: Uint8Array,
): Promise<RawClient> {
  const client = await rawClient(test, port)
  client.send(connect_packet)
  const connack = await client.next()
  if (connack.type !== 'connack' || connack.code !== 0)
    throw new Error(`not admitted: ${JSON.stringify(connack)}`)
  return client
}

/** The packet with other flags in its header. */
export function flagged(packet: Uint8Array, flags: number): Uint8Array {
  const copy = Buffer.from(packet)
  copy[0] = (packet[0]! & 0xf0) | flags
  return copy
}

/** The packet with one byte changed. */
export function changed(packet: Uint8Array, at: number, byte: number): Uint8Array {
  const copy = Buffer.from(packet)
  copy[at] = byte
  return copy
}

/** Waits until the condition holds; fails after 20 s. */
export async function until(so: () => boolean, what = so.toString()): Promise<void> {
  for (const started = Date.now(); !so(); await sleep(5)) {
    if (Date.now() - started > 20_000) throw new Error(`still not so: ${what}`)
  }
}
