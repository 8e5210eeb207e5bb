import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { login } from '@sdd/contract/accounts/auth.ts'
import { chooseLanguage, readUser } from '@sdd/contract/accounts/users.ts'
import { enter, newUser, PASSWORD } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

let server: TestServer
let superadmin: string

before(async () => {
  server = await startServer()
  superadmin = (await enter(server, ADMIN.username, ADMIN.password)).token
})
after(() => server.stop())

test('a user chooses a language, which the login and the list of users answer from then on', async () => {
  const { id, name, token } = await newUser(server, superadmin)
  const other = await newUser(server, superadmin)
  const of = async (user: number) =>
    (await call(server, readUser, { token: superadmin, params: { id: user } })).body.language
  const atLogin = async () =>
    (await call(server, login, { body: { username: name, password: PASSWORD } })).body.language
  assert.deepEqual([await of(id), await atLogin()], [null, null])
  for (const language of ['en', 'es', null] as const) {
    assert.equal((await call(server, chooseLanguage, { token, body: { language } })).status, 204)
    assert.deepEqual([await of(id), await atLogin(), await of(other.id)], [language, language, null])
  }
})

test('a language that the console does not have is refused, and the chosen one stays', async () => {
  const { id, token } = await newUser(server, superadmin)
  await call(server, chooseLanguage, { token, body: { language: 'en' } })
  for (const body of [{}, { language: 'fr' }, { language: '' }, { language: 'es', id: 1 }]) {
    const { status } = await call(server, chooseLanguage, { token, body })
    assert.equal(status, 422, JSON.stringify(body))
  }
  const fr = await call(server, chooseLanguage, { token, body: { language: 'fr' } })
  assert.deepEqual(fr.body.field_codes, {
    language: { code: 'not_one_of', params: { values: ['es', 'en'] } },
  })
  assert.equal((await call(server, readUser, { token, params: { id } })).body.language, 'en')
})
