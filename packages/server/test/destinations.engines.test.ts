import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { listAudit } from '@sdd/contract/accounts/audit.ts'
import * as contract from '@sdd/contract/messages/destinations.ts'
import * as messages from '@sdd/contract/messages/messages.ts'
import { createTasks, type TaskReceipt, type TaskResults } from '@sdd/contract/tasks/tasks.ts'
import { HOUR } from './clock.ts'
import { startFleet } from './fleet.ts'
import { newUser } from './seeds.ts'
import { call } from './server.ts'

type Change = Partial<contract.DestinationsChange>

/** A company whose destinations a test sets, with a device and both ways to send. */
async function startCompany(t: TestContext, start?: string) {
  const fleet = await startFleet(t, start)
  const { server, token, key } = fleet
  const device = await fleet.join('a')
  return {
    ...fleet,
    drone: device,
    async setDestinations(change: Change) {
      const body = { allow: [], deny: [], max_per_recipient_dayly: null, ...change }
      const saved = await call(server, contract.saveDestinations, { token, body })
      assert.equal(saved.status, 200, JSON.stringify(saved.body))
    },
    sms: (telefono_to: string) =>
      call(server, messages.sendSms, {
        token,
        body: { device_uid: 'a', telefono_to, mensaje_sms: 'hola' },
      }),
    task: (to_number: string, more: Record<string, unknown> = {}) =>
      call(server, createTasks, { token: key, body: { to_number, text: 'hola', ...more } }),
    async batch(...numbers: string[]) {
      const tasks = numbers.map((to_number) => ({ to_number, text: 'hola' }))
      const { status, body } = await call(server, createTasks, { token: key, body: { tasks } })
      assert.equal(status, 202)
      return (body as TaskResults).results
    },
  }
}

test('destinations restrict nothing at first, are stored as saved, and their changes are audited', async (t) => {
  const { server, token, superadmin } = await startFleet(t)
  const read = async () => (await call(server, contract.readDestinations, { token })).body
  assert.deepEqual(await read(), { company_id: 2, allow: [], deny: [], max_per_recipient_dayly: null })
  const body = { allow: ['+34', '600'], deny: ['+34803'], max_per_recipient_dayly: 5 }
  const saved = await call(server, contract.saveDestinations, { token, body })
  assert.deepEqual([saved.status, saved.body], [200, { company_id: 2, ...body }])
  assert.deepEqual(await read(), { company_id: 2, ...body })
  const query = { company: '2' }
  const changed = await call(server, contract.saveDestinations, {
    token: superadmin,
    query,
    body: { ...body, allow: [] },
  })
  assert.equal(changed.status, 200)
  const seen = await call(server, contract.readDestinations, { token: superadmin, query })
  assert.deepEqual([seen.body.company_id, seen.body.allow], [2, []])
  assert.deepEqual((await call(server, contract.readDestinations, { token: superadmin })).body.company_id, 1)
  const { entries } = (await call(server, listAudit, { token, query: { subject: 'destinations' } })).body
  assert.deepEqual(
    entries.map(({ action, changes }) => [action, changes]),
    [
      ['destinations.changed', { allow: { from: body.allow, to: [] } }],
      [
        'destinations.changed',
        {
          allow: { from: [], to: body.allow },
          deny: { from: [], to: body.deny },
          max_per_recipient_dayly: { from: null, to: 5 },
        },
      ],
    ],
  )
})

test('a company’s destinations apply to that company only, and invalid ones are refused by field', async (t) => {
  const { server, token, superadmin } = await startFleet(t)
  const good = { allow: [], deny: [], max_per_recipient_dayly: null }
  const user = await newUser(server, superadmin, { role: 'user', companyId: 2 })
  for (const as of [user.token]) {
    assert.equal((await call(server, contract.readDestinations, { token: as })).status, 403)
    assert.equal((await call(server, contract.saveDestinations, { token: as, body: good })).status, 403)
  }
  for (const company of ['1', '77']) {
    const query = { company }
    assert.equal((await call(server, contract.readDestinations, { token, query })).status, 404)
    assert.equal((await call(server, contract.saveDestinations, { token, query, body: good })).status, 404)
  }
  const bad: [Record<string, unknown>, string][] = [
    [{ allow: ['abc'] }, 'allow'],
    [{ allow: ['+'] }, 'allow'],
    [{ allow: [''] }, 'allow'],
    [{ deny: ['1234567890123456'] }, 'deny'],
    [{ deny: ['++34'] }, 'deny'],
    [{ deny: Array.from({ length: 1_001 }, (_, n) => String(n)) }, 'deny'],
    [{ deny: '+34' }, 'deny'],
    [{ max_per_recipient_dayly: 0 }, 'max_per_recipient_dayly'],
    [{ max_per_recipient_dayly: 100_001 }, 'max_per_recipient_dayly'],
    [{ max_per_recipient_dayly: 1.5 }, 'max_per_recipient_dayly'],
    [{ max_per_recipient_dayly: '5' }, 'max_per_recipient_dayly'],
  ]
  for (const [change, field] of bad) {
    const { status, body } = await call(server, contract.saveDestinations, {
      token,
      body: { ...good, ...change },
    })
    assert.deepEqual([status, Object.keys(body.fields ?? {})], [422, [field]], JSON.stringify(change))
  }
  const most = Array.from({ length: 1_000 }, (_, n) => `+${String(n).padStart(15, '1')}`)
  const saved = await call(server, contract.saveDestinations, {
    token,
    body: { ...good, deny: most, max_per_recipient_dayly: 100_000 },
  })
  assert.equal(saved.status, 200)
})

test('a message goes to no number on the deny list, and only to those on the allow list if there is one', async (t) => {
  const { setDestinations, sms, task, batch, hand, read } = await startCompany(t)
  const waiting = await hand({ to_number: '+34803111222', not_before: '2026-06-10T09:00:00Z' })
  await setDestinations({ allow: ['+34', '600'], deny: ['+34803', '+3481'] })
  const denied = await sms('+34 803-111.222')
  assert.deepEqual([denied.status, denied.body.code], [422, 'destination_refused'])
  assert.match(denied.body.fields!['telefono_to']!, /begins with \+34803, which is on the deny list/)
  assert.match(denied.body.detail, /^\+34803111222 begins with .*Settings, Destinations\.$/)
  assert.equal(denied.body.status, denied.body.detail)
  const elsewhere = await task('+44 7700 900123')
  assert.deepEqual([elsewhere.status, elsewhere.body.code], [422, 'destination_refused'])
  assert.deepEqual(elsewhere.body.fields, { to_number: 'begins with no prefix of the allow list' })
  const results = await batch('+34600111222', '+34 810 000 000', '(600) 111 222', '60011', '70011', 'bad')
  assert.deepEqual(
    results.map(({ status, code }) => [status, code]),
    [
      ['received', undefined],
      ['refused', 'destination_refused'],
      ['received', undefined],
      ['received', undefined],
      ['refused', 'destination_refused'],
      ['refused', 'invalid'],
    ],
  )
  assert.deepEqual(Object.keys(results[1]!.fields!), ['to_number'])
  assert.equal((await sms('+34600111222')).status, 200)
  assert.equal((await read(waiting)).state, 'received')
  await setDestinations({ deny: ['+34803'] })
  assert.equal((await task('+447700900123')).status, 202)
  assert.equal((await task('+34803000000')).status, 422)
  await setDestinations({})
  assert.equal((await task('+34803000000')).status, 202)
})

test('a task submitted again counts as a repetition, even if its number is no longer allowed', async (t) => {
  const { setDestinations, task } = await startCompany(t)
  await setDestinations({ max_per_recipient_dayly: 1 })
  assert.equal((await task('+34600111222', { guid: 'once' })).status, 202)
  const again = await task('+34600111222', { guid: 'once' })
  assert.deepEqual([again.status, (again.body as TaskReceipt).status], [200, 'repeated'])
  assert.equal((await task('+34600111222')).body.code, 'recipient_limit')
  await setDestinations({ deny: ['+34600'], max_per_recipient_dayly: 1 })
  assert.equal((await task('+34600111222', { guid: 'once' })).status, 200)
})

test('a number gets a limited number of messages a day, from the console and as tasks together, until midnight', async (t) => {
  const { setDestinations, sms, task, batch, pass } = await startCompany(t, '2026-06-10T20:00:00Z')
  await setDestinations({ max_per_recipient_dayly: 3 })
  assert.equal((await sms('+34600111222')).status, 200)
  assert.equal((await task('+34 600 111 222')).status, 202)
  const results = await batch('+34600111222', '+34600111222', '+34600333444')
  assert.deepEqual(
    results.map(({ status, code }) => code ?? status),
    ['received', 'recipient_limit', 'received'],
  )
  for (const refused of [await sms('+34600111222'), await task('+34600111222')]) {
    assert.deepEqual([refused.status, refused.body.code], [429, 'recipient_limit'])
    // It is 22:00 in Madrid.
    assert.equal(refused.headers.get('retry-after'), '7200')
    assert.match(refused.body.detail, /^\+34600111222 has been sent 3 messages today.* Wait 2 hours/)
  }
  await setDestinations({ max_per_recipient_dayly: 4 })
  assert.equal((await sms('+34600111222')).status, 200)
  await pass(2 * HOUR - 1)
  assert.equal((await task('+34600111222')).status, 429)
  await pass(1)
  assert.equal((await task('+34600111222')).status, 202)
})

test('a cap that starts during the day counts the messages already accepted that day', async (t) => {
  const { setDestinations, sms, task, pass } = await startCompany(t, '2026-06-10T20:00:00Z')
  assert.equal((await sms('+34600111222')).status, 200)
  await pass(3 * HOUR)
  assert.equal((await task('+34600111222')).status, 202)
  await setDestinations({ max_per_recipient_dayly: 2 })
  assert.equal((await sms('+34600111222')).status, 200)
  assert.equal((await sms('+34600111222')).status, 429)
  await setDestinations({})
  assert.equal((await sms('+34600111222')).status, 200)
  await setDestinations({ max_per_recipient_dayly: 4 })
  assert.equal((await task('+34600111222')).status, 202)
  assert.equal((await task('+34600111222')).status, 429)
})

test('of many messages submitted for one number at the same moment, no more than the cap are accepted', async (t) => {
  const { setDestinations, task, sms } = await startCompany(t)
  await setDestinations({ max_per_recipient_dayly: 20 })
  const answers = await Promise.all(
    Array.from({ length: 64 }, (_, n) => (n % 8 === 0 ? sms('+34600111222') : task('+34600111222'))),
  )
  const statuses = Map.groupBy(answers, ({ status }) => (status === 429 ? 'refused' : 'accepted'))
  assert.deepEqual([statuses.get('accepted')!.length, statuses.get('refused')!.length], [20, 44])
  assert.ok(answers.every(({ status }) => [200, 202, 429].includes(status)))
})
