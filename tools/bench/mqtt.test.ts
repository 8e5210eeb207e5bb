import assert from 'node:assert/strict'
import test from 'node:test'
import { connectPacket, openPackets, PUBLISH, publishPacket, readPublish, subscribePacket } from './mqtt.ts'

const bytes = (...parts: Buffer[]) => Buffer.concat(parts)

test('packets are split from a stream, however it is chunked', () => {
  const long = 'x'.repeat(300)
  const stream = bytes(publishPacket(7, 'a/b', 'hello'), publishPacket(300, 'a/b', long))
  for (const size of [1, 2, 5, 100, stream.length]) {
    const packets = openPackets()
    const found = []
    for (let at = 0; at < stream.length; at += size) {
      for (const { type, body } of packets(stream.subarray(at, at + size))) {
        const { id, topic, payload } = readPublish(body, 1)
        found.push({ type, id, topic, payload: payload.toString() })
      }
    }
    assert.deepEqual(found, [
      { type: PUBLISH, id: 7, topic: 'a/b', payload: 'hello' },
      { type: PUBLISH, id: 300, topic: 'a/b', payload: long },
    ])
  }
})

test('CONNECT and SUBSCRIBE match MQTT 3.1.1 exactly', () => {
  const connect = connectPacket({ client_id: 'c', username: 'u', password: 'p' })
  assert.equal(connect.toString('hex'), '101300044d51545404c2007800016300017500' + '0170')
  const will = connectPacket({
    client_id: 'c',
    username: 'u',
    password: 'p',
    will: { topic: 't', payload: 'w' },
  })
  assert.equal(will.toString('hex'), '101900044d51545404ce0078000163000174000177000175000170')
  assert.equal(subscribePacket(2, 'a').toString('hex'), '820600020001' + '6101')
})
