import assert from 'node:assert/strict'
import { before, type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { deflateRawSync } from 'node:zlib'
import { subscribe } from '@sdd/mqtt/codec/from-client.ts'
import { publish } from '@sdd/mqtt/codec/publish.ts'
import { connectPacket } from './raw-device.ts'
import { type ServerChild, startChild } from './child.ts'
import { eventually } from './device.ts'
import { startNeighbour } from './neighbour.ts'
import { pour } from './sockets.ts'
import { frame, OPCODES, type RawWebSocket, rawWebSocket } from './websocket.ts'

const MIB = 1024 * 1024
const { continuation, text, binary, ping } = OPCODES

let server: ServerChild
let under: Awaited<ReturnType<typeof startNeighbour>>

before(async () => {
  server = await startChild()
  under = await startNeighbour(server)
  await wait(500)
})

const open = (t: TestContext, more?: string) => rawWebSocket(t, server.port, more)
const ended = (why: string) => server.figure('sdd_connections_ended', `why="${why}"`)

const CONNACK = Buffer.of(0x20, 2, 0, 0)
/** The first bytes of the answer to a subscription to two topics. */
const SUBACK = Buffer.of(0x90, 4, 0, 1)

/** An admitted browser that has subscribed to everything it may. */
async function browser(t: TestContext): Promise<RawWebSocket> {
  const client = await open(t)
  const connect = connectPacket('anyone', { password: server.token, keep_alive_secs: 0 })
  const packets = [connect, subscribe(1, ['devices/status', '/front/change'])]
  client.socket.write(frame(Buffer.concat(packets), { opcode: binary }))
  await eventually(() => client.heard().includes(SUBACK))
  return client
}

const packet = Buffer.from(connectPacket('anyone'))
const bomb = deflateRawSync(Buffer.alloc(64 * MIB))

/** Frames that end the connection, each with its close code. */
const frames: Record<string, [bytes: Buffer, code: number]> = {
  'a text frame': [frame(packet, { opcode: text }), 1003],
  'a frame without a mask': [frame(packet, { opcode: binary, masked: false }), 1002],
  'a reserved opcode': [frame(packet, { opcode: 3 }), 1002],
  'a compressed frame, which was not agreed on': [frame(bomb, { opcode: binary, compressed: true }), 1002],
  'a continuation of nothing': [frame(packet, { opcode: continuation }), 1002],
  'a ping in fragments': [frame(packet, { opcode: ping, fin: false }), 1002],
  'a ping of 126 bytes': [frame(Buffer.alloc(126), { opcode: ping }), 1002],
  'a frame of 129 KiB': [frame(Buffer.alloc(129 * 1024), { opcode: binary }), 1009],
  'a frame that claims 1 TiB': [frame(packet, { opcode: binary, length: 2n ** 40n }), 1009],
  'a frame that claims more than there are numbers': [
    frame(packet, { opcode: binary, length: 2n ** 63n }),
    1009,
  ],
  'fragments of more than 128 KiB together': [
    Buffer.concat([
      frame(Buffer.alloc(100_000), { opcode: binary, fin: false }),
      frame(Buffer.alloc(100_000), { opcode: continuation }),
    ]),
    1009,
  ],
  'a message in 1,100 fragments': [
    Buffer.concat([
      frame(Buffer.alloc(1), { opcode: binary, fin: false }),
      ...Array.from({ length: 1_100 }, () => frame(Buffer.alloc(1), { opcode: continuation, fin: false })),
    ]),
    1008,
  ],
}

test('an invalid frame ends its connection with the right close code, and is counted', (t) =>
  under(t, async () => {
    const before = await ended('breach')
    for (const [what, [bytes, code]] of Object.entries(frames)) {
      const { socket, closed } = await open(t)
      socket.write(bytes)
      assert.equal(await closed, code, what)
    }
    await eventually(async () => (await ended('breach')) - before === Object.keys(frames).length)
    assert.match(server.output(), /"breach":"a text frame"/)
  }))

test('compression is never negotiated, so nothing is ever decompressed', (t) =>
  under(t, async () => {
    const offer = 'Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover\r\n'
    for (let round = 0; round < 20; round++) {
      const { socket, head, closed } = await open(t, offer)
      assert.match(head, /^HTTP\/1\.1 101 /)
      assert.doesNotMatch(head, /extensions/i)
      socket.write(frame(bomb, { opcode: binary, compressed: true }))
      assert.equal(await closed, 1002)
    }
  }))

test('MQTT packets in fragments, byte by byte, are understood', async (t) => {
  const client = await open(t)
  const connect = connectPacket('anyone', { password: server.token, keep_alive_secs: 0 })
  connect.forEach((byte, at) => {
    const opcode = at === 0 ? binary : continuation
    client.socket.write(frame(Buffer.of(byte), { opcode, fin: at === connect.length - 1 }))
  })
  await eventually(() => client.heard().includes(CONNACK))
})

test('a browser that floods pings and reads nothing is read at its own pace', (t) =>
  under(t, async () => {
    const before = await server.figure('sdd_connections_slowed')
    const { socket } = await browser(t)
    socket.pause()
    const pings = Buffer.concat(Array.from({ length: 500 }, () => frame(Buffer.alloc(125), { opcode: ping })))
    await Promise.race([pour(socket, pings, 200 * MIB), wait(2_000)])
    assert.ok((await server.figure('sdd_connections_slowed')) - before >= 2)
    socket.destroy()
  }))

test('a browser that publishes like a device is cut off, and the others still receive events', (t) =>
  under(t, async () => {
    const before = await ended('breach')
    const filters = Array.from({ length: 300 }, (_, n) => `#/${n}`)
    const said = [publish('/front/change', '{}'), subscribe(1, filters), connectPacket('anyone')]
    const listening = await browser(t)
    for (const bytes of said) {
      const { socket, closed } = await browser(t)
      socket.write(frame(Buffer.from(bytes), { opcode: binary }))
      await closed
    }
    await eventually(async () => (await ended('breach')) - before === said.length)
    assert.equal(listening.socket.destroyed, false)
  }))
