import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Role } from '@sdd/contract/core/roles.ts'
import { UserChange } from '@sdd/contract/accounts/users.ts'
import { openHashing } from '#server/accounts/passwords/hashing.ts'
import { openPasswords } from '#server/accounts/passwords/passwords.ts'
import { listUsers, makeFirstUser, readUser } from '#server/accounts/users/users.ts'
import { instant } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import { openDatabase } from '#server/database/open.ts'
import { testClock } from '#test/clock.ts'
import { saveUser } from './saving.ts'

const NOW = '2026-06-01T10:00:00.000Z'
const PASSWORD = 'long enough 123'

/** A database without a server, with a superadmin and an admin of company 1. */
async function begin(t: TestContext, first = 'superadmin') {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-users-'))
  const db = await openDatabase({ folder })
  t.after(async () => {
    await db.close()
    rmSync(folder, { recursive: true })
  })
  const needs = {
    db,
    clock: testClock(NOW),
    live: { changed() {}, deviceStatus() {}, stop() {} },
    hashing: openHashing(),
    passwords: openPasswords({ memory: 8, passes: 1, parallelism: 1 }),
    broker: { disconnectBrowsers() {} },
    rightsLost: async () => {},
  }
  await makeFirstUser(needs, first, PASSWORD)
  const superadmin = callerOf('superadmin', { user_id: 1, name: 'superadmin', company_id: 1 })

  let count = 0
  const someone = (more: Partial<UserChange> = {}): UserChange => {
    const name = `someone ${++count}`
    return { name, email: `s${count}@example.com`, role: 'user', password: PASSWORD, ...more }
  }
  const save = (caller: Caller, change: UserChange) => saveUser(needs, caller, change)
  const { id } = await save(superadmin, someone({ name: 'Ana', email: 'ana@example.com', role: 'admin' }))
  return {
    needs,
    superadmin,
    admin: callerOf('admin', { user_id: id, name: 'Ana', company_id: 1 }),
    someone,
    save,
    boss: { id: superadmin.user_id, name: 'superadmin', email: 'boss@example.com' },
    self: { id, name: 'Ana', email: 'ana@example.com' },
  }
}

/** A caller with a fresh proof of their identity. */
function callerOf(role: Role, user: Pick<Caller, 'user_id' | 'name' | 'company_id'>): Caller {
  const scope = role === 'superadmin' ? 'all' : { company_id: user.company_id }
  const session = { session_id: user.user_id, proved_at: instant(Date.parse(NOW)), duty: undefined }
  return { ...user, ...session, role, scope, address: '127.0.0.1' }
}

test('another user’s name or e-mail is taken, in any case and for either field', async (t) => {
  const { save, superadmin, someone } = await begin(t)
  await save(superadmin, someone({ name: 'Carla', email: 'carla@example.com' }))
  for (const [change, code] of [
    [{ name: 'CARLA' }, 'name_taken'],
    [{ email: 'CARLA@example.com' }, 'email_taken'],
    [{ name: 'carla@example.com' }, 'name_taken'],
  ] as const)
    await assert.rejects(save(superadmin, someone(change)), { code })
  await save(superadmin, someone({ name: 'both@example.com', email: 'both@example.com' }))
})

test('a user cannot grant a role above their own, and an admin cannot change a superadmin', async (t) => {
  const { save, admin, someone, boss, self } = await begin(t)
  const code = 'forbidden'
  for (const role of ['user', 'superadmin'] as const)
    await assert.rejects(save(admin, { ...boss, role }), {
      code,
      message: 'superadmin is a superadmin: only a superadmin may change that user.',
    })
  for (const change of [{ ...self, role: 'superadmin' } as const, someone({ role: 'superadmin' })])
    await assert.rejects(save(admin, change), {
      code,
      message: 'An admin cannot make anybody superadmin. Ask a superadmin.',
    })
  await save(admin, someone({ role: 'admin' }))
})

test('the last enabled superadmin cannot be demoted or disabled', async (t) => {
  const { save, superadmin, someone, boss } = await begin(t)
  const refused = { code: 'last_superadmin' }
  await assert.rejects(save(superadmin, { ...boss, role: 'admin' }), refused)
  await assert.rejects(save(superadmin, { ...boss, role: 'superadmin', enabled: false }), refused)
  const second = someone({ role: 'superadmin', enabled: false })
  const { id } = await save(superadmin, second)
  await assert.rejects(save(superadmin, { ...boss, role: 'admin' }), refused)
  const { name, email } = second
  await save(superadmin, { id, name, email, role: 'superadmin', enabled: true })
  await save(superadmin, { ...boss, role: 'admin' })
})

test('a superadmin creates a company by its id, and its admin sees no other company', async (t) => {
  const { needs, save, superadmin, someone, self } = await begin(t)
  const { id } = await save(superadmin, someone({ name: 'Olga', role: 'admin', companyId: 7 }))
  const olga = callerOf('admin', { user_id: id, name: 'Olga', company_id: 7 })
  assert.deepEqual(
    (await listUsers(needs, olga)).map(({ name, companyId }) => [name, companyId]),
    [['Olga', 7]],
  )
  await assert.rejects(readUser(needs, olga, self.id), { code: 'unknown_user' })
  await assert.rejects(save(olga, { ...someone(), id: self.id }), { code: 'unknown_user' })
  await assert.rejects(save(olga, someone({ companyId: 1 })), { code: 'forbidden' })
  await save(olga, someone({ companyId: 7 }))
})

test('users cannot change their own password here, even with a proof, but can change their other fields', async (t) => {
  const { save, admin, self } = await begin(t)
  const change = { ...self, role: 'admin', password: 'another one 456' } as const
  for (const proved_at of [null, admin.proved_at])
    await assert.rejects(save({ ...admin, proved_at }, change), ({ code, fields }) => {
      assert.deepEqual([code, Object.keys(fields)], ['invalid', ['password']])
      assert.match(fields.password, /POST \/api\/password/)
      return true
    })
  await save(admin, { ...self, role: 'admin', name: 'Ana Gil' })
})

test('the first superadmin has an e-mail that later saves accept, whatever the name', async (t) => {
  for (const [name, email] of [
    ['superadmin', 'superadmin@localhost'],
    ['Ana García', 'Ana.García@localhost'],
    ['olga@example.com', 'olga@example.com'],
    ['Ana @ home', 'Ana.home@localhost'],
  ] as const) {
    const { needs, superadmin, save } = await begin(t, name)
    const [first] = await listUsers(needs, superadmin)
    assert.deepEqual([first!.name, first!.email], [name, email])
    await save(superadmin, UserChange.parse({ id: first!.id, name, email, role: 'superadmin' }))
  }
})

test('changing another user’s role or password requires a proof', async (t) => {
  const { save, superadmin, someone, self } = await begin(t)
  const unproved = { ...superadmin, proved_at: null }
  for (const change of [
    someone({ role: 'admin' }),
    { ...self, role: 'admin', password: 'another one 456' } as const,
    { ...self, role: 'superadmin' } as const,
  ])
    await assert.rejects(save(unproved, change), { code: 'proof_required' })
  await save(unproved, someone())
})
