import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readGlobalSettings, saveGlobalSettings } from '@sdd/contract/accounts/settings.ts'
import { countLogs, exportLogs, listLogs } from '@sdd/contract/insight/log.ts'
import { saveDestinations } from '@sdd/contract/messages/destinations.ts'
import { sendSms } from '@sdd/contract/messages/messages.ts'
import { addOptOut, listOptOuts } from '@sdd/contract/messages/opt-outs.ts'
import { createTasks, type TaskResults } from '@sdd/contract/tasks/tasks.ts'
import { startFleet } from './fleet.ts'
import { call } from './server.ts'

const SAME = ['+34 600-111-222', '0034600111222', '(34) 600 111 222', '600.111.222']
const REFUSED = ['12', '1234567', '+34 600', '+999 600111222', '600111222 ext 3', 'abc']
const KEPT = '+34600111222'

test('one number is one number, however a task, an SMS and an opt-out write it', async (t) => {
  const { server, token, key, hand, read, join, entry } = await startFleet(t)
  for (const to_number of SAME) assert.equal((await read(await hand({ to_number }))).to_number, KEPT)
  assert.equal(
    (await read(await hand({ to_number: '22000', from_number: '600 00 00 01' }))).from_number,
    '+34600000001',
  )
  await join('drone')
  const sms = { device_uid: 'drone', telefono_to: '600 111 222', mensaje_sms: 'hola' }
  const sent = await call(server, sendSms, { token, body: sms })
  assert.equal((await entry(sent.body.guid)).message_to, KEPT)
  for (const number of SAME) {
    const { body } = await call(server, addOptOut, { token, body: { number } })
    assert.equal(body.number, KEPT)
  }
  assert.equal((await call(server, listOptOuts, { token })).body.opt_outs.length, 1)
  const refused = await call(server, createTasks, { token: key, body: { to_number: SAME[1]!, text: 'hola' } })
  assert.deepEqual([refused.status, refused.body.code], [422, 'opted_out'])
})

test('what cannot be a number is refused on its field, in a batch only that row', async (t) => {
  const { server, token, key, join } = await startFleet(t)
  await join('drone')
  for (const number of REFUSED) {
    const sms = { device_uid: 'drone', telefono_to: number, mensaje_sms: 'hola' }
    const answers = {
      telefono_to: await call(server, sendSms, { token, body: sms }),
      to_number: await call(server, createTasks, { token: key, body: { to_number: number, text: 'hola' } }),
      from_number: await call(server, createTasks, {
        token: key,
        body: { to_number: KEPT, text: 'hola', from_number: number },
      }),
      number: await call(server, addOptOut, { token, body: { number } }),
    }
    for (const [field, { status, body }] of Object.entries(answers)) {
      const { code, field_codes } = body as { code?: string; field_codes?: Record<string, unknown> }
      assert.deepEqual([status, code], [422, 'invalid'], `${field} ${number}`)
      assert.deepEqual(field_codes, { [field]: { code: 'number_format', params: {} } })
    }
  }
  const tasks = [...REFUSED, KEPT].map((to_number) => ({ to_number, text: 'hola' }))
  const { body } = await call(server, createTasks, { token: key, body: { tasks } })
  assert.deepEqual(
    (body as TaskResults).results.map(({ status }) => status),
    [...REFUSED.map(() => 'refused'), 'received'],
  )
})

test('a task handed in again with its numbers written another way is the same task', async (t) => {
  const { server, key } = await startFleet(t)
  const submit = (to_number: string, from_number: string) =>
    call(server, createTasks, { token: key, body: { guid: 'order-1', to_number, from_number, text: 'hola' } })
  assert.equal((await submit('600 111 222', '600000001')).status, 202)
  assert.equal((await submit('0034600111222', '+34 600 000 001')).status, 200)
  assert.equal((await submit('+351600111222', '600000001')).status, 409)
})

test('another default country changes how numbers are read, and moves nothing', async (t) => {
  const { server, token, hand, read } = await startFleet(t)
  const settings = async () => (await call(server, readGlobalSettings, { token })).body.settings[0]!
  assert.equal((await settings()).default_country, 'ES')
  const before = await hand({ to_number: '600111222' })
  const save = (default_country: string) =>
    call(server, saveGlobalSettings, {
      token,
      body: { spoof_time_secs: 0, send_enabled: true, default_country },
    })
  assert.equal((await save('PT')).body.default_country, 'PT')
  assert.equal((await settings()).default_country, 'PT')
  assert.equal((await read(await hand({ to_number: '912345678' }))).to_number, '+351912345678')
  assert.equal((await read(before)).to_number, KEPT)
  for (const country of ['XX', 'es', '', 'Spain']) {
    const { status, body } = await call(server, saveGlobalSettings, {
      token,
      body: { spoof_time_secs: 0, send_enabled: true, default_country: country },
    })
    assert.deepEqual(
      [status, Object.keys((body as { fields?: object }).fields ?? {})],
      [422, ['default_country']],
    )
  }
  const { body } = await call(server, saveGlobalSettings, {
    token,
    body: { spoof_time_secs: 0, send_enabled: true },
  })
  assert.equal(body.default_country, 'PT', 'absent: as it was')
})

test('two countries’ numbers with equal endings never meet', async (t) => {
  const { server, token, hand, read, entry, join } = await startFleet(t)
  await call(server, addOptOut, { token, body: { number: '+351 600 111 222' } })
  const drone = await join('drone')
  const guid = await hand({ to_number: '600111222' })
  await drone.until(1)
  await drone.report({ guid, state: 'sent' })
  const at = new Date().toISOString()
  await drone.publish('inbox', { id: 'a', from: '+351600111222', text: 'not me', at })
  assert.equal((await entry(guid)).answer_3, null)
  await drone.publish('inbox', { id: 'b', from: '0034600111222', text: 'me', at })
  assert.equal((await entry(guid)).answer_3, 'me')
  assert.equal((await read(guid)).reply, 'me')
})

test('allow and deny are compared with the stored form', async (t) => {
  const { server, token, key } = await startFleet(t)
  await call(server, saveDestinations, {
    token,
    body: { allow: ['+34'], deny: ['+34600'], max_per_recipient_dayly: null },
  })
  const codeOf = async (to_number: string) =>
    (await call(server, createTasks, { token: key, body: { to_number, text: 'hola' } })).body.code
  assert.equal(await codeOf('600 111 222'), 'destination_refused')
  assert.equal(await codeOf('0034 611 222 333'), undefined)
  assert.equal(await codeOf('+351 912 345 678'), 'destination_refused')
})

test('searches find a number however it is typed', async (t) => {
  const { server, token, hand } = await startFleet(t)
  const guid = await hand({ to_number: '600111222' })
  await hand({ to_number: '600111333' })
  await call(server, addOptOut, { token, body: { number: '600111444' } })
  for (const search of [...SAME, '+34600111222', '600111222', '111222', '34 600 111 222']) {
    const { logs } = (await call(server, listLogs, { token, query: { search } })).body
    assert.deepEqual(
      logs.map((log) => log.guid),
      [guid],
      search,
    )
    const file = await call(server, exportLogs, { token, query: { search } })
    assert.match(JSON.stringify(file.body), /600111222/)
    const { count } = (await call(server, countLogs, { token, query: { search } })).body
    assert.equal(count, 1, search)
  }
  for (const search of ['0034600111444', '600 111 444', '+34 600111444', '111-444'])
    assert.equal(
      (await call(server, listOptOuts, { token, query: { search } })).body.opt_outs.length,
      1,
      search,
    )
})

test('a received SMS is read with the country of the SIM that received it', async (t) => {
  const { hand, entry, join } = await startFleet(t)
  const drone = await join('drone')
  const sims = [
    { id: 1, phone_number: '+351 910 000 001', iccid: '8935101000000000001' },
    { id: 2, phone_number: '+33 6 10 00 00 02', iccid: '89330100000000000022F' },
    { id: 3, phone_number: '600000003' },
  ]
  await drone.publish('networks', { wifi: null, mobile: { sims } })
  const received: [from: string, sim: string | number | null, to: string][] = [
    ['912345678', 1, '+351912345678'],
    ['912345679', '8935101000000000001', '+351912345679'],
    ['06 12 34 56 78', '+33610000002', '+33612345678'],
    ['06 12 34 56 79', '89330100000000000022', '+33612345679'],
    ['612345678', 3, '+34612345678'],
    ['612345679', null, '+34612345679'],
    ['612345670', 'unknown', '+34612345670'],
  ]
  for (const [n, [from, sim, to_number]] of received.entries()) {
    const guid = await hand({ to_number })
    await drone.until(n + 1)
    await drone.report({ guid, state: 'sent' })
    await drone.publish('inbox', { id: `sms-${n}`, from, text: 'yes', at: new Date().toISOString(), sim })
    assert.equal((await entry(guid)).answer_3, 'yes', `${from} on SIM ${sim}`)
  }
  await drone.publish('networks', { wifi: null, mobile: { sims: sims.slice(0, 1) } })
  const guid = await hand({ to_number: '+351912000000' })
  await drone.until(received.length + 1)
  await drone.report({ guid, state: 'sent' })
  await drone.publish('inbox', { id: 'one', from: '912000000', text: 'yes', at: new Date().toISOString() })
  assert.equal((await entry(guid)).answer_3, 'yes', 'one SIM needs no naming')
})
