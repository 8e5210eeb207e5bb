import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as devices from '@sdd/contract/devices.ts'
import * as messages from '@sdd/contract/messages.ts'
import * as optOuts from '@sdd/contract/opt-outs.ts'
import * as settings from '@sdd/contract/settings.ts'
import * as tasks from '@sdd/contract/tasks.ts'
import { connectBrowser } from './browser.ts'
import { connectDevice, eventually, linkTestDevice, type TestDevice } from './device.ts'
import { enter, newUser } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

let server: TestServer
let superadmin: string
let companies = 1

before(async () => {
  server = await startServer()
  superadmin = (await enter(server, ADMIN.username, ADMIN.password)).token
})
after(() => server.stop())

/** A company of the test's own, with an admin, a user and a connected device. */
async function begin() {
  const company_id = ++companies
  const admin = await newUser(server, superadmin, { role: 'admin', companyId: company_id })
  const user = await newUser(server, admin.token)
  const device = await connectDevice(await linkTestDevice(server, admin.token, `drone-${company_id}`))

  const send = (telefono_to: string) =>
    call(server, messages.sendSms, {
      token: user.token,
      body: { device_uid: device.uid, telefono_to, mensaje_sms: 'hola' },
    })

  return {
    company_id,
    device,
    admin: admin.token,
    user: user.token,
    send,
    async queue(telefono_to: string): Promise<string> {
      const { status, body } = await send(telefono_to)
      assert.equal(status, 200, JSON.stringify(body))
      return body.guid
    },
    async entry(guid: string) {
      const { body } = await call(server, messages.listLogs, { token: admin.token, query: { search: guid } })
      return body.logs[0]!
    },
    async blocked(query: Record<string, string> = {}) {
      const { status, body } = await call(server, optOuts.listOptOuts, { token: admin.token, query })
      assert.equal(status, 200)
      return body
    },
    add: (number: string) => call(server, optOuts.addOptOut, { token: admin.token, body: { number } }),
    lift: (id: number, token = admin.token) => call(server, optOuts.liftOptOut, { token, params: { id } }),
    async set(more: Record<string, unknown>) {
      const body = { spoof_time_secs: 0, send_enabled: true, ...more }
      const saved = await call(server, settings.saveGlobalSettings, { token: admin.token, body })
      assert.equal(saved.status, 200, JSON.stringify(saved.body))
    },
  }
}

let received = 0

/** The device receives an SMS; resolves when the server has it. */
function receive(device: TestDevice, from: string, text: string, id = `sms-${++received}`) {
  return device.publish('inbox', { id, from, text, at: new Date().toISOString() })
}

test('a stop word blocks its sender: nothing is sent to that number any more, however it is written', async () => {
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

test('a stop word ends what still waits for its sender, and what a device has not taken yet', async () => {
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
  assert.equal(sent[2]!.guid, other, 'the queue goes on with the next')
})

test('what a device has accepted goes out, and a reply is a reply beside being a stop word', async () => {
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

test('nothing but a stop word of the company blocks, and a name cannot ask for it', async () => {
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

test('stop words are saved as they are given, refused where nobody could send them, and kept where absent', async () => {
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

test('a block is lifted by hand: the number may be written to, until it asks again', async () => {
  const { device, send, queue, blocked, lift } = await begin()
  await receive(device, '600555666', 'baja', 'the-first')
  const { id } = (await blocked()).opt_outs[0]!
  assert.equal((await lift(id)).status, 204)
  await receive(device, '600555666', 'baja', 'the-first')
  await queue('600555666')
  const again = await lift(id)
  assert.deepEqual([again.status, again.body.code], [404, 'unknown_opt_out'])
  await receive(device, '600555666', 'baja', 'the-second')
  assert.equal((await send('600555666')).status, 422)
  await receive(device, '600555666', 'START')
  assert.equal((await send('600555666')).status, 422, 'nothing that is received lifts a block')
})

test('an admin blocks a number by hand, once however often, and what waits for it fails', async () => {
  const { device, queue, entry, set, add, send, blocked } = await begin()
  await set({ spoof_time_secs: 3_600 })
  await queue('600666777')
  await device.until(1)
  const waits = await queue('600666777')
  const made = await add('600 666 777')
  const { number, text, created_by } = made.body
  assert.deepEqual([made.status, number, text], [201, '600666777', null])
  assert.equal((await add('+34600666777')).body.id, made.body.id)
  assert.equal((await blocked()).opt_outs.length, 1)
  const { state, error_msg } = await entry(waits)
  assert.equal(state, 'failed')
  assert.ok(error_msg!.includes(`was blocked by ${created_by}`), error_msg!)
  assert.ok((await send('600666777')).body.detail.includes(`was blocked by ${created_by}`))
  const refused = await add('AMAZON')
  assert.deepEqual([refused.status, refused.body.code], [422, 'invalid'])
})

test('blocks are listed newest first, in pages, and found by a part of the number', async () => {
  const { add, blocked, lift } = await begin()
  const numbers = Array.from({ length: 7 }, (_, n) => `60077700${n}`)
  for (const number of numbers) await add(number)
  const listed: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page = await blocked({ limit: '3', ...(cursor && { cursor }) })
    listed.push(...page.opt_outs.map(({ number }) => number))
    cursor = page.next_cursor
  }
  assert.deepEqual(listed, numbers.toReversed())
  const found = async (search: string) => (await blocked({ search })).opt_outs.map(({ number }) => number)
  assert.deepEqual(await found('7 003'), ['600777003'])
  assert.deepEqual(await found('%'), [])
  assert.deepEqual((await blocked({ search: '600777', limit: '2' })).opt_outs.length, 2)
  const theirs = await begin()
  assert.deepEqual((await theirs.blocked()).opt_outs, [])
  const { id } = (await blocked()).opt_outs[0]!
  assert.equal((await lift(id, theirs.admin)).status, 404)
  assert.equal((await lift(id, superadmin)).status, 204)
})

test('another system is refused tasks for a blocked number: one alone, and in a batch that one', async () => {
  const { admin, device } = await begin()
  await receive(device, '+34600999111', 'STOP')
  const hand = (body: Record<string, unknown>) => call(server, tasks.createTasks, { token: admin, body })
  const refused = await hand({ guid: 'one', to_number: '600999111', text: 'hola' })
  assert.deepEqual([refused.status, refused.body.code], [422, 'opted_out'])
  assert.match(refused.body.detail, /^600999111 asked not to be written to, by the SMS "STOP" that .* at 20/)
  const to = (guid: string, to_number: string) => ({ guid, to_number, text: 'hola' })
  const batch = await hand({ tasks: [to('a', '600999112'), to('b', '0034600999111'), to('c', '600999113')] })
  const { results } = batch.body as tasks.TaskResults
  assert.deepEqual(
    results.map(({ guid, status, code }) => [guid, status, code]),
    [
      ['a', 'received', undefined],
      ['b', 'refused', 'opted_out'],
      ['c', 'received', undefined],
    ],
  )
  assert.equal((await call(server, tasks.readTask, { token: admin, params: { guid: 'b' } })).status, 404)
})

test('however many tasks wait for a number, none goes out once it is blocked, and all of them fail', async () => {
  const { admin, device, add } = await begin()
  await device.stop()
  const many = Array.from({ length: 250 }, (_, n) => {
    // Some wait for their time, not for a device.
    const not_before = n % 5 === 0 ? new Date(Date.now() + 3_600_000).toISOString() : null
    return { guid: `many-${n}`, to_number: '+34600999222', text: 'hola', not_before }
  })
  await call(server, tasks.createTasks, { token: admin, body: { tasks: many } })
  const other = { guid: 'other', to_number: '+34600999223', text: 'hola' }
  await call(server, tasks.createTasks, { token: admin, body: other })
  await add('600999222')
  const linked = await call(server, devices.renewSecret, { token: admin, params: { uid: device.uid } })
  const back = await connectDevice({ ...linked.body, mqtt_url: server.mqtt_url })
  const [given] = await back.until(1)
  assert.equal(given!.guid, 'other')
  const listed = async () => {
    const { body } = await call(server, tasks.listTasks, { token: admin, query: { limit: '1000' } })
    return body.tasks.filter(({ guid }) => guid !== 'other')
  }
  const ended = await eventually(async () => {
    const rows = await listed()
    return rows.every(({ state }) => state === 'failed') && rows
  })
  assert.equal(ended.length, many.length)
  assert.ok(ended.every(({ error_msg }) => error_msg?.includes('was blocked by')))
  assert.equal(back.commands.length, 1)
})

test('what failed in passing is not tried again once the number is blocked', async () => {
  const { admin, device } = await begin()
  const body = { guid: 'once', to_number: '600999333', text: 'hola' }
  await call(server, tasks.createTasks, { token: admin, body })
  await device.until(1)
  await device.report({ guid: 'once', state: 'accepted' })
  await receive(device, '+34600999333', 'BAJA')
  await device.report({ guid: 'once', state: 'failed', code: 'no_network' })
  const { body: task } = await call(server, tasks.readTask, { token: admin, params: { guid: 'once' } })
  assert.deepEqual([task.state, task.waiting_for], ['failed', null])
})

test('browsers hear of blocks, and of what they ended', async (t) => {
  const { device, admin, queue, set, add } = await begin()
  await set({ spoof_time_secs: 3_600 })
  await queue('600888999')
  await device.until(1)
  await queue('600888999')
  const browser = await connectBrowser(server, admin)
  t.after(() => browser.stop())
  const heard = () => new Set(browser.changes.flatMap(({ changed }) => changed))
  await receive(device, '600888999', 'STOP')
  await eventually(() => ['opt_outs', 'logs'].every((list) => heard().has(list)))
  browser.changes.length = 0
  await add('600888998')
  await eventually(() => ['opt_outs', 'audit'].every((list) => heard().has(list)))
})
