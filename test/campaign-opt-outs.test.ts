import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LinkedDevice } from '../packages/contract/src/fleet/devices.ts'
import type { LogEntry } from '../packages/contract/src/insight/log.ts'
import type { CampaignRow } from '../packages/contract/src/people/campaign-rows.ts'
import type { Campaign } from '../packages/contract/src/people/campaigns.ts'
import { connectDevice, eventually } from '../packages/server/test/device.ts'
import { startInstallation } from './installation.ts'

const ROWS = 600
/** One number of so many opts out: 50, because a device may hand in 60 SMS at once. */
const EVERY = 12
const TASKS = 150
const WITHIN_MS = 120_000

test('an SMS with a stop word ends a running campaign for its sender, while tasks flow too', async (t) => {
  const installation = await startInstallation({
    devices: 10,
    // With 10 devices the last row cannot leave before 6 s have passed.
    behaviour: { send_ms: [100, 200], delivery_ms: [5, 50] },
    max_sms_dayly: 100_000,
  })
  t.after(() => installation.stop())
  const { api, fleet } = installation
  async function ask<Body>(path: string, body?: unknown): Promise<Body> {
    const answer = await api<Body>(path, body)
    assert.ok(answer.status < 300, JSON.stringify(answer.body))
    return answer.body
  }
  const { code } = await ask<{ code: string }>('/api/link-codes', {})
  const inbox = await connectDevice(await ask<LinkedDevice>('/api/devices/link', { code, uid: 'inbox' }))
  t.after(() => inbox.vanish())
  await ask('/api/device/inbox', { enabled: false })

  const numbers = Array.from({ length: ROWS }, (_, at) => `+346${String(10_000_000 + at)}`)
  const draft = { name: 'Stopped by some', text: 'Hola', class: 'transactional' }
  const { id } = await ask<Campaign>('/api/campaigns', draft)
  await ask(`/api/campaigns/${id}/rows`, { first_row: 1, rows: numbers.map((number) => ({ number })) })
  await ask(`/api/campaigns/${id}/start`, { rows: ROWS })

  const tasks = (async () => {
    for (let n = 0; n < TASKS; n++)
      await ask('/api/device-send-sms', {
        device_uid: installation.uids[n % installation.uids.length],
        telefono_to: `+3470${String(n).padStart(7, '0')}`,
        mensaje_sms: 'next to the campaign',
      })
  })()

  /** When the server had answered each stop word, by the number. */
  const stopped = new Map<string, number>()
  // The last first: they leave last.
  for (const [at, number] of [...numbers.entries()].reverse()) {
    if (at % EVERY !== 0) continue
    await inbox.publish('inbox', {
      id: `stop-${at}`,
      from: number,
      text: 'BAJA',
      at: new Date().toISOString(),
    })
    stopped.set(number, Date.now())
  }
  await eventually(async () => {
    const { state, counts } = await ask<Campaign>(`/api/campaigns/${id}`)
    return state === 'finished' && counts.sent === 0
  }, WITHIN_MS)
  await tasks

  const { rows } = await ask<{ rows: CampaignRow[] }>(`/api/campaigns/${id}/rows?limit=1000&state=skipped`)
  const onAir = fleet.onAir()
  for (const { number, reason, guid } of rows) {
    assert.equal(reason, 'opted_out')
    assert.ok(stopped.delete(number), `${number} did not opt out`)
    assert.equal(onAir.get(guid!), undefined, `${number} is skipped, and was on air`)
  }
  assert.ok(rows.length > 0, 'some opted out in time')
  t.diagnostic(`${rows.length} of ${Math.ceil(ROWS / EVERY)} opted out before their row went`)
  // The others had been given to a device before.
  for (const [number, answered] of stopped) {
    const { logs } = await ask<{ logs: LogEntry[] }>(`/api/logs/devices?search=${encodeURIComponent(number)}`)
    assert.equal(logs.length, 1)
    assert.ok(
      Date.parse(logs[0]!.handed_timestamp!) <= answered,
      `${number} was handed over after its opt-out`,
    )
  }
})
