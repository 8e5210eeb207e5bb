import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createApiKey, revokeApiKey } from '@sdd/contract/accounts/api-keys.ts'
import { sendSms } from '@sdd/contract/messages/messages.ts'
import { exportLogs, LogEntry, readMessage } from '@sdd/contract/insight/log.ts'
import { createTasks, readTask, Task, type TaskReceipt } from '@sdd/contract/tasks/tasks.ts'
import { saveUser } from '@sdd/contract/accounts/users.ts'
import { connectDevice, linkTestDevice, type TestDevice } from './device.ts'
import { enter, newUser } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'
import { withTables } from './engine.ts'

/** The sender of an SMS, and the contents of its record. */

let server: TestServer
let superadmin: string
let admin: Awaited<ReturnType<typeof newUser>>
let user: Awaited<ReturnType<typeof newUser>>
let key: string
let key_id: number
let drone: TestDevice

before(async () => {
  server = await startServer({ settings: { CALLBACK_ADDRESSES: 'any' } })
  superadmin = (await enter(server, ADMIN.username, ADMIN.password)).token
  admin = await newUser(server, superadmin, { role: 'admin', companyId: 2 })
  user = await newUser(server, superadmin, { name: 'Ana, the first', companyId: 2 })
  const made = await call(server, createApiKey, { token: admin.token, body: { name: '=shop' } })
  ;({ key, id: key_id } = made.body)
  drone = await connectDevice(await linkTestDevice(server, admin.token, 'drone'))
})
after(async () => {
  await drone.stop()
  await server.stop()
})

async function send(token: string): Promise<string> {
  const body = { device_uid: 'drone', telefono_to: '+34600111222', mensaje_sms: 'hola' }
  const answer = await call(server, sendSms, { token, body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.guid
}

async function hand(token: string, more: object = {}): Promise<string> {
  const body = { to_number: '+34600111333', text: 'a task', ...more }
  const answer = await call(server, createTasks, { token, body })
  assert.equal(answer.status, 202, JSON.stringify(answer.body))
  return (answer.body as TaskReceipt).guid
}

const record = async (guid: string, token = admin.token) =>
  (await call(server, readMessage, { token, params: { guid } })).body

/** The last cell of the message's line in the file, and the last title. */
async function lastCells(guid: string): Promise<string[]> {
  const url = new URL(`${exportLogs.path}?search=${guid}`, server.url)
  const answer = await fetch(url, { headers: { authorization: `Bearer ${admin.token}` } })
  const [titles, line] = (await answer.text()).split('\r\n')
  return [titles, line].map((text) => /(?:"[^"]*"|[^,]*)$/.exec(text!)![0])
}

test('an SMS from the console has its sender’s name, in its record and in the file', async () => {
  const guid = await send(user.token)
  assert.equal((await record(guid)).queued_by, 'Ana, the first')
  assert.deepEqual(await lastCells(guid), ['Queued By', '"Ana, the first"'])
})

test('a task has the name of its API key, or of the user who submitted it', async () => {
  const guid = await hand(key)
  assert.equal((await record(guid)).queued_by, '=shop')
  assert.deepEqual(await lastCells(guid), ['Queued By', "'=shop"])
  const by_hand = await hand(user.token)
  assert.equal((await record(by_hand)).queued_by, 'Ana, the first')
})

test('the names stay the same when the user is renamed or disabled, and when the key is revoked', async () => {
  const own = await newUser(server, superadmin, { name: 'before', companyId: 2 })
  const guids = [await send(own.token), await hand(own.token), await hand(key)]
  const { name: _, token: __, password: ___, ...rest } = own
  const renamed = await call(server, saveUser, {
    token: admin.token,
    body: { ...rest, name: 'after', enabled: false },
  })
  assert.equal(renamed.status, 200, JSON.stringify(renamed.body))
  const other = await call(server, createApiKey, { token: admin.token, body: { name: 'another' } })
  await call(server, revokeApiKey, { token: admin.token, params: { id: key_id } })
  for (const [at, name] of ['before', 'before', '=shop'].entries())
    assert.equal((await record(guids[at]!)).queued_by, name)
  key = other.body.key
})

test('a message from before names were stored shows its user’s current name', async () => {
  const guid = await send(user.token)
  await withTables(server, ({ run }) =>
    run(`update messages set queued_by_name = null where guid = '${guid}'`),
  )
  assert.equal((await record(guid)).queued_by, 'Ana, the first')
})

test('the record of a task has every field of the task and of its log entry, each under its own name', async () => {
  const guid = await hand(key, {
    sent_stamp: '2026-01-31T09:30:00Z',
    silent: true,
    from_number: '600 111 222',
  })
  const { body: task } = await call(server, readTask, { token: key, params: { guid } })
  const row = await record(guid)
  const { state, ...fields } = task
  assert.equal(row.task_state, state)
  assert.equal(row.state, 'queued')
  for (const name of Object.keys(Task.shape).filter((name) => name !== 'state'))
    assert.deepEqual(row[name], fields[name as keyof typeof fields], name)
  for (const name of Object.keys(LogEntry.shape)) assert.ok(name in row, name)
  // In reading order: identity, text and recipient, sender, and then the times.
  const names = Object.keys(row)
  const order = ['guid', 'state', 'task_state', 'to_number', 'text', 'queued_by', 'created_at', 'expires_at']
  assert.deepEqual(
    names.filter((name) => order.includes(name)),
    order,
  )
})

test('the record of a failed task matches its list entry, and attempts come last', async () => {
  const guid = await hand(key)
  await drone.until(drone.commands.length + (drone.commands.some((each) => each.guid === guid) ? 0 : 1))
  await drone.report({ guid, state: 'accepted' }, { guid, state: 'failed', code: 'barred' })
  const row = await record(guid)
  const { body: task } = await call(server, readTask, { token: key, params: { guid } })
  assert.deepEqual([row.attempts, row.completed_at, row.task_state], [1, task.completed_at, 'failed'])
  assert.equal(Object.keys(row).at(-1), 'attempt_1')
  assert.match(String(row.attempt_1), /^drone · given/)
})

test('an SMS from the console has no fields of a task in its record', async () => {
  const row = await record(await send(user.token))
  assert.ok(!('task_state' in row) && !('to_number' in row) && !('callback_url' in row))
})

test('a plain user sees callback addresses without the query, an admin sees them whole', async () => {
  const callback_url = 'http://127.0.0.1:9/hook?token=SECRET#also'
  const guid = await hand(key, { callback_url })
  assert.equal((await record(guid)).callback_url, callback_url)
  assert.equal((await record(guid, superadmin)).callback_url, callback_url)
  const seen = await record(guid, user.token)
  assert.equal(seen.callback_url, 'http://127.0.0.1:9/hook')
  assert.doesNotMatch(JSON.stringify(seen), /SECRET/)
  assert.equal((await record(await hand(key), user.token)).callback_url, null)
})
