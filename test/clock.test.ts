import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startInstallation } from './installation.ts'

const PRELOAD = join(import.meta.dirname, 'preload/shifted-clock.ts')
const HOUR_MS = 3_600_000

type Entry = { guid: string; state: string }

test('a clock set two hours forward and a day back under traffic loses nothing and sends nothing twice', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-clock-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const shift = join(folder, 'shift')
  writeFileSync(shift, '0')
  const installation = await startInstallation({
    devices: 10,
    behaviour: { send_ms: [1, 30], delivery_ms: [5, 100] },
    faults: { repeat_report: 0.05, reorder_report: 0.05 },
    max_sms_dayly: 100_000,
    settings: { NODE_OPTIONS: `--import=${PRELOAD}`, CLOCK_SHIFT: shift },
  })
  t.after(() => installation.stop())
  const { api, uids, fleet, server } = installation

  const acknowledged = new Set<string>()
  const refused: string[] = []
  let going = true
  const senders = Array.from({ length: 4 }, async (_, sender) => {
    for (let n = 0; going; n++) {
      const [number, text] = [`+3460${sender}${String(n).padStart(6, '0')}`, `message ${n}`]
      const { status, body } = await (sender % 2 === 0
        ? api<{ guid: string }>('/api/external-tasks', { to_number: number, text })
        : api<{ guid: string }>('/api/device-send-sms', {
            device_uid: uids[n % uids.length],
            telefono_to: number,
            mensaje_sms: text,
          }))
      if (status < 300) acknowledged.add(body.guid)
      else refused.push(JSON.stringify(body))
      await wait(10)
    }
  })
  const more = async (count: number) => {
    const enough = acknowledged.size + count
    while (acknowledged.size < enough) await wait(20)
  }
  const noticed = async (sentence: RegExp) => {
    while (!sentence.test(server.output())) await wait(20)
  }
  await more(50)
  writeFileSync(shift, String(2 * HOUR_MS))
  await noticed(/clock was set forward by 7[12]\d\d s/)
  await more(50)
  writeFileSync(shift, String(-22 * HOUR_MS))
  await noticed(/clock was set back by 86[34]\d\d s/)
  await more(50)
  going = false
  await Promise.all(senders)

  assert.deepEqual(refused, [])
  let log: Entry[] = []
  const end = Date.now() + 60_000
  do {
    await wait(200)
    log = (await api<{ logs: Entry[] }>('/api/logs/devices?limit=1000')).body.logs
    assert.ok(Date.now() < end, JSON.stringify(log.filter(({ state }) => state !== 'delivered').slice(0, 3)))
  } while (log.some(({ state }) => state !== 'delivered'))
  assert.deepEqual(new Set(log.map(({ guid }) => guid)), acknowledged)
  const twice = [...fleet.onAir()].filter(([, times]) => times > 1)
  assert.deepEqual(twice, [], 'on air more than once')
  assert.equal(fleet.onAir().size, acknowledged.size)
  // A clock set forward makes unanswered commands due at once; a device that has one repeats its report.
  assert.deepEqual(
    fleet.breaches().filter(({ code }) => code !== 'resent_too_soon'),
    [],
  )
})
