import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import type { Task } from '@sdd/contract/tasks/tasks.ts'
import { proveTasks } from '#simulator/proof.ts'
import type { Heard, Receiver } from '#simulator/receiver.ts'
import { type Handed, startSubmitter, type SubmitterNeeds } from '#simulator/submitter.ts'

/** A server that gives this answer to every request, and is closed after the test. */
async function openAnswering(t: TestContext, answer: (n: number) => { status: number; body: unknown }) {
  let asked = 0
  const server = createServer((_, response) => {
    const { status, body } = answer(asked++)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const AT = '2026-06-01T10:00:00.000Z'
const handed = (guid: string): Handed => {
  return { guid, to_number: '600', text: 'Hi', callback_url: undefined, acknowledged: true }
}

function taskOf(guid: string, change: Partial<Task> = {}): Task {
  return {
    company_id: 1,
    guid,
    from_number: null,
    to_number: '600',
    text: 'Hi',
    sent_stamp: null,
    silent: false,
    class: 'transactional',
    created_at: AT,
    device_guid_assigned: 'd1',
    assigned_at: AT,
    completed_at: AT,
    discarded_at: null,
    state: 'completed',
    expires_at: AT,
    attempts: 1,
    error_msg: null,
    error_msg_code: null,
    error_msg_params: null,
    delivery_at: null,
    reply: null,
    reply_at: null,
    waiting_for: null,
    waiting_code: null,
    waiting_params: null,
    ...change,
  }
}

async function prove(t: TestContext, tasks: Task[], types: Heard['type'][] = ['task.sent']) {
  const server_url = await openAnswering(t, () => ({ status: 200, body: { tasks, next_cursor: null } }))
  const heard = types.map((type, n) => ({ webhook_id: `msg_${n}`, type, guid: 'one', state: 'completed' }))
  const receiver = { heard, surprises: [] } as unknown as Receiver
  const submitter = { tasks: new Map([['one', handed('one')]]), surprises: [] }
  return proveTasks({ server_url, key: 'sdk_', submitter, receiver, patience_ms: 0 })
}

test('a task that ended, with its callbacks, passes', async (t) => {
  const proof = await prove(t, [taskOf('one'), taskOf('of somebody else')], ['task.sent', 'task.delivered'])
  assert.deepEqual(proof, { ends: { completed: 1 }, callbacks: 2, faults: [] })
})

test('a missing, duplicate, changed, unfinished or doubly ended task is a fault', async (t) => {
  const waiting = { state: 'received', completed_at: null, waiting_for: 'Sending is off.' } as const
  for (const [tasks, fault] of [
    [[], 'one: it was acknowledged, but does not exist'],
    [[taskOf('one'), taskOf('one')], 'one: it exists twice'],
    [[taskOf('one', { text: 'Ho' })], 'one: it differs from the submitted task'],
    [[taskOf('one', waiting)], 'one: it has not ended: Sending is off.'],
    [[taskOf('one', { discarded_at: AT })], 'one: it has ended twice, or without a time'],
  ] as const) {
    assert.deepEqual((await prove(t, [...tasks])).faults, [fault])
  }
})

test('a missing, wrong last, or misordered callback is a fault', async (t) => {
  for (const [types, fault] of [
    [[], 'one: no callback arrived, and it is completed'],
    [['task.sent', 'task.failed'], 'one: the last callback is task.failed, and it is completed'],
    [['task.delivered', 'task.sent'], 'one: its callbacks went back: task.delivered, task.sent'],
    [['task.sent', 'task.sent'], 'one: its callbacks went back: task.sent, task.sent'],
  ] as const) {
    assert.deepEqual((await prove(t, [taskOf('one')], [...types])).faults, [fault])
  }
})

const ONE: Omit<SubmitterNeeds, 'server_url'> = {
  key: 'sdk_',
  count: 1,
  rate: 0,
  batch: 1,
  at_once: 1,
  repeated: 1,
  conflicting: 0,
  recipients: 1,
  seed: 's',
  again_ms: 1,
}

test('a request without an answer is repeated, and counts as acknowledged once it is', async (t) => {
  const guid = 's-0'
  const server_url = await openAnswering(t, (n) =>
    n === 0
      ? { status: 503, body: { code: 'not_ready', detail: 'Starting.' } }
      : { status: 200, body: { guid, status: 'repeated' } },
  )
  const { finished, tasks, surprises, retries } = startSubmitter({ ...ONE, server_url })
  await finished
  assert.equal(tasks.get(guid)?.acknowledged, true)
  assert.deepEqual([retries(), surprises], [1, []])
})

test('a server that treats a repetition as a new task, or refuses it, is reported', async (t) => {
  const guid = 's-0'
  const server_url = await openAnswering(t, () => ({ status: 202, body: { guid, status: 'received' } }))
  const twice = startSubmitter({ ...ONE, server_url })
  await twice.finished
  assert.deepEqual(twice.surprises, ['s-0: submitted (again), answered received'])

  const refusing = await openAnswering(t, () => ({
    status: 401,
    body: { code: 'unauthorized', detail: 'No.' },
  }))
  const refused = startSubmitter({ ...ONE, server_url: refusing })
  await refused.finished
  assert.deepEqual(refused.surprises, ['s-0: 401 No.'])
  assert.equal(refused.tasks.get(guid)?.acknowledged, false)
})
