import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { User } from './users.ts'
import { companiesOf, viewUsers, type UserView } from './view.ts'

const users: User[] = [
  { id: 1, name: 'Zoe', email: 'z@x.es', role: 'superadmin', enabled: true, companyId: 1, company: 'Main' },
  { id: 2, name: 'Ángel', email: 'b@x.es', role: 'user', enabled: false, companyId: 2, company: 'Sur' },
  { id: 3, name: 'Ana', email: null, role: 'admin', enabled: true, companyId: 2, company: 'Sur' },
].map(
  (user) => ({ ...user, last_login_at: user.id === 2 ? null : `2026-11-2${user.id}T10:00:00.000Z` }) as User,
)

function ids(view: Partial<UserView>): number[] {
  const all = { search: '', role: undefined, company: undefined, sort: 'id', desc: false } as const
  return viewUsers(users, { ...all, ...view }).map(({ id }) => id)
}

test('users are filtered by name without accents, by role and by company', () => {
  assert.deepEqual(ids({ search: 'angel' }), [2])
  assert.deepEqual(ids({ role: 'admin' }), [3])
  assert.deepEqual(ids({ company: '2', search: 'an' }), [2, 3])
})

test('users are sorted by any column, those without a value last', () => {
  assert.deepEqual(ids({ sort: 'name' }), [3, 2, 1])
  assert.deepEqual(ids({ sort: 'name', desc: true }), [1, 2, 3])
  assert.deepEqual(ids({ sort: 'email' }), [2, 1, 3])
  assert.deepEqual(ids({ sort: 'email', desc: true }), [1, 2, 3])
  assert.deepEqual(ids({ sort: 'role' }), [1, 3, 2])
  assert.deepEqual(ids({ sort: 'last_login_at', desc: true }), [3, 1, 2])
})

test('the companies of the users are listed once, by name', () => {
  assert.deepEqual(companiesOf(users), [
    ['1', 'Main'],
    ['2', 'Sur'],
  ])
})
