import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createApiKey } from '@sdd/contract/accounts/api-keys.ts'
import * as contacts from '@sdd/contract/people/contacts.ts'
import { createTasks, type TaskReceipt, type TaskResults } from '@sdd/contract/tasks/tasks.ts'
import { queueMessage } from '#server/messages/messages/messages.ts'
import { saveContact } from '#server/people/contacts/contacts.ts'
import { submitTasks } from '#server/tasks/submission.ts'
import { readTask } from '#server/tasks/tasks.ts'
import { MINUTE, SECOND, testClock } from './clock.ts'
import { startFleet, type Written } from './fleet.ts'
import { withoutUrls } from './model/steps.ts'
import { openWorld } from './model/world.ts'
import { call } from './server.ts'

type Fleet = Awaited<ReturnType<typeof startFleet>>

async function keyFor({ server, token }: Fleet, classes?: string[]): Promise<string> {
  const body = { name: `sends ${classes?.join(' ') ?? 'all'}`, ...(classes && { classes }) }
  return (await call(server, createApiKey, { token, body })).body.key
}

const TASK = { to_number: '+34600111222', text: 'hola' }

/** The recipient of TASK agrees to get marketing. */
const CONSENT = { consent: { how: 'web' } }

const post = ({ server }: Fleet, token: string, body: Written) => call(server, createTasks, { token, body })

/** A connected device and messages for it, without a server. Their recipient agrees to get marketing. */
async function openDevice(t: TestContext) {
  const clock = testClock('2026-06-10T08:00:00.000Z')
  const texts: string[] = []
  const world = await openWorld(clock, ({ command }) => 'text' in command && texts.push(command.text))
  t.after(() => world.close())
  const device_id = await world.link(1, 'drone')
  const from = { connection_id: 'c1', connection: 1, uid: 'drone', device_id, company_id: 1 }
  await world.status(from, { status: 'connected', session: 's1', agent: 'test/1' })
  const contactNeeds = { ...world.needs, endUnconsented: async () => 0 }
  await saveContact(contactNeeds, world.superadmin, TASK.to_number, CONSENT)
  const submit = async (...tasks: Written[]) => {
    const drafts = tasks.map((task) => ({ to_number: TASK.to_number, ...task }))
    const results = await submitTasks(withoutUrls(world), world.superadmin, drafts)
    return results.map(({ guid }) => guid!)
  }
  return {
    clock,
    world,
    from,
    texts,
    submit,
    send: (mensaje_sms: string) =>
      queueMessage(world.needs, world.superadmin, {
        device_uid: 'drone',
        telefono_to: '+34600111222',
        mensaje_sms,
      }),
    read: (guid: string) => readTask(world.needs, world.superadmin.scope, { guid }),
  }
}

test('a device sends codes first, then what a person wrote, then transactional messages, then marketing', async (t) => {
  const { world, texts, submit, send } = await openDevice(t)
  await submit({ text: 'marketing', class: 'marketing' }, { text: 'usual' })
  await submit({ text: 'transactional', class: 'transactional' })
  await send('person')
  await submit({ text: 'code', class: 'code' })
  await world.settle()
  assert.deepEqual(texts, ['code', 'person', 'usual', 'transactional', 'marketing'])
})

test('a code also goes first in the lane of its usual device, and waits there a minute at most', async (t) => {
  const { world, from, texts, clock, submit, send, read } = await openDevice(t)
  const { guid } = await send('first')
  await world.settle()
  await world.reports(from, [{ guid, attempt: 1, state: 'sent', at: '2026-06-10T08:00:00Z' }])
  const [marketing, code] = await submit(
    { text: 'marketing', class: 'marketing' },
    { text: 'code', class: 'code' },
  )
  const until = async (guid: string) => (await read(guid)).waiting_params?.['until']
  assert.equal(await until(marketing!), '2026-06-10T08:10:00.000Z')
  assert.equal(await until(code!), '2026-06-10T08:01:00.000Z')
  clock.advance(SECOND)
  await world.settle()
  assert.deepEqual(texts, ['first', 'code', 'marketing'])
})

test('a code expires after ten minutes unless told otherwise', async (t) => {
  const { world, from, clock, submit, read } = await openDevice(t)
  await world.cut(from)
  const [usual, later, told] = await submit(
    { text: 'usual', class: 'code' },
    { text: 'later', class: 'code', not_before: '2026-06-10T09:00:00Z' },
    { text: 'told', class: 'code', expires_at: '2026-06-10T12:00:00Z' },
  )
  assert.equal((await read(usual!)).expires_at, '2026-06-10T08:10:00.000Z')
  assert.equal((await read(later!)).expires_at, '2026-06-10T09:10:00.000Z')
  assert.equal((await read(told!)).expires_at, '2026-06-10T12:00:00.000Z')
  clock.advance(10 * MINUTE)
  await world.settle()
  assert.deepEqual([(await read(usual!)).state, (await read(told!)).state], ['expired', 'received'])
})

test('tasks, the log and the record show the class, and an unknown one is refused', async (t) => {
  const fleet = await startFleet(t)
  const { server, token } = fleet
  const number = TASK.to_number
  await call(server, contacts.saveContact, { token, params: { number }, body: CONSENT })
  const guid = await fleet.hand({ class: 'marketing', to_number: number })
  const { class: inRecord } = await fleet.record(guid)
  assert.deepEqual(
    [(await fleet.read(guid)).class, (await fleet.entry(guid)).class, inRecord],
    ['marketing', 'marketing', 'marketing'],
  )
  assert.equal((await fleet.read(await fleet.hand({ class: null }))).class, 'transactional')
  const refused = await post(fleet, fleet.key, { ...TASK, class: 'urgent' })
  assert.deepEqual([refused.status, Object.keys(refused.body.fields!)], [422, ['class']])
})

test('an API key sends only its classes, and a task without a class has the only one of its key', async (t) => {
  const fleet = await startFleet(t)
  const codes = await keyFor(fleet, ['code', 'code'])
  const two = await keyFor(fleet, ['marketing', 'transactional'])
  const refused = await post(fleet, codes, { ...TASK, class: 'marketing' })
  assert.deepEqual(
    [refused.status, refused.body.code, refused.body.params],
    [403, 'class_forbidden', { class: 'marketing', classes: ['code'] }],
  )
  assert.equal((await post(fleet, two, { ...TASK, class: 'code' })).body.code, 'class_forbidden')
  const usual = await post(fleet, codes, TASK)
  assert.equal((await fleet.read((usual.body as TaskReceipt).guid)).class, 'code')
  const either = await post(fleet, two, TASK)
  assert.equal((await fleet.read((either.body as TaskReceipt).guid)).class, 'transactional')
  const batch = await post(fleet, codes, {
    tasks: [
      { ...TASK, class: 'transactional', guid: 'no' },
      { ...TASK, guid: 'yes' },
    ],
  })
  const { results } = batch.body as TaskResults
  assert.deepEqual(
    results.map(({ guid, status, code }) => [guid, status, code]),
    [
      ['no', 'refused', 'class_forbidden'],
      ['yes', 'received', undefined],
    ],
  )
})
