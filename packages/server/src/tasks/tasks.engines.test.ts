import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { LogPage } from '@sdd/contract/insight/log.ts'
import * as contract from '@sdd/contract/tasks/tasks.ts'
import type { Task, TaskFilter } from '@sdd/contract/tasks/tasks.ts'
import * as z from 'zod/mini'
import { ensureCompany } from '#server/accounts/companies/companies.ts'
import type { Caller } from '#server/core/context.ts'
import type { Database } from '#server/database/open.ts'
import type { Change, InFlight, Outcomes } from '#server/database/schema.ts'
import { countQueued } from '#server/fleet/devices/capacity.ts'
import { listPage } from '#server/insight/log/log.ts'
import { queueMessage } from '#server/messages/messages/messages.ts'
import { addMessage } from '#server/messages/messages/moving.ts'
import type { NewMessage } from '#server/messages/messages/store.ts'
import { HOUR, testClock } from '#test/clock.ts'
import { insertEnded, insertInFlight } from '#test/message-tables.ts'
import { openWorld, type Published, SUPERADMIN } from '#test/model/world.ts'
import { listTasks } from './tasks.ts'

const NOW = '2026-06-10T08:00:00.000Z'
const TOMORROW = '2026-06-11T08:00:00.000Z'
const [OURS, THEIRS] = [adminOf(2), adminOf(3)]

function adminOf(company_id: number): Caller {
  return { ...SUPERADMIN, role: 'admin', company_id, scope: { company_id } }
}

/** The rules over a database with tasks from `seed`, and a device of ours that is not connected. */
async function begin(t: TestContext, seed: (adding: Adding) => Promise<void>) {
  const clock = testClock(NOW)
  const given: Published[] = []
  const world = await openWorld(clock, (published) => given.push(published))
  t.after(() => world.close())
  const { needs, db } = world
  await db.write((tx) => ensureCompany(tx, THEIRS.company_id, NOW))
  const device_id = await world.link(OURS.company_id, 'drone')
  const from = { connection_id: 'c1', connection: 1, uid: 'drone', device_id, company_id: OURS.company_id }
  await seed({
    db,
    device_id,
    add: (guid, more) => db.write((tx) => addMessage(tx, needs, { ...task(guid), ...more })),
    addGiven: (guid, status) =>
      db.write((tx) => insertInFlight(tx, task(guid), { device_id, assigned_at: NOW, ...status })),
    addEnded: (guid, state, more) =>
      db.write((tx) => insertEnded(tx, task(guid), { ...ended(state), ...more })),
  })

  async function tasksOf(caller: Caller, query: Record<string, string> = {}) {
    const page = await listTasks(needs, caller, z.parse(contract.listTasks.query!, query))
    return z.parse(contract.listTasks.reply, page)
  }

  return {
    clock,
    world,
    given,
    from,
    tasksOf,
    connect: () => world.status(from, { status: 'connected', session: 's1', agent: 'test/1' }),
    async guidsOf(caller: Caller, status: TaskFilter): Promise<string[]> {
      return (await tasksOf(caller, { status })).tasks.map(({ guid }) => guid)
    },
  }
}

/** Adds tasks: one that waits, that our device has, and that has ended. */
type Adding = {
  db: Database
  device_id: number
  add(guid: string, more?: Partial<NewMessage>): Promise<unknown>
  addGiven(guid: string, status?: Change<InFlight>): Promise<unknown>
  addEnded(guid: string, state: Outcomes['state'], more?: Change<Outcomes>): Promise<unknown>
}

/** A task from another system. */
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
    due_at: NOW,
    expires_at: TOMORROW,
    task: 1,
  } as const
}

const ended = (state: Outcomes['state']) => ({ state, attempt: 1, assigned_at: NOW, completed_at: NOW })

test('each filter lists the tasks of its states, and each state has its times', async (t) => {
  const { tasksOf, guidsOf } = await begin(t, async ({ add, addGiven, addEnded }) => {
    await add('waits', { lane: 'sim:+34611', from_number: '+34611', sent_stamp: 'yesterday', silent: 1 })
    await addGiven('given', { attempt: 2 })
    await addGiven('handed', { handed_timestamp: NOW })
    await addEnded('sent', 'sent')
    await addGiven('just sent', { answer_sent_timestamp: NOW, completed_at: NOW })
    await addEnded('delivered', 'delivered')
    await addEnded('replied', 'replied')
    await addEnded('failed', 'failed', { error: 'barred', error_msg: 'The SIM is barred.' })
    await addEnded('uncertain', 'uncertain', { error: 'no_report' })
    await addEnded('expired', 'expired', { assigned_at: null, attempt: 0 })
    await addEnded('cancelled', 'cancelled', { assigned_at: null, attempt: 0 })
    await add('console', { task: 0 })
  })
  const completed = ['uncertain', 'failed', 'replied', 'delivered', 'just sent', 'sent']
  const started = ['handed', 'given']
  assert.deepEqual(await guidsOf(OURS, 'received'), ['waits'])
  assert.deepEqual(await guidsOf(OURS, 'started'), started)
  assert.deepEqual(await guidsOf(OURS, 'completed'), completed)
  const all = (await tasksOf(OURS)).tasks
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
    'just sent': 'completed assigned completed',
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
    class: 'transactional',
    created_at: NOW,
    device_guid_assigned: null,
    assigned_at: null,
    completed_at: null,
    discarded_at: null,
    state: 'received',
    expires_at: TOMORROW,
    attempts: 0,
    error_msg: null,
    error_msg_code: null,
    error_msg_params: null,
    delivery_at: null,
    reply: null,
    reply_at: null,
    waiting_for: `No device has a SIM of +34611: it goes out once one has, or expires at ${TOMORROW}.`,
    waiting_code: 'no_sim',
    waiting_params: { number: '+34611', expires_at: TOMORROW },
  })
  assert.deepEqual(
    [byGuid.get('given')?.device_guid_assigned, byGuid.get('given')?.attempts, byGuid.get('given')?.silent],
    ['drone', 2, false],
  )
  assert.equal(byGuid.get('failed')?.error_msg, 'The SIM is barred.')
  assert.ok(all.every(({ state, waiting_for }) => (waiting_for === null) === !/received|started/.test(state)))
})

test('tasks are paged newest first, each once, in every filter', async (t) => {
  const { tasksOf } = await begin(t, async ({ add, addEnded }) => {
    for (let n = 0; n < 7; n++) await (n % 2 === 0 ? add(`task-${n}`) : addEnded(`task-${n}`, 'sent'))
  })
  const pages = async (status: TaskFilter) => {
    const guids: string[][] = []
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page = await tasksOf(OURS, { status, limit: '2', ...(cursor && { cursor }) })
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
  ]
  for (const [name, value] of invalid) {
    const { error } = z.safeParse(contract.listTasks.query!, { [name]: value })
    assert.deepEqual(
      error?.issues.map(({ path }) => path),
      [[name]],
    )
  }
  await assert.rejects(tasksOf(OURS, { cursor: 'x' }), ({ code, fields }) => {
    assert.deepEqual([code, Object.keys(fields)], ['invalid', ['cursor']])
    return true
  })
})

test('a company sees its own tasks, a superadmin all, and none is a message from the console', async (t) => {
  const { world, connect, tasksOf, guidsOf } = await begin(t, async ({ add }) => {
    await add('ours', { silent: 1 })
    await add('same')
    await add('same', { company_id: 3 })
  })
  await connect()
  await queueMessage(world.needs, OURS, {
    device_uid: 'drone',
    telefono_to: '+34600111222',
    mensaje_sms: 'from the console',
  })
  for (const status of ['all', 'received'] as const) {
    assert.deepEqual(await guidsOf(OURS, status), ['same', 'ours'])
    assert.deepEqual(await guidsOf(THEIRS, status), ['same'])
    const { tasks } = await tasksOf(SUPERADMIN, { status })
    assert.deepEqual(
      tasks.map(({ company_id, guid }) => `${company_id} ${guid}`),
      ['3 same', '2 same', '2 ours'],
    )
  }
})

test('a task is assigned when its device is given it, completed when it is sent, discarded when it expires', async (t) => {
  const { clock, world, given, from, connect, tasksOf, guidsOf } = await begin(
    t,
    async ({ add, db, device_id }) => {
      await add('goes', { device_id })
      await db.write((tx) => countQueued(tx, device_id, 1))
      await add('stays')
    },
  )
  const stateOf = async (guid: string) => (await tasksOf(OURS)).tasks.find((task) => task.guid === guid)!
  assert.match((await stateOf('goes')).waiting_for!, /^Device offline: drone/)
  clock.advance(1_000)
  await connect()
  await world.settle()
  assert.deepEqual(
    given.map(({ command }) => 'guid' in command && command.guid),
    ['goes'],
  )
  const started = await stateOf('goes')
  assert.deepEqual(
    [started.state, started.assigned_at, started.attempts],
    ['started', '2026-06-10T08:00:01.000Z', 1],
  )
  await world.reports(from, [{ guid: 'goes', state: 'sent', at: NOW }])
  const sent = await stateOf('goes')
  assert.deepEqual([sent.state, sent.completed_at], ['completed', '2026-06-10T08:00:01.000Z'])
  const log = await listPage(world.needs, { ...OURS, role: 'admin' }, { search: 'goes', limit: 1 })
  const { logs } = JSON.parse(new TextDecoder().decode(log)) as LogPage
  assert.equal(logs[0]?.state, 'sent', 'a task has its entry in the log')
  clock.advance(24 * HOUR)
  await world.settle()
  const expired = await stateOf('stays')
  assert.equal(expired.state, 'expired')
  assert.deepEqual([expired.completed_at, expired.discarded_at], [null, '2026-06-11T08:00:01.000Z'])
  assert.deepEqual(await guidsOf(OURS, 'completed'), ['goes'])
})

test('tasks are narrowed down by states, times, and a text in any case and without accents', async (t) => {
  const { tasksOf } = await begin(t, async ({ add, addGiven, addEnded }) => {
    await add('waits', { message: 'Revisión de mañana', message_to: '+34600777888' })
    await addGiven('given', {})
    await addEnded('fails', 'failed', {})
    await addEnded('lost', 'uncertain', {})
    await addEnded('late', 'expired', {})
  })
  const guids = async (query: Record<string, string>) =>
    (await tasksOf(OURS, query)).tasks.map(({ guid }) => guid).sort()
  assert.deepEqual(await guids({ state: 'failed,expired' }), ['fails', 'late'])
  assert.deepEqual(await guids({ state: 'failed,expired', status: 'completed' }), ['fails'])
  assert.deepEqual(await guids({ state: 'received,started,uncertain' }), ['given', 'lost', 'waits'])
  for (const search of ['REVISION', 'mañana', 'Wait', '600 777-888', '0034 600777888'])
    assert.deepEqual(await guids({ search }), ['waits'], search)
  assert.deepEqual(await guids({ search: 'nothing like it' }), [])
  assert.deepEqual(await guids({ search: 'waits', from: TOMORROW }), [])
  assert.deepEqual(await guids({ search: 'waits', to: '2026-06-10T09:00:00+01:00' }), ['waits'])
  assert.deepEqual((await tasksOf(THEIRS, { search: 'waits' })).tasks, [])

  const first = await tasksOf(OURS, { state: 'failed,uncertain,expired', limit: '2' })
  const rest = await tasksOf(OURS, {
    state: 'failed,uncertain,expired',
    limit: '2',
    cursor: first.next_cursor!,
  })
  assert.deepEqual([...first.tasks, ...rest.tasks].map(({ guid }) => guid).sort(), ['fails', 'late', 'lost'])
  assert.equal(rest.next_cursor, null)
})
