import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import * as messages from '@sdd/contract/messages/messages.ts'
import { listLogs } from '@sdd/contract/insight/log.ts'
import { listTasks, type Task, type TaskFilter } from '@sdd/contract/tasks/tasks.ts'
import { type Database, openDatabase } from '#server/database/open.ts'
import type { Change, Messages } from '#server/database/schema.ts'
import { queueFor } from '#server/fleet/devices/capacity.ts'
import { addMessage } from '#server/messages/messages/moving.ts'
import { HOUR, testClock } from './clock.ts'
import { connectDevice, eventually, linkTestDevice } from './device.ts'
import { openAnnouncements } from '#server/app/announcing.ts'
import { databaseOf } from './engine.ts'
import { enter, newUser } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

const NOW = '2026-06-10T08:00:00.000Z'
const TOMORROW = '2026-06-11T08:00:00.000Z'

/** A folder in which `seed` put its tasks between two starts of the server; users of two companies. */
async function begin(t: TestContext, seed: (add: Add, db: Database) => Promise<void>) {
  const clock = testClock(NOW)
  const folder = mkdtempSync(join(tmpdir(), 'sdd-tasks-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const first = await startServer({ clock, folder })
  const superadmin = (await enter(first, ADMIN.username, ADMIN.password)).token
  const ours = (await newUser(first, superadmin, { role: 'admin', companyId: 2 })).token
  const theirs = (await newUser(first, superadmin, { role: 'admin', companyId: 3 })).token
  const linked = await linkTestDevice(first, ours, 'drone')
  await first.stop()
  const db = await openDatabase({ folder, url: await databaseOf(folder) })
  await seed(
    (guid, more) => db.write((tx) => addMessage(tx, openAnnouncements(clock), { ...task(guid), ...more })),
    db,
  )
  await db.close()
  const server = await startServer({ clock, folder })
  t.after(() => server.stop())
  return { clock, server, superadmin, ours, theirs, linked: { ...linked, mqtt_url: server.mqtt_url } }
}

type Add = (guid: string, more?: Change<Messages>) => Promise<void>

/** As another system will hand one in. */
function task(guid: string) {
  return {
    company_id: 2,
    guid,
    message: `text of ${guid}`,
    message_to: '+34600111222',
    parts: 1,
    priority: 1,
    silent: 0,
    queue_timestamp: NOW,
    error_block: 0,
    state: 'queued',
    step: 'waiting',
    attempt: 0,
    due_at: NOW,
    expires_at: TOMORROW,
    task: 1,
  } as const
}

const finished = (state: Messages['state'], more: Change<Messages> = {}) =>
  ({ step: 'finished', state, attempt: 1, assigned_at: NOW, completed_at: NOW, ...more }) as const

async function tasksOf(server: TestServer, token: string, query: Record<string, string> = {}) {
  const { status, body } = await call(server, listTasks, { token, query })
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

async function guidsOf(server: TestServer, token: string, status: TaskFilter): Promise<string[]> {
  return (await tasksOf(server, token, { status })).tasks.map(({ guid }) => guid)
}

test('each filter has the tasks of its states, and each state its times', async (t) => {
  const { server, ours } = await begin(t, async (add) => {
    await add('waits', { lane: 'sim:34611', from_number: '+34611', sent_stamp: 'yesterday', silent: 1 })
    await add('given', { step: 'given', attempt: 2, device_guid: 'drone', assigned_at: NOW })
    await add('handed', { step: 'given', state: 'handed', attempt: 1, assigned_at: NOW })
    await add('sent', finished('sent'))
    await add('delivered', finished('delivered'))
    await add('replied', finished('replied'))
    await add('failed', finished('failed', { error: 'barred', error_msg: 'The SIM is barred.' }))
    await add('uncertain', finished('uncertain', { error: 'no_report' }))
    await add('expired', finished('expired', { assigned_at: null, attempt: 0 }))
    await add('cancelled', finished('cancelled', { assigned_at: null, attempt: 0 }))
    await add('console', { task: 0 })
  })
  const completed = ['uncertain', 'failed', 'replied', 'delivered', 'sent']
  const started = ['handed', 'given']
  assert.deepEqual(await guidsOf(server, ours, 'received'), ['waits'])
  assert.deepEqual(await guidsOf(server, ours, 'started'), started)
  assert.deepEqual(await guidsOf(server, ours, 'completed'), completed)
  const all = (await tasksOf(server, ours)).tasks
  assert.deepEqual(
    all.map(({ guid }) => guid),
    ['cancelled', 'expired', ...completed, ...started, 'waits'],
  )
  const facts = ({ state, assigned_at, completed_at, discarded_at }: Task) =>
    [state, assigned_at && 'assigned', completed_at && 'completed', discarded_at && 'discarded'].filter(
      Boolean,
    )
  assert.deepEqual(Object.fromEntries(all.map((task) => [task.guid, facts(task).join(' ')])), {
    waits: 'received',
    given: 'started assigned',
    handed: 'started assigned',
    sent: 'completed assigned completed',
    delivered: 'completed assigned completed',
    replied: 'completed assigned completed',
    failed: 'failed assigned completed',
    uncertain: 'uncertain assigned completed',
    expired: 'expired discarded',
    cancelled: 'discarded discarded',
  })
  const byGuid = new Map(all.map((task) => [task.guid, task]))
  assert.deepEqual(byGuid.get('waits'), {
    company_id: 2,
    guid: 'waits',
    from_number: '+34611',
    to_number: '+34600111222',
    text: 'text of waits',
    sent_stamp: 'yesterday',
    silent: true,
    created_at: NOW,
    device_guid_assigned: null,
    assigned_at: null,
    completed_at: null,
    discarded_at: null,
    state: 'received',
    expires_at: TOMORROW,
    attempts: 0,
    error_msg: null,
    delivery_at: null,
    reply: null,
    reply_at: null,
    waiting_for: `No device has a SIM of +34611: it goes out once one has, or expires at ${TOMORROW}.`,
  })
  assert.deepEqual(
    [byGuid.get('given')?.device_guid_assigned, byGuid.get('given')?.attempts, byGuid.get('given')?.silent],
    ['drone', 2, false],
  )
  assert.equal(byGuid.get('failed')?.error_msg, 'The SIM is barred.')
  assert.ok(all.every(({ state, waiting_for }) => (waiting_for === null) === !/received|started/.test(state)))
})

test('tasks are paged newest first, each once, in every filter', async (t) => {
  const { server, ours } = await begin(t, async (add) => {
    for (let n = 0; n < 7; n++) await add(`task-${n}`, n % 2 === 0 ? {} : finished('sent'))
  })
  const pages = async (status: TaskFilter) => {
    const guids: string[][] = []
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page = await tasksOf(server, ours, { status, limit: '2', ...(cursor && { cursor }) })
      guids.push(page.tasks.map(({ guid }) => guid.slice('task-'.length)))
      cursor = page.next_cursor ?? undefined
    }
    return guids.map((page) => page.join(''))
  }
  assert.deepEqual(await pages('all'), ['65', '43', '21', '0'])
  assert.deepEqual(await pages('received'), ['64', '20'])
  assert.deepEqual(await pages('completed'), ['53', '1'])
  const invalid: [string, string][] = [
    ['status', 'invented'],
    ['limit', '0'],
    ['limit', '1001'],
    ['cursor', 'x'],
  ]
  for (const [name, value] of invalid) {
    const { status, body } = await call(server, listTasks, { token: ours, query: { [name]: value } })
    assert.deepEqual([status, Object.keys(body.fields ?? {})], [422, [name]])
  }
})

test('a company sees its own tasks, a superadmin all, and none is a message from the console', async (t) => {
  const { server, ours, theirs, superadmin, linked } = await begin(t, async (add) => {
    await add('ours', { silent: 1 })
    await add('same')
    await add('same', { company_id: 3 })
  })
  const device = await connectDevice(linked)
  const body = { device_uid: device.uid, telefono_to: '+34600111222', mensaje_sms: 'from the console' }
  assert.equal((await call(server, messages.sendSms, { token: ours, body })).status, 200)
  for (const status of ['all', 'received'] as const) {
    assert.deepEqual(await guidsOf(server, ours, status), ['same', 'ours'])
    assert.deepEqual(await guidsOf(server, theirs, status), ['same'])
    const { tasks } = await tasksOf(server, superadmin, { status })
    assert.deepEqual(
      tasks.map(({ company_id, guid }) => `${company_id} ${guid}`),
      ['3 same', '2 same', '2 ours'],
    )
  }
})

test('a task is assigned when its device is given it, completed when it is sent, discarded when it expires', async (t) => {
  const { clock, server, ours, linked } = await begin(t, async (add, db) => {
    const [device] = await db.read.query<{ id: number }>('select id from devices')
    const assigned = { device_id: device!.id, device_guid: 'drone' }
    await add('goes', assigned)
    await db.write((tx) => queueFor(tx, device!.id, 1))
    await add('stays')
  })
  const stateOf = async (guid: string) =>
    (await tasksOf(server, ours)).tasks.find((task) => task.guid === guid)!
  assert.match((await stateOf('goes')).waiting_for!, /^Device offline: drone/)
  clock.advance(1_000)
  const device = await connectDevice(linked)
  await device.until(1)
  const given = await stateOf('goes')
  assert.deepEqual(
    [given.state, given.assigned_at, given.attempts],
    ['started', '2026-06-10T08:00:01.000Z', 1],
  )
  await device.report({ guid: 'goes', state: 'sent', at: NOW })
  const sent = await stateOf('goes')
  assert.deepEqual([sent.state, sent.completed_at], ['completed', '2026-06-10T08:00:01.000Z'])
  const { body } = await call(server, listLogs, { token: ours, query: { search: 'goes' } })
  assert.equal(body.logs[0]?.state, 'sent', 'a task has its entry in the log')
  for (let hours = 0; hours < 24; hours += 8) {
    clock.advance(8 * HOUR)
    await tasksOf(server, ours)
  }
  const expired = await eventually(async () => {
    const task = await stateOf('stays')
    return task.state === 'expired' && task
  })
  assert.deepEqual([expired.completed_at, expired.discarded_at], [null, '2026-06-11T08:00:01.000Z'])
  assert.deepEqual(await guidsOf(server, ours, 'completed'), ['goes'])
})
