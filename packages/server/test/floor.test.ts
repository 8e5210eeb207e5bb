import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as messages from '@sdd/contract/messages/messages.ts'
import { listLogs } from '@sdd/contract/insight/log.ts'
import { readiness } from '@sdd/contract/core/system.ts'
import * as tasks from '@sdd/contract/tasks/tasks.ts'
import * as users from '@sdd/contract/accounts/users.ts'
import * as campaigns from '@sdd/contract/people/campaigns.ts'
import * as contacts from '@sdd/contract/people/contacts.ts'
import { rowsOf } from './campaign-fleet.ts'
import { campaignCalls } from './campaigns.ts'
import { HOUR, testClock } from './clock.ts'
import { connectDevice, eventually, linkTestDevice } from './device.ts'
import { enter } from './seeds.ts'
import { ON_SQLITE } from './engine.ts'
import { ADMIN, call, startServer } from './server.ts'

test('below the floor no new messages are accepted, device reports still are, and people can still work', async (t) => {
  let free = 1e9
  const server = await startServer({ freeBytes: async () => free, settings: ON_SQLITE })
  t.after(() => server.stop())
  const { token } = await enter(server, ADMIN.username, ADMIN.password)
  const device = await connectDevice(await linkTestDevice(server, token, 'drone'))
  const sms = { device_uid: device.uid, telefono_to: '600111222', mensaje_sms: 'hola' }
  const task = { to_number: '600111222', text: 'hola' }
  const send = () => call(server, messages.sendSms, { token, body: sms })
  const { body: taken } = await send()
  await device.until(1)

  free = 100e6
  const short = async () => (await call(server, readiness)).body.status === 'short_of_room'
  await eventually(short)
  const refused = [
    await send(),
    await call(server, tasks.createTasks, { token, body: task }),
    await call(server, tasks.createTasks, { token, body: { tasks: [task, task] } }),
  ]
  for (const { status, body } of refused) {
    assert.deepEqual([status, body.code], [507, 'disk_full'])
    assert.match(
      body.detail,
      new RegExp(`disk of ${server.folder} has 100 MB free.*LEAST_FREE_MB.*Free some`),
    )
  }
  assert.equal((refused[0]!.body as { status?: string }).status, refused[0]!.body.detail)
  await device.report({ guid: taken.guid, state: 'accepted' }, { guid: taken.guid, state: 'sent' })
  await device.publish('inbox', { id: '1', from: '600111222', text: 'bien', at: new Date().toISOString() })
  const { body: log } = await call(server, listLogs, { token })
  assert.deepEqual(
    log.logs.map(({ guid, state, answer_3 }) => [guid, state, answer_3]),
    [[taken.guid, 'replied', 'bien']],
  )
  assert.equal((await enter(server, ADMIN.username, ADMIN.password)).status, 200)
  const { status: made } = await call(server, users.saveUser, {
    token,
    body: { name: 'ana', email: 'ana@example.org', password: 'ten letters', role: 'user' },
  })
  assert.equal(made, 201)
  assert.deepEqual((await call(server, readiness)).body.detail, refused[0]!.body.detail)
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  assert.match(metrics, /^sdd_disk_free_bytes 100000000$/m)
  assert.match(metrics, /^sdd_disk_short 1$/m)
  assert.match(metrics, /^sdd_storage_fault 0$/m)

  free = 257e6
  await eventually(async () => !(await short()))
  assert.equal((await send()).status, 200)
})

test('below the floor no contacts are stored, and campaigns wait until there is space again', async (t) => {
  let free = 1e9
  const clock = testClock('2026-06-10T08:00:00Z')
  const server = await startServer({ clock, freeBytes: async () => free, settings: ON_SQLITE })
  t.after(() => server.stop())
  const { token } = await enter(server, ADMIN.username, ADMIN.password)
  const { run, read } = campaignCalls(server, token)
  const counts = async (id: number) => (await read(id)).counts
  const after = (hours: number) => new Date(clock.now() + hours * HOUR).toISOString()
  const id = await run(rowsOf(3), { not_before: after(1) })
  const expires = await run(rowsOf(2), { not_before: after(2), expires_at: after(3) })

  free = 100e6
  const short = async () => (await call(server, readiness)).body.status === 'short_of_room'
  await eventually(short)
  const number = '+34600111222'
  const refused = [
    await call(server, contacts.saveContact, { token, params: { number }, body: { name: 'Ana' } }),
    await call(server, contacts.importContacts, { token, body: { rows: [{ number }] } }),
    await call(server, campaigns.retryCampaign, { token, params: { id } }),
  ]
  for (const { status, body } of refused) assert.deepEqual([status, body.code], [507, 'disk_full'])
  const withdrawn = { token, params: { number }, body: { consent: null } }
  assert.equal((await call(server, contacts.saveContact, withdrawn)).status, 200)

  clock.advance(HOUR)
  await eventually(async () => (await read(id)).state === 'running')
  clock.advance(2 * HOUR)
  // The turn of this campaign comes after that of the other.
  await eventually(async () => (await counts(expires)).expired === 2)
  assert.equal((await counts(id)).pending, 3)

  free = 257e6
  await eventually(async () => (await counts(id)).queued === 3)
})
