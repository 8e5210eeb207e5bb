import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import * as auth from '@sdd/contract/accounts/auth.ts'
import * as devices from '@sdd/contract/fleet/devices.ts'
import * as messages from '@sdd/contract/messages/messages.ts'
import { listLogs } from '@sdd/contract/insight/log.ts'
import * as tasks from '@sdd/contract/tasks/tasks.ts'
import { eventually, linkTestDevice } from '#test/device.ts'
import { preparedDatabase, runIn } from '#test/engine.ts'
import { enter } from '#test/seeds.ts'
import { ADMIN, call, startServer, type TestServer } from '#test/server.ts'

/** Two servers over one PostgreSQL. The clocks of their machines are 20 minutes apart. */
const OFF_MS = 10 * 60_000
let url: string
let servers: [TestServer, TestServer]
let folder: string
let token: string
/** How long the machine of the second server has slept. */
let slept_ms = 0

before(async () => {
  url = await preparedDatabase()
  folder = mkdtempSync(join(tmpdir(), 'sdd-servers-'))
  const settings = { DATABASE_URL: url }
  const machine = (off_ms: () => number) => () => performance.timeOrigin + performance.now() + off_ms()
  servers = [
    await startServer({ folder, settings, ticks: machine(() => -OFF_MS) }),
    await startServer({ folder, settings, ticks: machine(() => OFF_MS - slept_ms) }),
  ]
  ;({ token } = await enter(servers[0], ADMIN.username, ADMIN.password))
})
after(async () => {
  for (const server of servers) await server.stop()
  rmSync(folder, { recursive: true })
})

const [SENT, TEXT] = ['+34600111222', 'hola']
/** The actual time. The servers are given other clocks. */
const fromNow = (ms: number) => new Date(Date.now() + ms).toISOString()
const MINUTE = 60_000

test('rows that several servers store have times in the order in which they were stored', async () => {
  const { uid } = await linkTestDevice(servers[0], token, 'drone')
  await runIn(url, `update devices set status = 'connected', max_sms_dayly = 100 where uid = '${uid}'`)
  for (let n = 0; n < 6; n++) {
    const body = { device_uid: uid, telefono_to: SENT, mensaje_sms: `${n}` }
    const { status } = await call(servers[n % 2]!, messages.sendSms, { token, body })
    assert.equal(status, 200)
  }
  const { body } = await call(servers[0], listLogs, { token, query: {} })
  const times = body.logs.map(({ queue_timestamp }) => queue_timestamp).reverse()
  assert.deepEqual(times, times.toSorted())
  for (const time of times) assert.ok(Math.abs(Date.parse(time) - Date.now()) < 5 * MINUTE, time)
})

test('a task expires by the database’s clock at every server', async () => {
  const guid = 'until-later'
  const task = { guid, to_number: SENT, text: TEXT, expires_at: fromNow(5 * MINUTE) }
  for (const [n, server] of servers.entries()) {
    const { body } = await call(server, tasks.createTasks, { token, body: { ...task, guid: `${guid}-${n}` } })
    assert.equal((body as { status: string }).status, 'received')
  }
  const states = async () => {
    const { body } = await call(servers[0], tasks.listTasks, { token, query: { status: 'all' } })
    return body.tasks.filter((one) => one.guid.startsWith(guid)).map(({ state }) => state)
  }
  const expiring = `select id from messages where guid = '${guid}-1'`
  await runIn(url, `update queue set expires_at = '${fromNow(-5 * MINUTE)}' where id = (${expiring})`)
  await eventually(async () => (await states()).includes('expired'))
  assert.deepEqual((await states()).sort(), ['expired', 'received'])
})

test('a session lasts equally long at each server', async () => {
  const statuses = () =>
    Promise.all(
      servers.map(async (server) => (await call(server, devices.listDevices, { token: session })).status),
    )
  const { token: session } = await enter(servers[1], ADMIN.username, ADMIN.password)
  const ends = (at: string) =>
    runIn(
      url,
      `update sessions set expires_at = '${at}', last_used_at = '${fromNow(0)}'
        where id = (select max(id) from sessions)`,
    )
  await ends(fromNow(5 * MINUTE))
  assert.deepEqual(await statuses(), [200, 200])
  await ends(fromNow(-5 * MINUTE))
  assert.deepEqual(await statuses(), [401, 401])
})

test('ten wrong passwords in 15 minutes are counted across servers, even if they arrive at once', async () => {
  const attempts = Array.from({ length: 30 }, (_, n) =>
    call(servers[n % 2]!, auth.login, { body: { username: 'nobody', password: 'wrong' } }),
  )
  const statuses = (await Promise.all(attempts)).map(({ status }) => status)
  assert.deepEqual(Map.groupBy(statuses, (status) => status).get(401)?.length, 10)
  // Each server checks nine of them one after the other, and refuses the rest as busy.
  for (const status of statuses) assert.ok([401, 429, 503].includes(status), `${status}`)
  for (const server of servers) {
    const { status, headers } = await call(server, auth.login, {
      body: { username: 'nobody', password: 'x' },
    })
    assert.equal(status, 429)
    const after_secs = Number(headers.get('retry-after'))
    assert.ok(after_secs > 10 * 60 && after_secs <= 15 * 60, `${after_secs} s`)
  }
})

test('a server whose machine slept has the right time a moment after it wakes up', async () => {
  const [, sleeper] = servers
  slept_ms = 10 * MINUTE
  await eventually(async () => {
    const { body } = await call(sleeper, tasks.createTasks, { token, body: { to_number: SENT, text: TEXT } })
    const { guid } = body as { guid: string }
    const { body: seen } = await call(sleeper, tasks.readTask, { token, params: { guid } })
    return Math.abs(Date.parse(seen.created_at) - Date.now()) < 5 * MINUTE
  }, 10_000)
})
