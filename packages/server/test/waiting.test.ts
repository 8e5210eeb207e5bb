import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Waiting, waitingParams } from '@sdd/contract/dispatch/waiting.ts'
import { readDashboard } from '@sdd/contract/insight/dashboard.ts'
import { explainWaiting } from '#server/dispatch/why-waiting/sentences.ts'
import { HOUR, MINUTE, SECOND } from './clock.ts'
import { eventually } from './device.ts'
import { startFleet } from './fleet.ts'
import { call } from './server.ts'

const EXPIRES = '2026-06-11T08:00:00.000Z'

/** A fleet, and the reasons its tasks wait, as a client program reads them; the log must say the same. */
async function begin(t: Parameters<typeof startFleet>[0]) {
  const fleet = await startFleet(t)
  const { server, token, read, entry } = fleet
  return {
    ...fleet,
    async why(guid: string): Promise<string> {
      const { waiting_for, waiting_code, waiting_params } = await read(guid)
      const logged = await entry(guid)
      assert.deepEqual(
        [logged.waiting_for, logged.waiting_code, logged.waiting_params],
        [waiting_for, waiting_code, waiting_params],
      )
      const waiting = { code: waiting_code, params: waiting_params } as Waiting
      assert.equal(explainWaiting(waiting), waiting_for)
      assert.deepEqual(waitingParams[waiting.code].parse(waiting_params), waiting_params)
      return waiting_for!
    },
    async reasons() {
      const { body } = await call(server, readDashboard, { token })
      return body.waiting.map(({ reason, count, devices }) => `${count} ${reason} ${devices}`)
    },
  }
}

test('a task shows the first problem to fix, and the dashboard counts it there', async (t) => {
  const fleet = await begin(t)
  const { hand, why, reasons, join, set, setEnabled, setLimit, device } = fleet
  const guid = await hand({ to_number: '600000001' })
  assert.equal(await why(guid), `No device is linked: it goes out once one is, or expires at ${EXPIRES}.`)
  assert.deepEqual(await reasons(), ['1 no_device 0'])

  const a = await join('a')
  await a.until(1)
  await a.report({ guid, state: 'sent' })
  await setLimit('a', 1)
  const next = await hand({ to_number: '600000002' })
  assert.equal(
    await why(next),
    'Daily limit reached: a, the only device, is at the daily limit; it goes on at 2026-06-10T22:00:00.000Z, or once a limit is raised in Settings.',
  )
  assert.deepEqual(await reasons(), ['1 daily_limit 1'])
  await setEnabled('a', false)
  assert.equal(
    await why(next),
    `a, the only device, is disabled: it goes out once one is enabled, or expires at ${EXPIRES}.`,
  )
  await set(0, false)
  const b = await join('b')
  await b.stop()
  await set(0)
  assert.equal(
    await why(next),
    `None of the 2 devices can take it: 1 is offline, 1 is disabled: it goes out once one is enabled, or expires at ${EXPIRES}.`,
  )
  assert.deepEqual(await reasons(), ['1 device_disabled 1'])
  a.vanish()
  await eventually(async () => (await device('a')).status === 'disconnected')
  assert.equal(
    await why(next),
    `All 2 devices are offline, the last one since 2026-06-10T08:00:00.000Z: it goes out once one is back, or expires at ${EXPIRES}.`,
  )
  assert.deepEqual(await reasons(), ['1 device_offline 2'])
  await set(0, false)
  assert.equal(
    await why(next),
    `Sending has been switched off in Settings since 2026-06-10T08:00:00.000Z: it waits until that is on again, or expires at ${EXPIRES}.`,
  )
  assert.deepEqual(await reasons(), ['1 sending_off 2'])
})

test('a task that asks for a SIM names it, and the state of its devices', async (t) => {
  const { hand, why, reasons, join, device } = await begin(t)
  await join('other', '+34600000009')
  const guid = await hand({ from_number: '+34600000001' })
  assert.equal(
    await why(guid),
    `No device has a SIM of +34600000001: it goes out once one has, or expires at ${EXPIRES}.`,
  )
  const right = await join('right', '600000001')
  await right.until(1)
  right.vanish()
  await eventually(async () => (await device('right')).status === 'disconnected')
  const next = await hand({ from_number: '+34600000001' })
  assert.equal(
    await why(next),
    `right, the only device with a SIM of +34600000001, is offline since 2026-06-10T08:00:00.000Z: it goes out once one is back, or expires at ${EXPIRES}.`,
  )
  assert.deepEqual(await reasons(), ['1 device_offline 1'])
})

test('a task for later shows its time, and a failed one its device and the time of its retry', async (t) => {
  const { hand, why, reasons, join } = await begin(t)
  const a = await join('a')
  const later = await hand({ not_before: '2026-06-10T09:00:00Z' })
  assert.equal(await why(later), 'Not before 2026-06-10T09:00:00.000Z, as it was handed in.')
  const guid = await hand()
  await a.until(1)
  await a.report({ guid, state: 'failed', code: 'no_network' })
  assert.equal(
    await why(guid),
    'Attempt 1 failed on a: it is tried again at 2026-06-10T08:00:10.000Z, on another device where there is one.',
  )
  assert.deepEqual(await reasons(), ['2 later 0'])
})

test('with devices available a task says when the next slot opens, why they are full, or that it is next', async (t) => {
  const { hand, handAll, why, reasons, join, set, setLimit, pass, lookedAtAll } = await begin(t)
  await set(60)
  const a = await join('a')
  const first = await hand()
  await a.until(1)
  await a.report({ guid: first, state: 'sent' })
  const [guid] = [await hand(), await hand()]
  assert.equal(
    await why(guid),
    'Pacing: each device is handed one message every 60 s; the next slot opens at 2026-06-10T08:01:00.000Z, 2 tasks wait in this line.',
  )
  assert.deepEqual(await reasons(), ['2 pacing 1'])
  await set(0)
  await a.until(3)
  await handAll(Array.from({ length: 9 }, (_, n) => ({ to_number: `+3460000${1000 + n}` })))
  await a.until(11)
  await lookedAtAll()
  const full = await hand()
  assert.equal(
    await why(full),
    'Every device that could take it has 10 unfinished messages; one is handed over when one of them ends, 2 tasks wait in this line.',
  )
  assert.deepEqual(await reasons(), ['2 window_full 1'])
  await setLimit('a', 12)
  await a.report({ guid, state: 'sent' })
  await a.until(12)
  await a.report({ guid: a.commands.at(-1)!.guid, state: 'sent' })
  const long = await hand({ text: 'x'.repeat(161) })
  await pass(5 * SECOND)
  await lookedAtAll()
  assert.match(await why(long), /^Daily limit( reached)?: .*goes on at 2026-06-10T22:00:00.000Z/)
  const huge = await hand({ text: 'x'.repeat(1_500) })
  await setLimit('a', 9)
  assert.equal(
    await why(huge),
    'Daily limit: it takes 10 SMS, and no device may send more than 9 a day; raise a limit in Settings.',
  )
})

test('a task that waits for its usual device names it and the end of the wait', async (t) => {
  const { hand, why, reasons, join, set } = await begin(t)
  const a = await join('a')
  const first = await hand({ to_number: '600000001' })
  await a.until(1)
  await a.report({ guid: first, state: 'sent' })
  await set(3_600)
  await join('b')
  const guid = await hand({ to_number: '600000001' })
  assert.equal(
    await why(guid),
    'It waits for a, which wrote to this number last, until 2026-06-10T08:10:00.000Z; then others may take it.',
  )
  assert.deepEqual(await reasons(), ['1 pacing 1'])
})

test('with every device in quarantine a task says when the next one is tested', async (t) => {
  const { hand, handAll, why, reasons, join, pass, lookedAtAll, server } = await begin(t)
  const a = await join('a')
  const guids = await handAll(Array.from({ length: 5 }, (_, n) => ({ to_number: `+3460000${1000 + n}` })))
  await a.until(5)
  await a.report(...guids.map((guid) => ({ guid, state: 'failed' as const, code: 'barred' })))
  const guid = await hand()
  assert.equal(
    await why(guid),
    'a, the only device, is in quarantine, as too many messages failed in a row: one is tried again at 2026-06-10T08:01:00.000Z.',
  )
  assert.deepEqual(await reasons(), ['1 quarantined 1'])
  const metrics = await (await fetch(new URL('/metrics', server.url))).text()
  assert.match(metrics, /^sdd_quarantines_total 1$/m)
  assert.match(metrics, /^sdd_quarantined_devices 1$/m)
  assert.match(metrics, /^sdd_waiting_tasks\{lane="any"\} 1$/m)
  assert.match(metrics, /^sdd_tasks_handed_in_total\{result="received"\} 6$/m)
  const next = await hand()
  await pass(MINUTE)
  await a.until(6)
  await lookedAtAll()
  assert.equal(
    await why(next),
    'a, the only device, is in quarantine, as too many messages failed in a row: one is being tried.',
  )
  assert.deepEqual(await reasons(), ['1 quarantined 1'])
  await pass(HOUR)
})
