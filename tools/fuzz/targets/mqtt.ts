import assert from 'node:assert/strict'
import { Uid } from '@sdd/contract/core/fields.ts'
import { generate, type Packet } from 'mqtt-packet'
import { readConnect, type Request } from '../../../packages/server/src/core/broker/connect.ts'
import { Breach, openFrames } from '../../../packages/server/src/core/broker/frames.ts'
import { type ClientPacket, openDecoder } from '../../../packages/server/src/core/broker/packets.ts'
import type { Denial } from '../../../packages/server/src/core/broker/tally.ts'
import type { Target } from '../target.ts'
import { orAllowed } from './allowed.ts'

const MOST_PUBLISH_BYTES = 64 * 1024 + 512

const packets: Packet[] = [
  { cmd: 'connect', clientId: 'a', username: 'a', password: Buffer.from('s'), clean: true, keepalive: 60 },
  {
    cmd: 'connect',
    clientId: 'a',
    username: 'a',
    password: Buffer.from('s'),
    keepalive: 1,
    clean: true,
    will: { topic: 'devices/a/status', payload: Buffer.from('{}'), qos: 1, retain: false },
  },
  { cmd: 'connect', clientId: '', username: 'x', password: Buffer.from('sds_1'), clean: true, keepalive: 0 },
  {
    cmd: 'publish',
    topic: 'devices/a/reports',
    payload: '[]',
    qos: 1,
    messageId: 7,
    dup: false,
    retain: false,
  },
  { cmd: 'publish', topic: 'a', payload: '', qos: 0, dup: false, retain: false },
  { cmd: 'subscribe', messageId: 7, subscriptions: [{ topic: 'devices/a/commands', qos: 1 }] },
  { cmd: 'unsubscribe', messageId: 7, unsubscriptions: ['devices/a/commands'] },
  { cmd: 'puback', messageId: 7 },
  { cmd: 'pingreq' },
  { cmd: 'disconnect' },
] as Packet[]
const probe = generate({ cmd: 'puback', messageId: 4321 })

/** One connection's bytes, the first of them saying how they are cut: whole packets come out, or a breach. */
export const mqtt: Target = {
  name: 'mqtt',
  package: 'server',
  seeds: [
    ...packets.map((packet) => Buffer.concat([Buffer.from([3]), generate(packet)])),
    Buffer.concat([Buffer.from([9]), ...packets.map((packet) => generate(packet))]),
  ],
  words: [
    ...packets.map((packet) => generate(packet)),
    '\0\x04MQTT\x04',
    '\0\x06MQIsdp\x03',
    '\xff\xff\xff\x7f',
    '\x80\x80\x80\x01',
  ],
  check(input) {
    const [size = 0] = input
    const stream = input.subarray(1)
    const whole = framesOf([stream])
    assert.deepEqual(framesOf(cut(stream, 1 + (size % 64))), whole, 'however it is cut, the same comes out')
    const bytes = Buffer.concat(whole.frames)
    assert.deepEqual(bytes, stream.subarray(0, bytes.length), 'frames are the stream')
    const decode = openDecoder()
    for (const frame of whole.frames) {
      const decoded = orAllowed(Breach, () => decode(frame))
      if ('value' in decoded) judge(decoded.value)
      const next = decode(probe)
      assert.ok(next.cmd === 'puback' && next.messageId === 4321, 'the next packet is read as itself')
    }
  },
}

function judge(packet: ClientPacket): void {
  if (packet.cmd !== 'connect') return
  for (const websocket of [false, true]) {
    const asked = orAllowed(Breach, (): Request | Denial => readConnect(packet, websocket))
    if (!('value' in asked) || typeof asked.value === 'string') continue
    const request = asked.value
    assert.ok(request.silence_ms >= 0 && request.silence_ms <= 65_535 * 1_500)
    if (request.as === 'device') {
      assert.ok(Uid.safeParse(request.uid).success && request.secret !== '')
      assert.equal(packet.will?.topic, request.will && `devices/${request.uid}/status`)
    } else assert.ok(websocket && packet.will === undefined)
  }
}

function framesOf(chunks: Buffer[]): { frames: Buffer[]; breach: string | undefined } {
  const open = openFrames()
  open.allowPublish(MOST_PUBLISH_BYTES)
  const frames: Buffer[] = []
  const read = orAllowed(Breach, () => {
    for (const chunk of chunks) {
      open.push(chunk)
      for (let frame = open.next(); frame; frame = open.next()) frames.push(Buffer.from(frame))
    }
  })
  return { frames, breach: 'error' in read ? read.error.message : undefined }
}

function cut(stream: Buffer, size: number): Buffer[] {
  const count = Math.ceil(stream.length / size)
  return Array.from({ length: count }, (_, n) => Buffer.from(stream.subarray(n * size, (n + 1) * size)))
}
