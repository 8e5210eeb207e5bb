import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as users from '@sdd/contract/accounts/users.ts'
import { proveIt } from './proving.ts'
import { enter, newUser, PASSWORD, someone } from './seeds.ts'
import { ADMIN, call, callOnce, startServer, type TestServer } from './server.ts'

let server: TestServer
let superadmin: { token: string; id: number }
let admin: { token: string; id: number }
let user: { token: string; id: number }

function save(token: string, change: Record<string, unknown>) {
  return call(server, users.saveUser, { token, body: change })
}

before(async () => {
  server = await startServer()
  superadmin = await enter(server, ADMIN.username, ADMIN.password)
  admin = await newUser(server, superadmin.token, { name: 'Ana', role: 'admin' })
  user = await newUser(server, superadmin.token, { name: 'Uli' })
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
  })
  assert.equal((await enter(server, 'bea')).id, created.body.id)
  assert.equal((await enter(server, 'BEA@example.com')).id, created.body.id)
})

test('what is wrong with a user is said by field, and nothing is stored', async () => {
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

test('a name or e-mail that leads to another user is taken, in any case and crosswise', async () => {
  await save(superadmin.token, someone({ name: 'Carla', email: 'carla@example.com' }))
  for (const [change, code] of [
    [{ name: 'CARLA' }, 'name_taken'],
    [{ email: 'CARLA@example.com' }, 'email_taken'],
    [{ name: 'carla@example.com' }, 'name_taken'],
  ] as const) {
    const { status, body } = await save(superadmin.token, someone(change))
    assert.deepEqual([status, body.code], [409, code])
  }
  const own = someone({ name: 'both@example.com', email: 'both@example.com' })
  assert.equal((await save(superadmin.token, own)).status, 201)
})

test('nobody grants a role above their own, and an admin does not touch a superadmin', async () => {
  assert.equal((await save(user.token, someone())).status, 403)
  assert.equal((await save(admin.token, someone({ role: 'superadmin' }))).status, 403)
  assert.equal((await save(admin.token, someone({ role: 'admin' }))).status, 201)
  const boss = { id: superadmin.id, name: 'superadmin', email: 'a@b', role: 'user' }
  assert.equal((await save(admin.token, boss)).status, 403)
  const self = { id: admin.id, name: 'Ana', email: 'ana@example.com', role: 'superadmin' }
  assert.equal((await save(admin.token, self)).status, 403)
})

test('who is refused hears why: the user is out of reach, or the role is', async () => {
  for (const role of ['user', 'superadmin']) {
    const boss = { id: superadmin.id, name: 'superadmin', email: 'a@b', role }
    const { body } = await save(admin.token, boss)
    assert.equal(body.detail, 'superadmin is a superadmin: only a superadmin may change that user.', role)
  }
  const self = { id: admin.id, name: 'Ana', email: 'ana@example.com', role: 'superadmin' }
  for (const change of [self, someone({ role: 'superadmin' })]) {
    const { body } = await save(admin.token, change)
    assert.equal(body.detail, 'An admin cannot make anybody superadmin. Ask a superadmin.')
  }
})

test('the last enabled superadmin is neither demoted nor disabled', async () => {
  const boss = { id: superadmin.id, name: 'superadmin', email: 'boss@example.com' }
  assert.equal((await save(superadmin.token, { ...boss, role: 'admin' })).body.code, 'last_superadmin')
  const off = await save(superadmin.token, { ...boss, role: 'superadmin', enabled: false })
  assert.deepEqual([off.status, off.body.code], [409, 'last_superadmin'])
  const second = await save(superadmin.token, someone({ role: 'superadmin', enabled: false }))
  assert.equal((await save(superadmin.token, { ...boss, role: 'admin' })).body.code, 'last_superadmin')
  const { name, email } = someone()
  const enabled = { id: second.body.id, name, email, role: 'superadmin', enabled: true }
  assert.equal((await save(superadmin.token, enabled)).status, 200)
  assert.equal((await save(superadmin.token, { ...boss, role: 'superadmin' })).status, 200)
})

test('a superadmin makes a company by naming it, and its admin sees nothing of the others', async () => {
  const olga = await newUser(server, superadmin.token, { name: 'Olga', role: 'admin', companyId: 7 })
  const { body } = await call(server, users.listUsers, { token: olga.token })
  assert.deepEqual(
    body.users.map(({ name, companyId }) => [name, companyId]),
    [['Olga', 7]],
  )
  const foreign = { ...someone(), id: admin.id }
  assert.deepEqual([(await save(olga.token, foreign)).status], [404])
  assert.equal(
    (await call(server, users.readUser, { token: olga.token, params: { id: admin.id } })).status,
    404,
  )
  assert.equal((await save(olga.token, someone({ companyId: 1 }))).status, 403)
  assert.equal((await save(olga.token, someone({ companyId: 7 }))).status, 201)
})

test('a changed password, role or enabled ends the user’s other sessions, and a changed name does not', async () => {
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

test('a user’s own password is not changed here, whatever was proved, and the rest of the own user is', async () => {
  const { id } = await newUser(server, superadmin.token, { name: 'Eva', role: 'admin' })
  const eva = await enter(server, 'eva')
  const self = { id, name: 'Eva', email: 'eva@example.com', role: 'admin' }
  const change = () =>
    callOnce(server, users.saveUser, {
      token: eva.token,
      body: { ...self, password: 'another one 456' },
    })
  for (const proved of [false, true]) {
    if (proved) assert.ok(await proveIt(server, eva.token))
    const { status, body } = await change()
    assert.deepEqual([status, body.code, Object.keys(body.fields!)], [422, 'invalid', ['password']])
    assert.match(body.fields!.password!, /POST \/api\/password/)
  }
  assert.equal((await enter(server, 'eva')).status, 200)
  assert.equal((await save(eva.token, { ...self, name: 'Eva Gil' })).status, 200)
})
