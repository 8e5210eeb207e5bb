import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as users from '@sdd/contract/accounts/users.ts'
import { enter, newUser, PASSWORD, someone } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

let server: TestServer
let superadmin: { token: string; id: number }
let admin: { token: string; id: number }

function save(token: string, change: Record<string, unknown>) {
  return call(server, users.saveUser, { token, body: change })
}

before(async () => {
  server = await startServer()
  superadmin = await enter(server, ADMIN.username, ADMIN.password)
  admin = await newUser(server, superadmin.token, { name: 'Ana', role: 'admin' })
})
after(() => server.stop())

test('a user is created with 201, listed with the company, and can log in by name or e-mail', async () => {
  const created = await save(admin.token, { ...someone(), name: ' Bea ', email: 'Bea@Example.com' })
  assert.equal(created.status, 201)
  assert.ok(created.body.status)
  const { body } = await call(server, users.listUsers, { token: admin.token })
  const bea = body.users.find(({ id }) => id === created.body.id)
  assert.deepEqual(bea, {
    id: created.body.id,
    name: 'Bea',
    email: 'Bea@Example.com',
    role: 'user',
    enabled: true,
    companyId: 1,
    company: 'Main',
    second_factor: false,
    language: null,
    last_login_at: null,
  })
  assert.equal((await enter(server, 'bea')).id, created.body.id)
  const { body: entered } = await call(server, users.readUser, {
    token: admin.token,
    params: { id: created.body.id },
  })
  assert.match(entered.last_login_at ?? '', /^\d{4}-/)
  assert.equal((await enter(server, 'BEA@example.com')).id, created.body.id)
})

test('a user’s invalid fields are named, and nothing is stored', async () => {
  const count = async () =>
    (await call(server, users.listUsers, { token: superadmin.token })).body.users.length
  const before = await count()
  const refused = [
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ email: 'nobody' }, 'email'],
    [{ email: `${'x'.repeat(251)}@b.c` }, 'email'],
    [{ role: 'king' }, 'role'],
    [{ password: 'too short' }, 'password'],
    [{ password: 'x'.repeat(257) }, 'password'],
    [{ password: undefined }, 'password'],
    [{ enabled: 'yes' }, 'enabled'],
  ] as const
  for (const [change, field] of refused) {
    const { status, body } = await save(superadmin.token, someone(change))
    assert.deepEqual([status, body.code], [422, 'invalid'], field)
    assert.ok(body.fields?.[field], `${field} in ${JSON.stringify(body.fields)}`)
  }
  assert.equal(await count(), before)
})

test('a change of password, role or enabled ends the user’s other sessions, and a change of name does not', async () => {
  const { id } = await newUser(server, superadmin.token, { name: 'Dani', email: 'dani@example.com' })
  const dani = { id, name: 'Dani', email: 'dani@example.com', role: 'user' }
  const works = async (token: string) => (await call(server, users.listUsers, { token })).status !== 401
  for (const [change, ends] of [
    [{ name: 'Daniela' }, false],
    [{ password: PASSWORD }, true],
    [{ role: 'admin' }, true],
    [{ role: 'admin', enabled: false }, true],
  ] as const) {
    const session = await enter(server, 'dani@example.com').then((by) =>
      by.status === 200 ? by : enter(server, 'dani'),
    )
    assert.equal(session.status, 200)
    assert.equal((await save(superadmin.token, { ...dani, ...change })).status, 200)
    assert.equal(await works(session.token), !ends, JSON.stringify(change))
  }
  assert.equal((await enter(server, 'dani@example.com')).status, 401)
})
