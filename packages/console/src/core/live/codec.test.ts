import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPacket, packetReader, subscribePacket, type Packet } from '#console/core/live/codec.ts'

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'))

function readAll(chunks: readonly Uint8Array[]): Packet[] {
  const packets: Packet[] = []
  const read = packetReader((packet) => packets.push(packet))
  for (const chunk of chunks) read(chunk)
  return packets
}

// PUBLISH at QoS 0 and at QoS 1 (id 0x0102), topic "t", payload "hé".
const PUBLISH_0 = bytes('30 06 0001 74 68c3a9')
const PUBLISH_1 = bytes('32 08 0001 74 0102 68c3a9')
const CONNACK = bytes('20 02 00 05')
const SUBACK = bytes('90 04 0001 00 80')

test('a CONNECT is written as MQTT 3.1.1 has it', () => {
  const packet = connectPacket({ clientId: 'c', username: 'console', password: 'pw', keepAliveSecs: 30 })
  assert.deepEqual(packet, bytes('10 1a 0004 4d515454 04 c2 001e 0001 63 0007 636f6e736f6c65 0002 7077'))
})

test('a token longer than one length digit holds is counted with two', () => {
  const packet = connectPacket({ clientId: 'c', username: 'u', password: 'x'.repeat(300), keepAliveSecs: 30 })
  assert.deepEqual([...packet.subarray(1, 3)], [0xbe, 0x02])
  assert.equal(packet.length, 3 + 318)
})

test('a SUBSCRIBE names its topics at QoS 0', () => {
  assert.deepEqual(subscribePacket(1, ['a', '/b']), bytes('82 0b 0001 0001 61 00 0002 2f62 00'))
})

test('packets are read the same, however the frames cut them', () => {
  const stream = Uint8Array.from([...CONNACK, ...PUBLISH_0, ...SUBACK, ...PUBLISH_1])
  const expected: Packet[] = [
    { type: 'connack', code: 5 },
    { type: 'publish', topic: 't', payload: 'hé', id: undefined },
    { type: 'suback', id: 1, codes: [0, 0x80] },
    { type: 'publish', topic: 't', payload: 'hé', id: 0x0102 },
  ]
  for (let size = 1; size <= stream.length; size++) {
    const chunks: Uint8Array[] = []
    for (let at = 0; at < stream.length; at += size) chunks.push(stream.subarray(at, at + size))
    assert.deepEqual(readAll(chunks), expected, `frames of ${size} bytes`)
  }
})

test('what is no MQTT is refused, not waited for', () => {
  assert.throws(() => readAll([bytes('30 ff ff ff ff 01')]), RangeError)
  assert.throws(() => readAll([bytes('30 80 80 80 01')]), RangeError, 'two mebibytes')
  assert.throws(() => readAll([bytes('30 02 00 09')]), RangeError, 'a topic longer than its packet')
})
