import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createApiKey, listApiKeys } from '@sdd/contract/accounts/api-keys.ts'
import { listUsers, readUser, saveUser } from '@sdd/contract/accounts/users.ts'
import { enter, newUser, someone } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

/** The characters allowed in a name, how names are compared, and which users see which fields of a colleague. */

let server: TestServer
let superadmin: string

before(async () => {
  server = await startServer()
  superadmin = (await enter(server, ADMIN.username, ADMIN.password)).token
})
after(() => server.stop())

const UNSEEN: [what: string, character: string][] = [
  ['a NUL', '\0'],
  ['a line break', '\n'],
  ['a carriage return', '\r'],
  ['a tab', '\t'],
  ['a control of C1', '\u0085'],
  ['a zero-width space', '\u200b'],
  ['a right-to-left override', '\u202e'],
  ['a byte order mark', '\ufeff'],
  ['a soft hyphen', '\u00ad'],
  ['a line separator', '\u2028'],
  ['a paragraph separator', '\u2029'],
  ['a private character', '\ue000'],
  ['half of a pair', '\ud800'],
  ['an unassigned character', '\u0378'],
]

for (const [what, character] of UNSEEN) {
  test(`a name with ${what} is refused, for a user and for an API key, at any position`, async () => {
    for (const name of [`${character}ana`, `a${character}na`, `ana${character}`, character]) {
      for (const answer of [
        await call(server, saveUser, { token: superadmin, body: someone({ name }) }),
        await call(server, createApiKey, { token: superadmin, body: { name } }),
      ]) {
        assert.deepEqual([answer.status, Object.keys(answer.body.fields ?? {})], [422, ['name']])
      }
    }
  })
}

test('names in any script, with accents, signs and emoji, are stored unchanged', async () => {
  for (const name of ['Núria Güell-Prat', '李小龍', 'محمد', 'Ольга (2.º turno)', 'Turno 🚚', 'a\u00a0b']) {
    const { body, status } = await call(server, saveUser, { token: superadmin, body: someone({ name }) })
    assert.equal(status, 201, name)
    const user = await call(server, readUser, { token: superadmin, params: { id: body.id } })
    assert.equal(user.body.name, name)
    const key = await call(server, createApiKey, { token: superadmin, body: { name } })
    assert.equal(key.status, 201, name)
  }
  const { body } = await call(server, listApiKeys, { token: superadmin })
  assert.ok(body.api_keys.some(({ name }) => name === 'Turno 🚚'))
})

test('names that differ only in width or ligatures are one name, when created and at the login', async () => {
  const ana = await newUser(server, superadmin, { name: 'ana fina' })
  for (const name of ['ａｎａ　ｆｉｎａ', 'ＡＮＡ ﬁna', 'Ana Fina']) {
    const { status, body } = await call(server, saveUser, { token: superadmin, body: someone({ name }) })
    assert.deepEqual([status, body.code], [409, 'name_taken'], name)
    assert.equal((await enter(server, name)).id, ana.id, name)
  }
})

test('a user who manages no others sees neither e-mail nor second factor of colleagues, and both of their own', async () => {
  const companyId = 5
  const admin = await newUser(server, superadmin, { role: 'admin', companyId })
  const user = await newUser(server, superadmin, { companyId })
  const seenBy = async (token: string) => {
    const { users } = (await call(server, listUsers, { token })).body
    const one = async (id: number) => (await call(server, readUser, { token, params: { id } })).body
    assert.deepEqual(users, await Promise.all(users.map(({ id }) => one(id))))
    const facts = users.map(({ id, email, second_factor, last_login_at }) => {
      return [id, { email, second_factor, entered: last_login_at !== null }]
    })
    return Object.fromEntries(facts) as unknown
  }
  const [adminSeen, userSeen] = [admin, user].map(({ email }) => ({
    email,
    second_factor: false,
    entered: true,
  }))
  assert.deepEqual(await seenBy(admin.token), { [admin.id]: adminSeen, [user.id]: userSeen })
  const hidden = { email: null, second_factor: null, entered: false }
  assert.deepEqual(await seenBy(user.token), { [admin.id]: hidden, [user.id]: userSeen })
  assert.deepEqual(((await seenBy(superadmin)) as Record<number, unknown>)[user.id], userSeen)
})
