import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listLogs } from '@sdd/contract/insight/log.ts'
import { createTasks, listTasks, type TaskReceipt, type TaskResults } from '@sdd/contract/tasks/tasks.ts'
import { SECOND } from './clock.ts'
import { givenTo, startFleet, type Written } from './fleet.ts'
import { call } from './server.ts'

const TASK = { to_number: '+34 600-111.222', text: 'hola' }

type Fleet = Awaited<ReturnType<typeof startFleet>>

/** Posts a body as the client program does. */
const post = ({ server, key }: Fleet, body: Written, token = key) =>
  call(server, createTasks, { token, body })

async function results(fleet: Fleet, tasks: unknown[]) {
  const { status, body } = await post(fleet, { tasks })
  assert.equal(status, 202, JSON.stringify(body))
  return (body as TaskResults).results
}

async function countTasks({ server, token }: Fleet) {
  return (await call(server, listTasks, { token, query: { limit: '1000' } })).body.tasks.length
}

test('a task is stored in the names and times of this product', async (t) => {
  const fleet = await startFleet(t)
  const body = {
    ...TASK,
    guid: 'order:1.a_b-C',
    from_number: '(600) 000 001',
    sent_stamp: '2026-06-10T09:59:59+02:00',
    not_before: '2026-06-10T10:30:00+02:00',
    callback_url: 'https://1.1.1.1/hook',
  }
  const answer = await post(fleet, body)
  assert.deepEqual([answer.status, answer.body], [202, { guid: 'order:1.a_b-C', status: 'received' }])
  assert.deepEqual(await fleet.read('order:1.a_b-C'), {
    company_id: 2,
    guid: 'order:1.a_b-C',
    from_number: '+34600000001',
    to_number: '+34600111222',
    text: 'hola',
    sent_stamp: '2026-06-10T07:59:59.000Z',
    silent: false,
    class: 'transactional',
    created_at: '2026-06-10T08:00:00.000Z',
    device_guid_assigned: null,
    assigned_at: null,
    completed_at: null,
    discarded_at: null,
    state: 'received',
    expires_at: '2026-06-11T08:30:00.000Z',
    attempts: 0,
    error_msg: null,
    error_msg_code: null,
    error_msg_params: null,
    delivery_at: null,
    reply: null,
    reply_at: null,
    waiting_for: 'Not before 2026-06-10T08:30:00.000Z, as it was handed in.',
    waiting_code: 'not_before',
    waiting_params: { at: '2026-06-10T08:30:00.000Z' },
  })
})

test('the same guid with the same content is one task, however it is written; with other content it is a 409', async (t) => {
  const fleet = await startFleet(t)
  assert.equal((await post(fleet, { ...TASK, guid: 'a' })).status, 202)
  const repeated = await post(fleet, {
    guid: 'a',
    text: 'hola',
    to_number: '+34600111222',
    silent: false,
    not_before: null,
    callback_url: null,
  })
  assert.deepEqual([repeated.status, repeated.body], [200, { guid: 'a', status: 'repeated' }])
  for (const change of [
    { text: 'Hola' },
    { to_number: '600111223' },
    { silent: true },
    { class: 'code' },
    { from_number: '600000001' },
    { expires_at: '2026-06-10T09:00:00Z' },
    { not_before: '2026-06-10T09:00:00Z' },
    { sent_stamp: '2026-06-10T07:00:00Z' },
    { callback_url: 'https://1.1.1.1/' },
  ]) {
    const { status, body } = await post(fleet, { ...TASK, guid: 'a', ...change })
    assert.deepEqual([status, (body as { code: string }).code], [409, 'guid_taken'], JSON.stringify(change))
  }
  assert.equal(await countTasks(fleet), 1)
})

test('a guid that the console used is taken, but free in another company', async (t) => {
  const fleet = await startFleet(t)
  await fleet.join('drone')
  const { guid } = (await fleet.send('drone')).body
  assert.equal((await post(fleet, { ...TASK, guid })).status, 409)
  assert.equal((await post(fleet, { ...TASK, guid }, fleet.superadmin)).status, 202)
})

test('a repetition is still recognised after its times have passed', async (t) => {
  const fleet = await startFleet(t)
  const body = { ...TASK, guid: 'a', expires_at: '2026-06-10T08:00:01Z' }
  assert.equal((await post(fleet, body)).status, 202)
  fleet.clock.advance(2 * SECOND)
  assert.equal((await post(fleet, body)).status, 200)
  assert.equal((await post(fleet, { ...body, guid: 'b' })).status, 422)
})

test('100 simultaneous posts of one guid make one task', async (t) => {
  const fleet = await startFleet(t)
  const answers = await Promise.all(Array.from({ length: 100 }, () => post(fleet, { ...TASK, guid: 'once' })))
  const statuses = answers.map(({ status }) => status).sort((a, b) => a - b)
  assert.deepEqual(statuses, [...Array<number>(99).fill(200), 202])
  assert.equal(await countTasks(fleet), 1)
})

test('errors are reported by field, unknown fields included, and nothing is stored', async (t) => {
  const fleet = await startFleet(t)
  const refused: [unknown, string[]][] = [
    [{}, ['to_number', 'text']],
    [{ ...TASK, to_number: 'abc' }, ['to_number']],
    [{ ...TASK, to_number: 34600 }, ['to_number']],
    [{ ...TASK, text: '' }, ['text']],
    [{ ...TASK, text: 'x'.repeat(1531) }, ['text']],
    [{ ...TASK, guid: 'no blanks' }, ['guid']],
    [{ ...TASK, guid: 'x'.repeat(65) }, ['guid']],
    [{ ...TASK, from_number: '+1' }, ['from_number']],
    [{ ...TASK, silent: 'yes' }, ['silent']],
    [{ ...TASK, expires_at: 'tomorrow' }, ['expires_at']],
    [{ ...TASK, expires_at: '2026-06-10T08:00:00Z' }, ['expires_at']],
    [{ ...TASK, expires_at: '2027-06-12T08:00:00Z' }, ['expires_at']],
    [{ ...TASK, not_before: '2027-06-12T08:00:00Z' }, ['not_before']],
    [{ ...TASK, not_before: '2026-06-10T10:00:00Z', expires_at: '2026-06-10T10:00:00Z' }, ['not_before']],
    [{ ...TASK, sent_stamp: '1' }, ['sent_stamp']],
    [{ ...TASK, callback_url: 'ftp://example.com' }, ['callback_url']],
    [{ ...TASK, callback_url: 'http://127.0.0.1/' }, ['callback_url']],
    [{ ...TASK, priority: 0, company_id: 1 }, ['priority', 'company_id']],
    [{ ...TASK, constructor: 1, toString: 1 }, ['constructor', 'toString']],
    [{ tasks: 'all' }, ['tasks']],
    [{ tasks: [] }, ['tasks']],
    [{ tasks: [TASK], text: 'x' }, ['text']],
    [{ tasks: Array(1_001).fill(0) }, ['tasks']],
    [[TASK], ['body']],
  ]
  for (const [body, fields] of refused) {
    const answer = await post(fleet, body as Written)
    const { code, fields: named } = answer.body as { code: string; fields?: Record<string, string> }
    const what = JSON.stringify(body).slice(0, 80)
    assert.deepEqual([answer.status, code], [422, 'invalid'], what)
    assert.deepEqual(Object.keys(named ?? {}), fields, what)
  }
  assert.equal(await countTasks(fleet), 0)
})

test('the valid tasks of a batch are accepted and each invalid one is refused on its own, in order', async (t) => {
  const fleet = await startFleet(t)
  await post(fleet, { ...TASK, guid: 'there' })
  const found = await results(fleet, [
    { ...TASK, guid: 'a' },
    { ...TASK, guid: 'bad', to_number: 'x' },
    { ...TASK, guid: 'there' },
    { ...TASK, guid: 'there', text: 'other' },
    { ...TASK, guid: 'a' },
    { ...TASK, guid: 'a', text: 'other' },
    { ...TASK, guid: 'bad' },
    'no task',
    { ...TASK, guid: 7 },
    TASK,
    { ...TASK, guid: 'odd', constructor: 1 },
  ])
  assert.deepEqual(
    found.map(({ guid, status, code }) => [guid, status, code].filter(Boolean).join(' ')),
    [
      'a received',
      'bad refused invalid',
      'there repeated',
      'there refused guid_taken',
      'a repeated',
      'a refused guid_taken',
      'bad received',
      'refused invalid',
      'refused invalid',
      `${found[9]!.guid} received`,
      'odd refused invalid',
    ],
  )
  assert.deepEqual(Object.keys(found[1]!.fields!), ['to_number'])
  assert.deepEqual(Object.keys(found[10]!.fields!), ['constructor'])
  assert.match(found[10]!.detail!, /constructor: is not known here/)
  assert.match(found[3]!.detail!, /there already, with other content/)
  assert.match(found[9]!.guid!, /^[0-9a-f-]{36}$/)
  assert.equal(await countTasks(fleet), 4)
})

test('a thousand tasks are accepted at once, and each reaches a device', async (t) => {
  const fleet = await startFleet(t)
  const drone = await fleet.join('drone')
  await fleet.setLimit('drone', 10_000)
  const tasks = Array.from({ length: 1_000 }, (_, n) => ({
    ...TASK,
    guid: `g${n}`,
    to_number: `6${10_000_000 + n}`,
  }))
  const found = await results(fleet, tasks)
  assert.ok(found.every(({ status }) => status === 'received'))
  for (let given = 10; given < 100; given += 10) {
    const commands = await drone.until(given)
    await drone.report(...commands.slice(given - 10).map(({ guid }) => ({ guid, state: 'sent' as const })))
  }
  assert.deepEqual(
    givenTo(drone).slice(0, 90),
    tasks.slice(0, 90).map(({ guid }) => guid),
  )
  assert.ok((await results(fleet, tasks)).every(({ status }) => status === 'repeated'))
})

test('a task for a blocked number is refused with this reason', async (t) => {
  const fleet = await startFleet(t)
  const drone = await fleet.join('drone')
  const guid = await fleet.hand({ to_number: '+34600111222' })
  await drone.until(1)
  await drone.report({ guid, state: 'sent' })
  const at = '2026-06-10T08:00:00Z'
  await drone.publish('inbox', { id: '1', from: '+34600111222', text: 'Baja', at })
  const single = await post(fleet, { ...TASK, to_number: '600 111 222' })
  assert.deepEqual([single.status, (single.body as { code: string }).code], [422, 'opted_out'])
  const [blocked, free] = await results(fleet, [TASK, { ...TASK, to_number: '600333444' }])
  assert.deepEqual([blocked!.status, blocked!.code, free!.status], ['refused', 'opted_out', 'received'])
  assert.match(blocked!.detail!, /asked not to be written to/)
})

test('a user may submit tasks too, but without callbacks, because no key could sign them', async (t) => {
  const fleet = await startFleet(t)
  assert.equal((await post(fleet, TASK, fleet.token)).status, 202)
  const { status, body } = await post(fleet, { ...TASK, callback_url: 'https://1.1.1.1/' }, fleet.token)
  assert.equal(status, 422)
  assert.match((body as { fields: Record<string, string> }).fields.callback_url!, /API key/)
})

test('a task has its entry in the log as soon as it is stored', async (t) => {
  const fleet = await startFleet(t)
  const { guid } = (await post(fleet, TASK)).body as TaskReceipt
  const { state, device_guid, message_to, queue_timestamp } = await fleet.entry(guid)
  assert.deepEqual(
    [state, device_guid, message_to, queue_timestamp],
    ['queued', null, '+34600111222', '2026-06-10T08:00:00.000Z'],
  )
  const { body } = await call(fleet.server, listLogs, {
    token: fleet.token,
    query: { state: 'queued' },
  })
  assert.deepEqual(
    body.logs.map((entry) => entry.guid),
    [guid],
  )
})
