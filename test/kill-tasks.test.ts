import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { TaskPage } from '../packages/contract/src/tasks.ts'
import { proveTasks } from '../packages/simulator/src/proof.ts'
import { startSubmitter } from '../packages/simulator/src/submitter.ts'
import { startInstallation } from './installation.ts'

const KILLS = 10

test('a server killed 10 times while tasks come in and are shared out loses none and sends none twice', async (t) => {
  const installation = await startInstallation({
    devices: 12,
    // Some fail in passing, and are tried again elsewhere.
    behaviour: { send_ms: [1, 30], delivery_ms: [5, 100], reconnect_ms: [20, 200], failing: 0.02 },
    faults: { repeat_report: 0.05, reorder_report: 0.05 },
    max_sms_dayly: 100_000,
  })
  const { url: server_url, api, fleet } = installation
  const { key } = (await api<{ key: string }>('/api/api-keys', { name: 'submitter' })).body
  const submitter = startSubmitter({
    server_url,
    key,
    count: 100_000,
    rate: 150,
    batch: 5,
    at_once: 4,
    repeated: 0.2,
    conflicting: 0.1,
    recipients: 50,
    seed: 'killed',
    again_ms: 50,
  })
  for (let kill = 0; kill < KILLS; kill++) {
    await wait(200 + Math.random() * 600)
    await installation.server.kill()
    await installation.restart()
  }
  await wait(300)
  submitter.stop()
  await submitter.finished

  const proof = await proveTasks({ server_url, key, submitter, patience_ms: 150_000 })
  assert.deepEqual(proof.faults, [])
  const acknowledged = [...submitter.tasks.values()].filter((task) => task.acknowledged).length
  const onAir = fleet.onAir()
  t.diagnostic(
    `${acknowledged} acknowledged, ${JSON.stringify(proof.ends)}, ${onAir.size} on air, ${submitter.retries()} posts tried again`,
  )
  assert.ok(acknowledged > KILLS * 10, `only ${acknowledged} tasks were acknowledged: too few to tell`)
  const twice = [...onAir].filter(([, times]) => times > 1)
  assert.deepEqual(twice, [], 'on air more than once')
  const untrue = (await allTasks(api)).filter(
    ({ guid, state }) => onAir.has(guid) !== (state === 'completed'),
  )
  assert.deepEqual(untrue, [], 'shown in a state that is not what happened')
  assert.deepEqual(fleet.breaches(), [])
  assert.equal(await installation.stop(), 0)
})

async function allTasks(api: <Body>(path: string) => Promise<{ body: Body }>): Promise<TaskPage['tasks']> {
  const tasks: TaskPage['tasks'] = []
  for (let cursor = ''; ;) {
    const { body } = await api<TaskPage>(`/api/external-tasks?limit=1000${cursor && `&cursor=${cursor}`}`)
    tasks.push(...body.tasks)
    if (body.next_cursor === null) return tasks
    cursor = body.next_cursor
  }
}
