import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { generate, type IPublishPacket, parser } from 'mqtt-packet'
import { Breach } from './frames.ts'
import { openDecoder, puback, publish } from './packets.ts'
import { connectPacket, report } from './testing.ts'

const samples = [
  generate(connectPacket('dev-1', { will: { topic: 'devices/dev-1/status', payload: Buffer.from('will') } })),
  generate(report('dev-1', 'payload', 7)),
  generate({ cmd: 'subscribe', messageId: 7, subscriptions: [{ topic: 'devices/dev-1/commands', qos: 1 }] }),
  generate({ cmd: 'unsubscribe', messageId: 7, unsubscriptions: ['devices/dev-1/commands'] }),
  generate({ cmd: 'puback', messageId: 7 }),
]

/** A whole packet of so many bytes, whatever they mean. */
function framed(first: number, body: Uint8Array): Buffer {
  return Buffer.from([first, body.length, ...body])
}

test('whatever a packet holds, it is read or a breach, and the next one is read as itself', () => {
  const first = fc.constantFrom(0x10, 0x30, 0x32, 0x3a, 0x40, 0x82, 0xa2, 0xc0, 0xe0)
  const noise = fc.tuple(first, fc.uint8Array({ maxLength: 60 })).map(([type, body]) => framed(type, body))
  const damaged = fc
    .tuple(fc.constantFrom(...samples), fc.nat({ max: 60 }), fc.nat({ max: 255 }), fc.nat({ max: 60 }))
    .map(([sample, at, byte, cut]) => {
      const body = Buffer.from(sample.subarray(2, Math.max(2, sample.length - cut)))
      if (at < body.length) body[at] = byte
      return framed(sample[0]!, body)
    })
  const decode = openDecoder()
  fc.assert(
    fc.property(fc.oneof(noise, damaged), (frame) => {
      try {
        decode(frame)
      } catch (error) {
        assert.ok(error instanceof Breach, String(error))
      }
      const next = decode(generate(report('dev-2', 'whole', 3)))
      assert.ok(next.cmd === 'publish')
      assert.deepEqual(
        [next.topic, next.payload.toString(), next.messageId],
        ['devices/dev-2/reports', 'whole', 3],
      )
    }),
    { numRuns: 3_000 },
  )
})

test('what is sent for every message is to the byte what mqtt-packet makes of it', () => {
  for (const bytes of [0, 1, 100, 127, 128, 16_383, 16_384, 65_536])
    for (const messageId of [undefined, 1, 255, 256, 0xffff]) {
      const [topic, payload] = ['devices/ñ-1/commands', 'é'.repeat(bytes / 2) + 'x'.repeat(bytes % 2)]
      const qos = messageId === undefined ? 0 : 1
      const wanted = generate({ cmd: 'publish', topic, payload, qos, dup: false, retain: false, messageId })
      assert.ok(publish(topic, payload, messageId).equals(wanted))
      assert.ok(publish(topic, Buffer.from(payload), messageId).equals(wanted))
      if (messageId !== undefined) assert.ok(puback(messageId).equals(generate({ cmd: 'puback', messageId })))
    }
})

test('a PUBLISH is read as mqtt-packet reads it', () => {
  const decode = openDecoder()
  const written = fc.record({
    topic: fc.string({ unit: 'binary', minLength: 1, maxLength: 80 }),
    payload: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    messageId: fc.option(fc.integer({ min: 1, max: 0xffff }), { nil: undefined }),
    dup: fc.boolean(),
  })
  fc.assert(
    fc.property(written, ({ topic, payload, messageId, dup }) => {
      const qos = messageId === undefined ? 0 : 1
      const frame = generate({
        cmd: 'publish',
        topic,
        payload,
        qos,
        dup: dup && qos > 0,
        retain: false,
        messageId,
      })
      let wanted: IPublishPacket | undefined
      const other = parser()
      other.on('packet', (packet) => void (wanted = packet as IPublishPacket))
      other.parse(frame)
      const read = decode(frame) as IPublishPacket
      for (const part of ['topic', 'payload', 'qos', 'dup', 'messageId'] as const)
        assert.deepEqual(read[part], wanted![part], part)
    }),
    { numRuns: 1_000 },
  )
})
