import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TaskResults } from '@sdd/contract/tasks/tasks.ts'
import { openCompany } from './callback-company.ts'

test('if the operator lists hosts, others are refused by field, and in a batch one by one', async (t) => {
  const { create, submitTasks, receiver, expire, until } = await openCompany(t, { listed_only: true })
  const task = { to_number: '600111222', text: 'hola' }
  const other = 'https://other.example/'
  for (const [refused, field] of [
    [await create({ url: other }), 'url'],
    [await submitTasks({ ...task, callback_url: other }), 'callback_url'],
  ] as const) {
    assert.deepEqual([refused.status, Object.keys(refused.body.fields!)], [422, [field]])
    assert.match(refused.body.detail, /none of the hosts and ports that this server calls/)
  }
  const { body } = await submitTasks({
    tasks: [other, receiver.url].map((callback_url) => ({ ...task, callback_url })),
  })
  assert.deepEqual(
    (body as TaskResults).results.map(({ status }) => status),
    ['refused', 'received'],
  )
  assert.equal((await create({ url: receiver.url })).status, 201)
  await expire(['listed'])
  await until('delivered')
})

test('a task whose callback_url leads to a private address is refused, in a batch only that task', async (t) => {
  const { submitTasks } = await openCompany(t, { allowed: 'public' })
  const task = { to_number: '600111222', text: 'hola' }
  const refused = await submitTasks({ ...task, callback_url: 'http://169.254.169.254/latest' })
  assert.deepEqual([refused.status, Object.keys(refused.body.fields!)], [422, ['callback_url']])
  assert.match(refused.body.detail, /address that is not public/)
  const tasks = ['http://[::1]/', 'http://1.1.1.1/', 'http://127.1/'].map((callback_url, n) => ({
    ...task,
    guid: `task-${n}`,
    callback_url,
  }))
  const { status, body } = await submitTasks({ tasks })
  assert.equal(status, 202)
  assert.deepEqual(
    (body as TaskResults).results.map(({ guid, status, fields }) => [
      guid,
      status,
      Object.keys(fields ?? {}),
    ]),
    [
      ['task-0', 'refused', ['callback_url']],
      ['task-1', 'received', []],
      ['task-2', 'refused', ['callback_url']],
    ],
  )
})
