import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { LinkedDevice } from '../packages/contract/src/fleet/devices.ts'
import type { Campaign } from '../packages/contract/src/people/campaigns.ts'
import { connectDevice, eventually, type TestDevice } from '../packages/server/test/device.ts'
import { newDatabase, onPostgres } from '../packages/server/test/engine.ts'
import { startInstallation } from './installation.ts'

const ROWS = 2_000
const DEVICES = 4
/** After the answer to a pause, nothing more is handed over than within this time. */
const PAUSED_WITHIN_MS = 1_000

test('one second after its pause a running campaign hands nothing over, and other messages pass it', async (t) => {
  const installation = await startInstallation({
    devices: 1,
    behaviour: {},
    settings: onPostgres ? { DATABASE_URL: await newDatabase() } : {},
  })
  t.after(() => installation.stop())
  async function ask<Body>(path: string, body?: unknown): Promise<Body> {
    const answer = await installation.api<Body>(path, body)
    assert.ok(answer.status < 300, JSON.stringify(answer.body))
    return answer.body
  }
  await ask(`/api/device/${installation.uids[0]}`, { enabled: false })
  const devices: TestDevice[] = []
  for (let n = 1; n <= DEVICES; n++) {
    const { code } = await ask<{ code: string }>('/api/link-codes', {})
    const linked = await ask<LinkedDevice>('/api/devices/link', { code, uid: `handset-${n}` })
    await ask('/api/device-list-settings', { uid: linked.uid, max_sms_dayly: 100_000 })
    const device = await connectDevice(linked)
    devices.push(device)
    t.after(() => device.vanish())
  }
  /** When each message was handed over first, by its guid. */
  const given = new Map<string, number>()
  for (const device of devices)
    device.client.on('message', (_, payload) => {
      const { type, guid } = JSON.parse(payload.toString()) as { type: string; guid: string }
      if (type !== 'send' || given.has(guid)) return
      given.set(guid, performance.now())
      // A device that says at once that it has sent a message gets the next one.
      void device.report({ guid, state: 'sent' }).catch(() => {})
    })

  const draft = { name: 'Paused', text: 'Hola', class: 'transactional' }
  const { id } = await ask<Campaign>('/api/campaigns', draft)
  const rows = Array.from({ length: ROWS }, (_, at) => ({ number: `+346${String(10_000_000 + at)}` }))
  await ask(`/api/campaigns/${id}/rows`, { first_row: 1, rows })
  await ask(`/api/campaigns/${id}/start`, { rows: ROWS })
  await eventually(() => given.size >= ROWS / 10)

  await ask(`/api/campaigns/${id}/pause`, {})
  const paused_at = performance.now()
  await wait(PAUSED_WITHIN_MS)
  // All commands that were published by now have arrived at the end of this.
  for (const device of devices) await device.catchUp()
  const held = new Set(given.keys())
  assert.ok(held.size < ROWS, 'the campaign was still running')

  const others = devices.flatMap(({ uid }, at) =>
    Array.from({ length: 5 }, (_, n) => ({ device_uid: uid, telefono_to: `+3470000${at}${n}00` })),
  )
  for (const other of others) await ask('/api/device-send-sms', { ...other, mensaje_sms: 'another' })
  await eventually(() => given.size >= held.size + others.length)
  const later = [...given].filter(([guid]) => guid.startsWith('campaign:') && !held.has(guid))
  assert.deepEqual(later, [])
  const last_ms = Math.max(
    ...[...given].flatMap(([guid, at]) => (guid.startsWith('campaign:') ? at - paused_at : [])),
  )
  t.diagnostic(
    `${held.size} of ${ROWS} rows were handed over, the last one ${Math.round(last_ms)} ms after the pause`,
  )

  await ask(`/api/campaigns/${id}/resume`, {})
  await eventually(() => given.size > held.size + others.length)
})
