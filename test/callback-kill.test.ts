import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createApiKey } from '@sdd/contract/api-keys.ts'
import { listCallbacks } from '@sdd/contract/callbacks.ts'
import { createTasks } from '@sdd/contract/tasks.ts'
import { eventually } from '../packages/server/test/device.ts'
import { startReceiver } from '../packages/server/test/receiver.ts'
import { enter } from '../packages/server/test/seeds.ts'
import { call } from '../packages/server/test/server.ts'
import { newSettings, PASSWORD, startProcess } from './server-process.ts'

const home = mkdtempSync(join(tmpdir(), 'sdd-callback-kill-'))
after(() => rmSync(home, { recursive: true }))

test('a server killed while it calls back does so again after the next start, with the same id', async (t) => {
  const receiver = await startReceiver(() => {})
  t.after(() => receiver.stop())
  const settings = await newSettings(home, { CALLBACK_ADDRESSES: 'any' })
  const first = await startProcess(settings)
  const { token } = await enter(first, 'superadmin', PASSWORD)
  const { key } = (await call(first, createApiKey, { token, body: { name: 'shop' } })).body
  // No device takes them: they expire, and that is told.
  const tasks = Array.from({ length: 3 }, (_, n) => ({
    guid: `task-${n}`,
    to_number: '600111222',
    text: 'hola',
    expires_at: new Date(Date.now() + 1_000).toISOString(),
    callback_url: receiver.url,
  }))
  assert.equal((await call(first, createTasks, { token: key, body: { tasks } })).status, 202)
  const cut = await eventually(() => receiver.received.length === 3 && receiver.received.splice(0), 15_000)
  await first.kill()

  receiver.answer = (_, response) => response.writeHead(204).end()
  const second = await startProcess(settings)
  const again = await eventually(() => receiver.received.length === 3 && receiver.received, 15_000)
  const told = (received: typeof cut) =>
    received.map(({ headers, text }) => `${headers['webhook-id']} ${text}`).sort()
  assert.deepEqual(told(again), told(cut))
  const delivered = await eventually(async () => {
    const query = { state: 'delivered' }
    const { callbacks } = (await call(second, listCallbacks, { token, query })).body
    return callbacks.length === 3 && callbacks
  })
  assert.deepEqual(new Set(delivered.map(({ tries }) => tries)), new Set([1]))
  assert.equal(await second.stop(), 0)
})
