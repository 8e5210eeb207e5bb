import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as devices from '@sdd/contract/fleet/devices.ts'
import * as optOuts from '@sdd/contract/messages/opt-outs.ts'
import * as tasks from '@sdd/contract/tasks/tasks.ts'
import { connectBrowser } from './browser.ts'
import { connectDevice, eventually, type TestDevice } from './device.ts'
import { startFleet } from './fleet.ts'
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

test('a block is lifted by hand: the number can receive messages until it opts out again', async () => {
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
  await receive(device, '600555666', 'hola')
  assert.equal((await send('600555666')).status, 422, 'only START lifts a block')
  await receive(device, '600555666', 'START')
  assert.equal((await send('600555666')).status, 200)
})

test('an admin blocks a number by hand, with one entry however often, and its waiting messages fail', async () => {
  const { device, queue, entry, set, add, send, blocked } = await begin()
  await set({ spoof_time_secs: 3_600 })
  await queue('600666777')
  await device.until(1)
  const waits = await queue('600666777')
  const made = await add('600 666 777')
  const { number, text, created_by } = made.body
  assert.deepEqual([made.status, number, text], [201, '+34600666777', null])
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
  assert.deepEqual(listed, numbers.map((number) => `+34${number}`).toReversed())
  const found = async (search: string) => (await blocked({ search })).opt_outs.map(({ number }) => number)
  assert.deepEqual(await found('7 003'), ['+34600777003'])
  assert.deepEqual(await found('%'), [])
  assert.deepEqual(await found('-'), [])
  assert.deepEqual((await blocked({ search: '600777', limit: '2' })).opt_outs.length, 2)
  const theirs = await begin()
  assert.deepEqual((await theirs.blocked()).opt_outs, [])
  const { id } = (await blocked()).opt_outs[0]!
  assert.equal((await lift(id, theirs.admin)).status, 404)
  assert.equal((await lift(id, superadmin)).status, 204)
})

test('tasks for a blocked number are refused: a single task, or only that one in a batch', async () => {
  const { admin, device } = await begin()
  await receive(device, '+34600999111', 'STOP')
  const hand = (body: Record<string, unknown>) => call(server, tasks.createTasks, { token: admin, body })
  const refused = await hand({ guid: 'one', to_number: '600999111', text: 'hola' })
  assert.deepEqual([refused.status, refused.body.code], [422, 'opted_out'])
  assert.match(
    refused.body.detail,
    /^\+34600999111 asked not to be written to, by the SMS "STOP" that .* at 20/,
  )
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

test('when a number is blocked, all its waiting tasks fail, however many, and none goes out', async () => {
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

test('when a number is blocked, devices drop all its messages that they have not accepted, behind however many others', async (t) => {
  const { server, token, join, handAll } = await startFleet(t)
  const drones: TestDevice[] = []
  for (let n = 0; n < 11; n++) drones.push(await join(`drone-${n}`))
  const guids = await handAll(Array(110).fill({ to_number: '+34600999222' }))
  const accepted = new Set(guids.slice(0, 100))
  for (const drone of drones) {
    const given = await drone.until(10)
    const its = given.filter(({ guid }) => accepted.has(guid))
    if (its.length > 0) await drone.report(...its.map(({ guid }) => ({ guid, state: 'accepted' as const })))
  }
  await call(server, optOuts.addOptOut, { token, body: { number: '600999222' } })
  const dropped = () =>
    drones.flatMap(({ commands }) => commands.filter(({ type }) => type !== 'send').map(({ guid }) => guid))
  await eventually(() => dropped().length >= 10)
  assert.deepEqual(dropped().sort(), guids.slice(100).sort())
})

test('a temporary failure is not retried once the number is blocked', async () => {
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

test('browsers hear of blocks, and of the messages they ended', async (t) => {
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
