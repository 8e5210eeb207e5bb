import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { listUsers } from '@sdd/contract/accounts/users.ts'
import { type Client, openClient } from '@sdd/contract/core/client.ts'
import { listDevices } from '@sdd/contract/fleet/devices.ts'
import { listSims } from '@sdd/contract/fleet/sims.ts'
import { readDashboard } from '@sdd/contract/insight/dashboard.ts'
import { listLogs } from '@sdd/contract/insight/log.ts'
import { freePort } from '../scripts/free-port.ts'
import { ROOT } from '../scripts/run.ts'
import { logIn } from '../scripts/session.ts'
import { TEST_NUMBERS } from '../packages/simulator/src/test-numbers.ts'

const home = mkdtempSync(join(tmpdir(), 'sdd-demo-'))
const running = new Set<ChildProcess>()
after(() => {
  for (const child of running) child.kill('SIGKILL')
  rmSync(home, { recursive: true, force: true })
})

/** Starts the demo in its folder, and resolves when it has printed its address. */
async function startDemo(): Promise<{ client: Client; stop(): Promise<number | null> }> {
  const settings = { DATA_DIR: join(home, 'data'), PORT: await freePort(), MQTT_PORT: await freePort() }
  const child = spawn(process.execPath, [join(ROOT, 'scripts/demo.ts')], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.add(child)
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
  while (!printed.includes('Nothing leaves this machine')) {
    assert.equal(child.exitCode, null, printed)
    await wait(50)
  }
  const url = `http://127.0.0.1:${settings.PORT}`
  const token = await logIn(url, { username: 'superadmin', password: 'drone-demo' })
  return {
    client: openClient({ url, token }),
    async stop() {
      child.kill('SIGTERM')
      const [status] = (await once(child, 'exit')) as [number | null]
      running.delete(child)
      return status
    },
  }
}

async function untilSeen(what: string, look: () => Promise<boolean>): Promise<void> {
  const late = Date.now() + 120_000
  while (!(await look())) {
    assert.ok(Date.now() < late, `never seen: ${what}`)
    await wait(250)
  }
}

test('the demo shows every kind of device and outcome, and continues after a restart', async () => {
  const first = await startDemo()
  await untilSeen('each kind of device', async () => {
    const { devices } = await first.client.call(listDevices)
    const full = devices.filter(({ sent_today, max_sms_dayly }) => sent_today >= max_sms_dayly)
    const kinds = [
      devices.some(({ quarantined_until }) => quarantined_until !== null),
      devices.some(({ enabled }) => !enabled),
      devices.some(({ uid, status }) => uid === 'drone-0008' && status === 'disconnected'),
      full.length > 0,
      devices.length === 12,
    ]
    return kinds.every(Boolean)
  })
  await untilSeen('a SIM in each modem of the agent', async () => {
    const { sims } = await first.client.call(listSims, {})
    return sims.filter(({ device_uid }) => device_uid?.startsWith('modem-')).length === 4
  })
  await untilSeen('each outcome', async () => {
    const { failures, waiting, hours } = await first.client.call(readDashboard, { query: {} })
    const causes = failures.map(({ code }) => code)
    const reasons = waiting.map(({ reason }) => reason)
    const states = hours.flatMap(({ states }) =>
      Object.entries(states).flatMap(([name, n]) => (n > 0 ? name : [])),
    )
    return (
      ['invalid_destination', 'no_credit', 'absent_subscriber', 'unknown_outcome', 'expired'].every((code) =>
        causes.includes(code),
      ) &&
      ['device_offline', 'device_disabled', 'daily_limit', 'later'].every((reason) =>
        reasons.includes(reason as never),
      ) &&
      ['delivered', 'replied', 'failed', 'uncertain', 'expired', 'cancelled'].every((state) =>
        states.includes(state),
      )
    )
  })
  const before = await first.client.call(listLogs, { query: { search: '+447700900001' } })
  assert.equal(await first.stop(), 0)

  const second = await startDemo()
  const { devices } = await second.client.call(listDevices)
  assert.equal(devices.find(({ uid }) => uid === 'drone-0008')?.status, 'disconnected')
  assert.equal(devices.filter(({ enabled }) => !enabled).length, 1)
  const users = await second.client.call(listUsers)
  assert.deepEqual(users.users.map(({ name }) => name).sort(), ['operator', 'superadmin'])
  const after = await second.client.call(listLogs, { query: { search: '+447700900001' } })
  assert.equal(after.logs.length, before.logs.length, 'the fixed outcomes are not repeated')
  assert.equal(await second.stop(), 0)
})

test('the page of the demo names each number with a fixed outcome', () => {
  const page = readFileSync(join(ROOT, 'docs/demo.md'), 'utf8')
  for (const number of Object.keys(TEST_NUMBERS)) assert.ok(page.includes(`\`${number}\``), number)
})
