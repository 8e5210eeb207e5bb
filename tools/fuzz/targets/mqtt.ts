import assert from 'node:assert/strict'
import { Uid } from '@sdd/contract/core/fields.ts'
import { ProtocolError } from '../../../packages/mqtt/src/codec/bytes.ts'
import {
  type ClientPacket,
  connect,
  disconnect,
  pingreq,
  readClientPacket,
  subscribe,
  unsubscribe,
} from '../../../packages/mqtt/src/codec/from-client.ts'
import { puback, publish } from '../../../packages/mqtt/src/codec/publish.ts'
import { openFrames } from '../../../packages/mqtt/src/codec/frames.ts'
import { clientHeaders } from '../../../packages/mqtt/src/endpoint/headers.ts'
import type { Denial } from '../../../packages/mqtt/src/endpoint/tally.ts'
import { readConnect, type Request } from '../../../packages/server/src/fleet/transport/connect.ts'
import type { Target } from '../target.ts'
import { orAllowed } from './allowed.ts'

const MOST_PUBLISH_BYTES = 64 * 1024 + 512

const packets = [
  connect({ client_id: 'a', username: 'a', password: 's', keep_alive_secs: 60 }),
  connect({
    client_id: 'a',
    username: 'a',
    password: 's',
    keep_alive_secs: 1,
    will: { topic: 'devices/a/status', payload: '{}', qos: 1 },
  }),
  connect({ client_id: '', username: 'x', password: 'sds_1', keep_alive_secs: 0 }),
  publish('devices/a/reports', '[]', 7),
  publish('a', ''),
  subscribe(7, ['devices/a/commands'], 1),
  unsubscribe(7, ['devices/a/commands']),
  puback(7),
  pingreq(),
  disconnect(),
].map((packet) => Buffer.from(packet))

/** One connection's bytes, chunked as the first one says: the result is complete packets, or a breach. */
export const mqtt: Target = {
  name: 'mqtt',
  package: 'server',
  seeds: [
    ...packets.map((packet) => Buffer.concat([Buffer.from([3]), packet])),
    Buffer.concat([Buffer.from([9]), ...packets]),
  ],
  words: [...packets, '\0\x04MQTT\x04', '\0\x06MQIsdp\x03', '\xff\xff\xff\x7f', '\x80\x80\x80\x01'],
  check(input) {
    const [size = 0] = input
    const stream = input.subarray(1)
    const whole = framesOf([stream])
    assert.deepEqual(framesOf(cut(stream, 1 + (size % 64))), whole, 'the result is the same in any chunks')
    const bytes = Buffer.concat(whole.frames)
    assert.deepEqual(bytes, stream.subarray(0, bytes.length), 'the frames add up to the stream')
    for (const frame of whole.frames) {
      const decoded = orAllowed(ProtocolError, () => readClientPacket(frame))
      if ('value' in decoded) judge(decoded.value)
    }
  },
}

function judge(packet: ClientPacket): void {
  if (packet.type !== 'connect') return
  for (const websocket of [false, true]) {
    const request: Request | Denial = readConnect(packet, websocket)
    if (typeof request === 'string') continue
    assert.ok(request.silence_ms >= 0 && request.silence_ms <= 65_535 * 1_500)
    if (request.as === 'device') {
      assert.ok(Uid.safeParse(request.uid).success && request.secret !== '')
      assert.equal(packet.will?.topic, request.will && `devices/${request.uid}/status`)
    } else assert.ok(websocket && packet.will === undefined)
  }
}

function framesOf(chunks: Buffer[]): { frames: Buffer[]; breach: string | undefined } {
  const open = openFrames(clientHeaders(MOST_PUBLISH_BYTES))
  const frames: Buffer[] = []
  const read = orAllowed(ProtocolError, () => {
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
