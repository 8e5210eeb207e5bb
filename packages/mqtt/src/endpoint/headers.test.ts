import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ProtocolError } from '#mqtt/codec/bytes.ts'
import { type Frames, openFrames } from '#mqtt/codec/frames.ts'
import { pingreq as pingreqPacket } from '#mqtt/codec/from-client.ts'
import { publish as publishPacket } from '#mqtt/codec/publish.ts'
import { MAX_PACKET_BYTES, clientHeaders, SMALL_PACKETS } from './headers.ts'

const PUBLISH_BYTES = 70_000

function framesOf(...chunks: Buffer[]): Buffer[] {
  const frames = openFrames(clientHeaders(PUBLISH_BYTES))
  return chunks.flatMap((chunk) => {
    frames.push(chunk)
    return [...drain(frames)]
  })
}

function* drain(frames: Frames): Generator<Buffer> {
  for (let frame = frames.next(); frame; frame = frames.next()) yield bufferOf(frame)
}

function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length)
}

const publish = (payload: string) => bufferOf(publishPacket('a', payload))
const pingreq = bufferOf(pingreqPacket())

test('the same packets come out however a stream is cut', () => {
  const sizes = fc.array(fc.nat({ max: 20_000 }), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(sizes, fc.array(fc.nat({ max: 1 << 20 }), { maxLength: 12 }), (payloads, cuts) => {
      const packets = payloads.flatMap((bytes) => [publish('x'.repeat(bytes)), pingreq])
      const stream = Buffer.concat(packets)
      const ends = [...cuts.map((cut) => cut % stream.length), stream.length].sort((a, b) => a - b)
      const chunks = ends.map((end, index) => Buffer.from(stream.subarray(ends[index - 1] ?? 0, end)))
      assert.deepEqual(framesOf(...chunks), packets)
    }),
    { numRuns: 60 },
  )
})

test('a packet that arrives byte by byte is complete in the end', () => {
  const packet = publish('y'.repeat(3_000))
  assert.deepEqual(framesOf(...Array.from(packet, (byte) => Buffer.from([byte]))), [packet])
})

test('many packets in one chunk share its memory', () => {
  const chunk = Buffer.concat(Array.from({ length: 200 }, (_, index) => publish(`report ${index}`)))
  const frames = framesOf(chunk)
  assert.equal(frames.length, 200)
  assert.ok(frames.every((frame) => frame.buffer === chunk.buffer))
})

test('unread bytes are kept in order', () => {
  const frames = openFrames(SMALL_PACKETS)
  frames.push(Buffer.concat([pingreq, publish('one').subarray(0, 3)]))
  frames.push(publish('one').subarray(3))
  frames.push(publish('two'))
  assert.deepEqual([...drain(frames)], [pingreq, publish('one'), publish('two')])
})

test('a packet that is too large is refused by its header, before its body arrives', () => {
  const header = (type: number, length: number) =>
    Buffer.from([type, (length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, length >> 14])
  assert.throws(() => framesOf(header(0x30, PUBLISH_BYTES)), ProtocolError)
  assert.throws(
    () => framesOf(header(0x82, MAX_PACKET_BYTES)),
    ProtocolError,
    'a SUBSCRIBE needs no more than 4 KiB',
  )
  assert.deepEqual(framesOf(header(0x30, PUBLISH_BYTES - 4)), [])
})

test('before admission a PUBLISH may have no more than 4 KiB', () => {
  const frames = openFrames(SMALL_PACKETS)
  frames.push(publish('z'.repeat(MAX_PACKET_BYTES)).subarray(0, 5))
  assert.throws(() => frames.next(), ProtocolError)
})

for (const [name, bytes] of [
  ['a reserved packet type', [0x00]],
  ['AUTH, which is not MQTT 3.1.1', [0xf0]],
  ['CONNACK', [0x20]],
  ['PUBREC', [0x50]],
  ['PUBREL', [0x62]],
  ['PUBCOMP', [0x70]],
  ['SUBACK', [0x90]],
  ['UNSUBACK', [0xb0]],
  ['PINGRESP', [0xd0]],
  ['CONNECT with flags', [0x11]],
  ['SUBSCRIBE without its flag', [0x80]],
  ['UNSUBSCRIBE without its flag', [0xa0]],
  ['PUBACK with flags', [0x42]],
  ['PINGREQ with flags', [0xc1]],
  ['DISCONNECT with flags', [0xe4]],
  ['PUBLISH of QoS 2', [0x34]],
  ['PUBLISH of QoS 3', [0x36]],
  ['a retained PUBLISH', [0x31]],
  ['PINGREQ with a body', [0xc0, 0x01]],
  ['DISCONNECT with a body', [0xe0, 0x01]],
  ['PUBACK that is too short', [0x40, 0x01]],
  ['a remaining length of five bytes', [0x30, 0xff, 0xff, 0xff, 0xff]],
] as const) {
  test(`${name} is refused at its header`, () => {
    assert.throws(() => framesOf(Buffer.from(bytes)), ProtocolError)
  })
}
