import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { changePassword } from '@sdd/contract/accounts/auth.ts'
import { createApiKey, listApiKeys, revokeApiKey, rotateApiKey } from '@sdd/contract/accounts/api-keys.ts'
import { createLinkCode, linkDevice, listDevices } from '@sdd/contract/fleet/devices.ts'
import {
  confirmSecondFactor,
  enrolSecondFactor,
  readSecondFactor,
} from '@sdd/contract/accounts/second-factor.ts'
import { readGlobalSettings, saveGlobalSettings } from '@sdd/contract/accounts/settings.ts'
import { listLogs } from '@sdd/contract/insight/log.ts'
import { listTasks } from '@sdd/contract/tasks/tasks.ts'
import { saveUser } from '@sdd/contract/accounts/users.ts'
import { listInbox } from '@sdd/contract/people/conversations.ts'
import { makeBackup } from '@sdd/storage/sqlite/backup.ts'
import { DATABASE_FILE } from '#server/database/files.ts'
import type { SafeRestore } from '#server/database/safe-restore.ts'
import { securePostgresRestore } from '#server/database/safe-restore.postgres.ts'
import { restoreBackup } from '#server/database/restore.ts'
import { appCode } from './authenticator.ts'
import { SECOND, testClock } from './clock.ts'
import { campaignCalls } from './campaigns.ts'
import { connectDevice, eventually, linkTestDevice } from './device.ts'
import { databaseOf } from './engine.ts'
import { enter, enterFirst, newUser, PASSWORD } from './seeds.ts'
import { ADMIN, call, startServer } from './server.ts'

const NEW_PASSWORD = 'after the restore'

/** An installation with every kind of access, backed up and restored. A PostgreSQL is only held back in place. */
async function begin(t: TestContext, { keep_access = false } = {}) {
  const home = mkdtempSync(join(tmpdir(), 'sdd-restored-'))
  t.after(() => rmSync(home, { recursive: true }))
  const clock = testClock(new Date().toISOString())
  const first = await startServer({ folder: join(home, 'first'), clock })
  const { token } = await enter(first, ADMIN.username, ADMIN.password)
  const admin = await newUser(first, token, { name: 'Ana', role: 'admin', companyId: 2 })
  const user = await newUser(first, token, { name: 'Bea', companyId: 2 })
  const left = { name: 'Left', email: 'l@example.com', role: 'user', password: PASSWORD, companyId: 2 }
  await call(first, saveUser, { token, body: { ...left, enabled: false } })
  const newKey = async (name: string) =>
    (await call(first, createApiKey, { token: admin.token, body: { name, may: ['tasks:read'] } })).body
  const { id, key } = await newKey('shop')
  const { body: rotated } = await call(first, rotateApiKey, { token: admin.token, params: { id }, body: {} })
  const gone = await newKey('gone')
  await call(first, revokeApiKey, { token: admin.token, params: { id: gone.id } })
  const numbers = Array.from({ length: 12 }, (_, n) => ({ number: `6001112${String(n).padStart(2, '0')}` }))
  const campaigns = campaignCalls(first, admin.token)
  const campaign = await campaigns.run(numbers)
  // Its first messages wait for a device.
  await eventually(async () => (await campaigns.read(campaign)).counts.queued === 10)
  const { body: code } = await call(first, createLinkCode, { token: admin.token, body: { uses: 5 } })
  const { body: enrolment } = await call(first, enrolSecondFactor, {
    token: user.token,
    body: { password: PASSWORD },
  })
  const confirmed = await call(first, confirmSecondFactor, {
    token: user.token,
    body: { code: appCode(enrolment.secret, clock.now()) },
  })
  assert.equal(confirmed.status, 200)
  clock.advance(30 * SECOND)
  await first.stop()

  const { folder, held } = await correctTimes(home, keep_access)
  const server = await startServer({ folder, clock })
  t.after(() => server.stop())
  return {
    server,
    held,
    campaign,
    admin,
    user,
    keys: [key, rotated.key],
    link_code: code.code,
    sessions: [token, admin.token, user.token],
    superadmin: () => enterFirst(server, ADMIN.username, ADMIN.password, NEW_PASSWORD),
    factorCode: () => appCode(enrolment.secret, clock.now()),
  }
}

async function correctTimes(
  home: string,
  keep_access: boolean,
): Promise<{ folder: string; held: SafeRestore }> {
  const source = join(home, 'first')
  const url = await databaseOf(source)
  const now = new Date()
  if (url !== undefined) return { folder: source, held: await securePostgresRestore(url, now, keep_access) }
  const { path } = makeBackup({ path: join(source, DATABASE_FILE), to: join(home, 'backups'), now })
  const folder = join(home, 'second')
  return { folder, held: await restoreBackup({ path, folder, now, keep_access }) }
}

test('after a restore no key, session or link code works, and only superadmins are enabled', async (t) => {
  const { server, admin, user, keys, link_code, sessions, superadmin } = await begin(t)
  for (const token of sessions) assert.equal((await call(server, listDevices, { token })).status, 401)
  for (const token of keys) assert.equal((await call(server, listTasks, { token })).status, 401)
  assert.equal((await call(server, linkDevice, { body: { code: link_code, uid: 'late' } })).status, 403)
  for (const { name } of [admin, user]) assert.equal((await enter(server, name)).status, 401, name)
  const { token } = await superadmin()
  assert.deepEqual((await call(server, listApiKeys, { token })).body.api_keys, [])
  const { settings } = (await call(server, readGlobalSettings, { token })).body
  assert.deepEqual(new Set(settings.map(({ send_enabled }) => send_enabled)), new Set([false]))
})

test('after a restore every user must first set a new password', async (t) => {
  const { server } = await begin(t)
  const { status, token } = await enter(server, ADMIN.username, ADMIN.password)
  assert.equal(status, 200)
  const refused = await call(server, listDevices, { token })
  assert.deepEqual([refused.status, refused.body.code], [403, 'password_change_required'])
  const body = { password: ADMIN.password, new_password: ADMIN.password }
  assert.equal((await call(server, changePassword, { token, body })).status, 422)
  await enterFirst(server, ADMIN.username, ADMIN.password, NEW_PASSWORD)
  assert.equal((await call(server, listDevices, { token })).status, 401, 'the other session has ended')
  const again = await enter(server, ADMIN.username, NEW_PASSWORD)
  assert.equal((await call(server, listDevices, { token: again.token })).status, 200)
})

test('a user whom a superadmin enables after a restore logs in, but earlier recovery codes do not work', async (t) => {
  const { server, user, superadmin, factorCode } = await begin(t)
  const { token } = await superadmin()
  const { id, name, email } = user
  const body = { id, name, email, role: 'user', enabled: true }
  assert.equal((await call(server, saveUser, { token, body })).status, 200)
  const session = await enter(server, name, PASSWORD, factorCode())
  assert.equal(session.status, 200)
  const change = { password: PASSWORD, new_password: NEW_PASSWORD }
  const changed = await call(server, changePassword, { token: session.token, body: change })
  assert.equal(changed.status, 204)
  const { body: factor } = await call(server, readSecondFactor, { token: session.token })
  assert.deepEqual([factor.enabled, factor.recovery_codes_left], [true, 0])
})

test('a restore names the enabled users and valid keys of the backup', async (t) => {
  const { held } = await begin(t)
  assert.deepEqual(rowsOf(held.users), [
    { name: ADMIN.username, role: 'superadmin', company_id: 1 },
    { name: 'Ana', role: 'admin', company_id: 2 },
    { name: 'Bea', role: 'user', company_id: 2 },
  ])
  assert.deepEqual(rowsOf(held.api_keys), [{ name: 'shop', company_id: 2 }])
})

test('a restore pauses campaigns, whose messages and rows wait, and names them', async (t) => {
  const { held, server, campaign, superadmin } = await begin(t)
  assert.deepEqual(rowsOf(held.campaigns), [{ name: 'Reminders', company_id: 2, pending: 2 }])
  const { token } = await superadmin()
  const { read } = campaignCalls(server, token)
  const { state, paused_by, counts } = await read(campaign)
  assert.deepEqual([state, paused_by, counts.pending, counts.queued], ['paused', null, 2, 10])
  const on = { query: { company: '2' }, body: { spoof_time_secs: 0, send_enabled: true } }
  assert.equal((await call(server, saveGlobalSettings, { token, ...on })).status, 200)
  const { body } = await call(server, listLogs, { token, query: { state: 'queued' } })
  assert.deepEqual(
    body.logs.map(({ waiting_code }) => waiting_code),
    Array(10).fill('campaign_paused'),
  )
})

test('an SMS that arrives after a restore has an id above those that were used since the backup', async (t) => {
  const { server, superadmin } = await begin(t)
  const { token } = await superadmin()
  const device = await connectDevice(await linkTestDevice(server, token, 'later'))
  await device.publish('inbox', {
    id: 'sms-1',
    from: '+34600111222',
    text: 'x',
    at: new Date().toISOString(),
  })
  const { body } = await call(server, listInbox, { token, query: { since: 'r900000' } })
  assert.deepEqual(
    body.inbox.map(({ text }) => text),
    ['x'],
  )
  device.vanish()
  await device.ended
})

/** Plain objects, unlike SQLite's rows. */
function rowsOf(rows: readonly object[]): object[] {
  return rows.map((row) => ({ ...row }))
}

test('a restore that keeps access leaves keys, users and passwords unchanged, and ends all other access', async (t) => {
  const { server, admin, user, keys, link_code, sessions, factorCode } = await begin(t, { keep_access: true })
  for (const token of sessions) assert.equal((await call(server, listDevices, { token })).status, 401)
  assert.equal((await call(server, linkDevice, { body: { code: link_code, uid: 'late' } })).status, 403)
  for (const token of keys) assert.equal((await call(server, listTasks, { token })).status, 200)
  const { status, token } = await enter(server, admin.name)
  assert.equal(status, 200)
  assert.equal((await call(server, listDevices, { token })).status, 200)
  const other = await enter(server, user.name, PASSWORD, factorCode())
  const { body: factor } = await call(server, readSecondFactor, { token: other.token })
  assert.equal(factor.recovery_codes_left, 10)
})
