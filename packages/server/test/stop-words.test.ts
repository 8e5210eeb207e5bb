import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as devices from '@sdd/contract/fleet/devices.ts'
import * as optOuts from '@sdd/contract/messages/opt-outs.ts'
import * as settings from '@sdd/contract/accounts/settings.ts'
import { openCompany, receive } from './opt-out-company.ts'
import { enter } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

let server: TestServer
let superadmin: string
let companies = 1

before(async () => {
  server = await startServer()
  superadmin = (await enter(server, ADMIN.username, ADMIN.password)).token
})
after(() => server.stop())

const begin = () => openCompany(server, superadmin, ++companies)

test('a stop word blocks its sender’s number in any notation: no more messages go to it', async () => {
  const { device, user, send, queue, blocked } = await begin()
  await receive(device, '+34600111222', ' ¡Baja! ')
  const [row, ...others] = (await blocked()).opt_outs
  assert.deepEqual(others, [])
  const { number, text, device_uid, created_by } = row!
  assert.deepEqual(
    { number, text, device_uid, created_by },
    { number: '+34600111222', text: ' ¡Baja! ', device_uid: device.uid, created_by: null },
  )
  for (const written of ['+34600111222', '600 11 12 22', '0034-600111222']) {
    const { status, body } = await send(written)
    assert.deepEqual([status, body.code], [422, 'opted_out'], written)
    assert.equal(body.status, body.detail)
    for (const named of [row!.created_at, '¡Baja!', device.uid])
      assert.ok(body.detail.includes(named), body.detail)
  }
  await queue('+34600111223')
  assert.equal((await call(server, optOuts.listOptOuts, { token: user })).status, 403)
})

test('a stop word ends messages that wait for its sender, and those that a device has not yet accepted', async () => {
  const { device, queue, entry, set } = await begin()
  const elsewhere = await begin()
  await set({ spoof_time_secs: 3_600 })
  await elsewhere.set({ spoof_time_secs: 3_600 })
  const given = await queue('600222333')
  await device.until(1)
  const [waits, differently, other] = [
    await queue('+34600222333'),
    await queue('600222333'),
    await queue('600222334'),
  ]
  await elsewhere.queue('600222333')
  await elsewhere.device.until(1)
  const theirs = await elsewhere.queue('600222333')
  await receive(device, '+34600222333', 'stop')

  for (const guid of [waits, differently]) {
    const { state, error, error_block, error_msg, waiting_for } = await entry(guid)
    assert.deepEqual(
      { state, error, error_block, waiting_for },
      { state: 'failed', error: 'opted_out', error_block: true, waiting_for: null },
    )
    assert.match(error_msg!, /600222333 asked not to be written to, by the SMS "stop"/)
  }
  assert.equal((await entry(other)).state, 'queued')
  assert.equal((await elsewhere.entry(theirs)).state, 'queued', 'another company')
  const cancel = (await device.until(2))[1]!
  assert.deepEqual([cancel.type as string, cancel.guid], ['cancel', given])
  await device.report({ guid: given, state: 'failed', code: 'cancelled' })
  const dropped = await entry(given)
  assert.deepEqual([dropped.state, dropped.error, dropped.error_block], ['failed', 'opted_out', true])
  const { body } = await call(server, devices.listDevices, { token: superadmin })
  assert.equal(body.devices.find(({ uid }) => uid === device.uid)?.queued, 1)
  await set({})
  const sent = await device.until(3)
  assert.equal(sent[2]!.guid, other, 'the queue continues with the next')
})

test('messages a device has accepted still go out, and a stop word also counts as a reply', async () => {
  const { device, queue, entry, send } = await begin()
  const [accepted, answered] = [await queue('+34600333444'), await queue('+34600333444')]
  await device.until(2)
  await device.report({ guid: accepted, state: 'accepted' }, { guid: answered, state: 'sent' })
  await receive(device, '+34600333444', 'STOP')
  const { state, answer_3 } = await entry(answered)
  assert.deepEqual([state, answer_3], ['replied', 'STOP'])
  assert.equal((await entry(accepted)).state, 'handed')
  assert.equal(device.commands.length, 2, 'no cancel')
  await device.report({ guid: accepted, state: 'sent' })
  assert.equal((await entry(accepted)).state, 'sent')
  assert.equal((await send('600333444')).status, 422)
})

test('only the company’s stop words block, and a sender with a name cannot be blocked', async () => {
  const { device, blocked, set, queue } = await begin()
  await receive(device, '+34600444555', 'please stop')
  await receive(device, '+34600444555', 'NO QUIERO')
  await receive(device, 'STOPinfo', 'STOP')
  await receive(device, '+34600444555 (Ana)', 'STOP')
  await set({ stop_words: ['No quiero', 'Fin'] })
  await receive(device, '+34600444555', 'STOP')
  assert.deepEqual((await blocked()).opt_outs, [])
  await queue('+34600444555')
  await receive(device, '+34600444555', 'no quiero.')
  await receive(device, '22500', 'FIN')
  assert.deepEqual(
    (await blocked()).opt_outs.map(({ number }) => number),
    ['22500', '+34600444555'],
  )
  await set({ stop_words: [] })
  await receive(device, '+34600444556', 'fin')
  assert.equal((await blocked()).opt_outs.length, 2)
})

test('stop words are stored as given, refused if no SMS could match them, and kept if absent', async () => {
  const { admin, set } = await begin()
  const own = async () =>
    (await call(server, settings.readGlobalSettings, { token: admin })).body.settings[0]!.stop_words
  assert.deepEqual(await own(), ['STOP', 'BAJA'])
  await set({ stop_words: [' No más '] })
  await set({ spoof_time_secs: 1 })
  assert.deepEqual(await own(), ['No más'])
  const wrong = [[''], ['!?'], ['x'.repeat(41)], Array(51).fill('stop'), 'stop', [7]]
  for (const stop_words of wrong) {
    const body = { spoof_time_secs: 0, send_enabled: true, stop_words }
    const refused = await call(server, settings.saveGlobalSettings, { token: admin, body })
    assert.deepEqual([refused.status, refused.body.code], [422, 'invalid'], JSON.stringify(stop_words))
  }
  assert.deepEqual(await own(), ['No más'])
})
