import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect, type Connect, type NewConnect, readClientPacket } from '@sdd/mqtt/codec/from-client.ts'
import { readText } from '@sdd/mqtt/codec/text.ts'
import { readConnect } from './connect.ts'

const DEVICE: NewConnect = { client_id: 'dev-1', username: 'dev-1', password: 'secret', keep_alive_secs: 30 }
const BROWSER: NewConnect = { client_id: 'b', username: 'anything', password: 'sds_one', keep_alive_secs: 0 }

function asked(spec: NewConnect, websocket = false) {
  return readConnect(readClientPacket(connect(spec)) as Connect, websocket)
}

const will = (but: Partial<NewConnect['will']> = {}) => ({
  will: { topic: 'devices/dev-1/status', payload: 'gone', qos: 1, ...but },
})

test('a device connects with its uid, secret and will, over TCP and over WebSocket', () => {
  for (const websocket of [false, true]) {
    const request = asked({ ...DEVICE, ...will() }, websocket)
    assert.ok(typeof request === 'object' && request.as === 'device')
    assert.deepEqual([request.uid, request.secret, request.silence_ms], ['dev-1', 'secret', 45_000])
    assert.equal(readText(request.will!), 'gone')
  }
})

for (const [name, but, denial] of [
  ['no secret', { password: undefined }, 'credentials'],
  ['an empty secret', { password: '' }, 'credentials'],
  ['neither user name nor secret', { username: undefined, password: undefined }, 'credentials'],
  ['a uid that the contract does not allow', { client_id: '-dev', username: '-dev' }, 'credentials'],
  ['a wildcard as uid', { client_id: '#', username: '#' }, 'credentials'],
  ['a client id that is not its user name', { client_id: 'dev-2' }, 'forbidden'],
  ['an empty client id', { client_id: '' }, 'forbidden'],
  ['a session to be kept', { clean: false }, 'session'],
  ['no keep-alive', { keep_alive_secs: 0 }, 'forbidden'],
  ['a keep-alive of more than 120 s', { keep_alive_secs: 121 }, 'forbidden'],
  ['a will on a topic that is not its status', will({ topic: 'devices/dev-1/reports' }), 'forbidden'],
  ["a will on another device's status", will({ topic: 'devices/dev-2/status' }), 'forbidden'],
  ['a retained will', will({ retain: true }), 'forbidden'],
  ['a will of QoS 2', will({ qos: 2 }), 'forbidden'],
] as [string, Partial<NewConnect>, string][]) {
  test(`a device with ${name} is refused: ${denial}`, () => {
    assert.equal(asked({ ...DEVICE, ...but }), denial)
  })
}

test('an access token means a browser over WebSocket, and is an ordinary secret over TCP', () => {
  assert.deepEqual(asked(BROWSER, true), { as: 'browser', token: 'sds_one', silence_ms: 0 })
  const request = asked({ ...DEVICE, password: 'sds_one' })
  assert.ok(typeof request === 'object' && request.as === 'device')
})

test('a browser may use any client id, but no will and no persistent session', () => {
  for (const name of ['a/+#é', '']) {
    const request = asked({ ...BROWSER, client_id: name, username: name }, true)
    assert.ok(typeof request === 'object' && request.as === 'browser')
  }
  assert.equal(asked({ ...BROWSER, will: { topic: 'devices/status', payload: 'x' } }, true), 'forbidden')
  assert.equal(asked({ ...BROWSER, clean: false }, true), 'session')
})
