import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import * as audit from '@sdd/contract/accounts/audit.ts'
import * as auth from '@sdd/contract/accounts/auth.ts'
import { exportLogs } from '@sdd/contract/insight/log.ts'
import { MINUTE, testClock } from './clock.ts'
import { eventually } from './device.ts'
import { withTables } from './engine.ts'
import { enter, newUser, PASSWORD } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

async function begin(t: TestContext) {
  const clock = testClock('2026-06-10T08:00:00Z')
  const folder = mkdtempSync(join(tmpdir(), 'sdd-logins-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const start = () => startServer({ clock, folder, settings: { PROXIES: '127.0.0.1' } })
  const server = await start()
  let running: TestServer | undefined = server
  const stop = async () => {
    await running?.stop()
    running = undefined
  }
  t.after(stop)
  const { token } = await enter(server, ADMIN.username, ADMIN.password)
  const admin = await newUser(server, token, { role: 'admin', companyId: 2 })
  return {
    server,
    clock,
    superadmin: token,
    admin,
    /** Restarts over the same database, with an empty memory. */
    async restart() {
      await stop()
      return (running = await start())
    },
  }
}

/** Logs in with a wrong password. */
async function fail(server: TestServer, username: string, address: string) {
  const { status } = await call(server, auth.login, { body: { username, password: 'wrong' }, address })
  return status
}

/** The entries of failed logins that this token's user sees, newest first. */
async function failures(server: TestServer, token: string) {
  const { body } = await call(server, audit.listAudit, { token, query: { subject: 'user' } })
  return body.entries.filter(({ action }) => action === 'login.failed' || action === 'login.locked')
}

const times = ({ changes }: audit.AuditEntry) => Number(changes['times']?.to ?? 1)

test('a login is recorded with its user and address', async (t) => {
  const { server, admin } = await begin(t)
  const body = { username: admin.email, password: PASSWORD }
  assert.equal((await call(server, auth.login, { body, address: '203.0.113.5' })).status, 200)
  const { entries } = (await call(server, audit.listAudit, { token: admin.token })).body
  const { id: _id, at: _at, ...entry } = entries[0]!
  assert.deepEqual(entry, {
    company_id: 2,
    by: admin.name,
    user_id: admin.id,
    address: '203.0.113.5',
    action: 'login.succeeded',
    subject: 'user',
    name: admin.name,
    changes: {},
  })
})

test('a user’s failures are visible to the company; those of an unknown name only to superadmins, without the name', async (t) => {
  const { server, admin, superadmin } = await begin(t)
  assert.equal(await fail(server, admin.email.toUpperCase(), '203.0.113.5'), 401)
  assert.equal(await fail(server, 'hunter2 typed as a name', '203.0.113.6'), 401)
  const common = { action: 'login.failed', subject: 'user', by: null, user_id: null, changes: {} }
  const shape = ({ id: _id, at: _at, ...entry }: audit.AuditEntry) => entry
  const known = { ...common, company_id: 2, name: admin.name, address: '203.0.113.5' }
  assert.deepEqual((await failures(server, admin.token)).map(shape), [known])
  const unknown = { ...common, company_id: null, name: null, address: '203.0.113.6' }
  assert.deepEqual((await failures(server, superadmin)).map(shape), [unknown, known])
  const rows = await withTables(server, async ({ all, columns }) => {
    const found: unknown[] = []
    for (const [table] of await columns()) found.push(await all(`select * from ${table}`))
    return JSON.stringify(found)
  })
  assert.doesNotMatch(rows, /hunter2|typed as a name/)
})

test('repeated failures within a minute share one entry, and locks share another', async (t) => {
  const { server, admin, clock } = await begin(t)
  for (let n = 0; n < 10; n++) assert.equal(await fail(server, admin.name, '203.0.113.5'), 401)
  for (let n = 0; n < 4; n++) assert.equal(await fail(server, admin.name, '203.0.113.5'), 429)
  const first = await eventually(async () => {
    const found = await failures(server, admin.token)
    return found.map(times).join() === '4,10' && found
  })
  assert.deepEqual(
    first.map(({ action, name, by }) => [action, name, by]),
    [
      ['login.locked', admin.name, null],
      ['login.failed', admin.name, null],
    ],
  )
  // A failure from another address, or a minute later, has its own entry.
  assert.equal(await fail(server, admin.name, '203.0.113.9'), 429)
  clock.advance(MINUTE)
  assert.equal(await fail(server, admin.name, '203.0.113.5'), 429)
  assert.deepEqual((await failures(server, admin.token)).map(times), [1, 1, 4, 10])
})

test('one address gets at most ten entries a minute, the last with the total, even at a server that has just started', async (t) => {
  const { server, superadmin, restart } = await begin(t)
  for (let n = 0; n < 20; n++) assert.equal(await fail(server, `nobody ${n}`, '2001:db8::1'), 401)
  // Another address in the same network.
  for (let n = 20; n < 25; n++) assert.equal(await fail(server, `nobody ${n}`, `2001:db8::${n}`), 401)
  await eventually(async () => times((await failures(server, superadmin))[0]!) === 25)
  const again = await restart()
  assert.equal(await fail(again, 'nobody else', '2001:db8::1'), 401)
  const found = await eventually(async () => {
    const found = await failures(again, superadmin)
    return times(found[0]!) === 26 && found
  })
  assert.equal(found.length, 10)
  assert.equal(await fail(again, 'nobody', '203.0.113.1'), 401)
  assert.equal((await failures(again, superadmin)).length, 11)
})

test('counted failures are written when the server stops', async (t) => {
  const { server, superadmin, restart } = await begin(t)
  for (let n = 0; n < 9; n++) await fail(server, 'nobody', '203.0.113.5')
  const again = await restart()
  assert.deepEqual((await failures(again, superadmin)).map(times), [9])
})

test('failures from many addresses at once share a few entries', async (t) => {
  const { server, superadmin } = await begin(t)
  const addresses = Array.from({ length: 130 }, (_, n) => `198.51.${n}.1`)
  // The name is soon locked, so these cost no hashes.
  for (const address of addresses) await fail(server, 'nobody', address)
  const found = await eventually(async () => {
    const { body } = await call(server, audit.listAudit, { token: superadmin, query: { limit: '1000' } })
    const found = body.entries.filter(
      ({ action }) => action.startsWith('login.') && action !== 'login.succeeded',
    )
    return found.reduce((sum, entry) => sum + times(entry), 0) >= 130 && found
  })
  assert.ok(found.length <= 110, `${found.length} entries`)
})

test('logins and exports of very many users do not take the name from those of another', async (t) => {
  const { server, admin, clock } = await begin(t)
  await withTables(server, async ({ all }) => {
    for (const kind of ['logins of user', 'exports of user'])
      for (let n = 0; n < 100; n++)
        await all(
          `insert into audit_bursts (burst, what, entry_id, at, times)
            values (?, ?, 1, ?, 1) returning burst`,
          `${kind} ${1_000 + n}`,
          'x',
          new Date(clock.now()).toISOString(),
        )
  })
  await enter(server, admin.email, PASSWORD)
  assert.equal((await call(server, exportLogs, { token: admin.token })).status, 200)
  const { entries } = (await call(server, audit.listAudit, { token: admin.token })).body
  assert.deepEqual(
    entries.slice(0, 2).map(({ action, by, company_id }) => [action, by, company_id]),
    [
      ['log.exported', admin.name, 2],
      ['login.succeeded', admin.name, 2],
    ],
  )
})
