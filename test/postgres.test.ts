import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import * as devices from '@sdd/contract/fleet/devices.ts'
import * as messages from '@sdd/contract/messages/messages.ts'
import { listLogs } from '@sdd/contract/insight/log.ts'
import { readiness } from '@sdd/contract/core/system.ts'
import { connectDevice, eventually, linkTestDevice } from '../packages/server/test/device.ts'
import { enter } from '../packages/server/test/seeds.ts'
import { ADMIN, call, startServer } from '../packages/server/test/server.ts'
import { type Postgres, startPostgres } from '../scripts/postgres.ts'
import { killUnderTraffic } from './traffic.ts'

/** A separate one for each test, because the tests stop it repeatedly. */
let postgres: Postgres
beforeEach(async () => void (postgres = await startPostgres()))
afterEach(() => postgres.stop())

test('while PostgreSQL is down nothing is acknowledged and /readyz says why; then everything recovers on its own', async (t) => {
  const server = await startServer({ settings: { DATABASE_URL: postgres.url } })
  t.after(() => server.stop())
  const { token } = await enter(server, ADMIN.username, ADMIN.password)
  const linked = await linkTestDevice(server, token, 'drone')
  const device = await connectDevice(linked)
  const send = () =>
    call(server, messages.sendSms, {
      token,
      body: { device_uid: 'drone', telefono_to: '+34600111222', mensaje_sms: 'hola' },
    })
  const { guid } = (await send()).body
  await device.until(1)

  await postgres.crash()
  const away = await send()
  assert.deepEqual([away.status, away.body.code], [503, 'not_ready'])
  assert.match(away.body.detail, /database cannot be reached/)
  assert.doesNotMatch(away.body.detail, /sdd-pg|postgres:/)
  assert.ok(Number(away.headers.get('retry-after')) > 0)
  const unready = await call(server, readiness)
  assert.deepEqual([unready.status, unready.body.detail], [503, away.body.detail])
  assert.equal((await call(server, devices.listDevices, { token })).status, 503)
  let acknowledged = false
  const report = device.report({ guid, state: 'sent' }).then(
    () => (acknowledged = true),
    () => {},
  )
  await Promise.race([report, device.ended])
  assert.ok(!acknowledged, 'the report was acknowledged')
  await assert.rejects(connectDevice(linked), 'a device that could not report was admitted')

  await postgres.start()
  await eventually(async () => (await call(server, readiness)).status === 200, 20_000)
  const back = await connectDevice(linked)
  await back.report({ guid, state: 'sent' })
  const { body } = await call(server, listLogs, { token })
  assert.deepEqual(
    body.logs.map(({ guid, state }) => [guid, state]),
    [[guid, 'sent']],
  )
  assert.equal((await send()).status, 200)
})

test('killing server and PostgreSQL in turn under traffic loses nothing acknowledged and sends nothing twice', (t) =>
  killUnderTraffic(t, {
    kills: 6,
    settings: { DATABASE_URL: postgres.url },
    async kill(installation, kill) {
      if (kill % 2 === 0) {
        await postgres.crash()
        return postgres.start()
      }
      await installation.server.kill()
      await installation.restart()
    },
  }))
