import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { changePassword } from '@sdd/contract/accounts/auth.ts'
import { saveUser } from '@sdd/contract/accounts/users.ts'
import { enter, newUser, PASSWORD, someone } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

/** Which passwords users may choose, for themselves or for others. */

let server: TestServer
let superadmin: string
const ANA = { name: 'Ana Belén Ruiz', email: 'Ana.Ruiz@Example.com', role: 'admin' }
let ana: Awaited<ReturnType<typeof newUser>>

before(async () => {
  server = await startServer()
  superadmin = (await enter(server, ADMIN.username, ADMIN.password)).token
  ana = await newUser(server, superadmin, ANA)
})
after(() => server.stop())

/** The answer of each of the three ways to set a password. */
async function refusals(password: string) {
  const another = { ...someone(), name: ANA.name, email: ANA.email, role: 'admin', password }
  const answers = await Promise.all([
    call(server, saveUser, { token: superadmin, body: another }),
    call(server, saveUser, { token: superadmin, body: { ...another, id: ana.id } }),
    call(server, changePassword, {
      token: ana.token,
      body: { password: PASSWORD, new_password: password },
    }),
  ])
  return answers.map(({ status, body }) => [status, body.code, ...Object.keys(body.fields ?? {})])
}

const REFUSED = [
  [422, 'invalid', 'password'],
  [422, 'invalid', 'password'],
  [422, 'invalid', 'new_password'],
]

for (const password of [
  'password12',
  'Password123',
  '1234567890',
  'QwertyUiop',
  'contraseña1',
  'CONTRASEN\u0303A1',
  'administrator',
]) {
  test(`${password} is one of the commonest, and refused wherever a password is set`, async () => {
    assert.deepEqual(await refusals(password), REFUSED)
  })
}

for (const password of [
  'Ana Belén Ruiz',
  'anabelénruiz',
  'ANA BELÉN RUIZ1!2',
  'ana.ruiz@example.com',
  'Ana.Ruiz@Example.com202',
  'sms drone dash',
  'SMSDroneDash',
  'SmsDroneDash!!1',
]) {
  test(`${password} is a name with at most three digits or signs, and refused wherever a password is set`, async () => {
    assert.deepEqual(await refusals(password), REFUSED)
  })
}

test('a name with four digits or with letters after it is accepted', async () => {
  for (const password of ['Ana Belén Ruiz2026', 'SMS DRONE DASH yes', 'a not so common password']) {
    const body = someone({ name: `Ana ${password}`, password })
    assert.equal((await call(server, saveUser, { token: superadmin, body })).status, 201, password)
  }
})

test('the refusal says what to do', async () => {
  const body = someone({ password: 'password12' })
  const { fields } = (await call(server, saveUser, { token: superadmin, body })).body
  assert.match(fields!.password!, /commonest passwords: choose another/)
})

test('the list has its licence and more than 3,000 passwords of ten or more characters, each in its compared form', () => {
  const url = new URL('../src/accounts/user-editing/common-passwords.txt', import.meta.url)
  const [source, licence, list] = readFileSync(url, 'utf8').trimEnd().split('\n\n')
  assert.match(source! + licence!, /SecLists.* MIT License: Copyright/s)
  const passwords = list!.split('\n')
  assert.ok(passwords.length > 3_000, `${passwords.length}`)
  assert.equal(new Set(passwords).size, passwords.length)
  for (const one of passwords) {
    assert.ok([...one].length >= 10, one)
    assert.equal(one, one.normalize('NFKC').toLowerCase(), one)
  }
})
