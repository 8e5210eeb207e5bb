import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proveTasks } from '../packages/simulator/src/proof.ts'
import { startReceiver } from '../packages/simulator/src/receiver.ts'
import { startSubmitter } from '../packages/simulator/src/submitter.ts'
import { startInstallation } from './installation.ts'

const COUNT = 300

test('each task from another system has exactly one end, and each callback arrives', async (t) => {
  const installation = await startInstallation({
    devices: 6,
    behaviour: { send_ms: [1, 20], delivery_ms: [1, 50], undelivered: 0.1, unanswered: 0.05, blocked: 0.05 },
    faults: { repeat_report: 0.2, reorder_report: 0.1, cut_every_secs: 20 },
    settings: { CALLBACK_ADDRESSES: 'any' },
  })
  t.after(() => installation.stop())
  const { url: server_url, api } = installation
  const { body } = await api<{ key: string; webhook_secret: string }>('/api/api-keys', { name: 'submitter' })
  const receiver = await startReceiver({ ...body, refusing: 0.05 })
  t.after(() => receiver.stop())
  const submitter = startSubmitter({
    server_url,
    key: body.key,
    count: COUNT,
    rate: 150,
    batch: 1,
    at_once: 8,
    repeated: 0.2,
    conflicting: 0.1,
    recipients: 40,
    receiver,
    seed: 'shop',
  })
  await submitter.finished
  assert.equal(submitter.tasks.size, COUNT)
  const { ends, callbacks, faults } = await proveTasks({
    server_url,
    key: body.key,
    submitter,
    receiver,
    patience_ms: 90_000,
  })
  assert.deepEqual(faults, [])
  assert.equal(
    Object.values(ends).reduce((sum, tasks) => sum + tasks, 0),
    COUNT,
  )
  assert.ok((ends.completed ?? 0) > COUNT / 2 && (ends.failed ?? 0) > 0, JSON.stringify(ends))
  assert.ok(callbacks > COUNT)
  assert.deepEqual(
    installation.fleet.breaches().map(({ code }) => code),
    [],
  )
})
