import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { createApiKey, NewApiKey, revokeApiKey } from '@sdd/contract/accounts/api-keys.ts'
import { logout, proveSession } from '@sdd/contract/accounts/auth.ts'
import * as devices from '@sdd/contract/fleet/devices.ts'
import { createTasks, listTasks } from '@sdd/contract/tasks/tasks.ts'
import { listUsers, saveUser } from '@sdd/contract/accounts/users.ts'
import * as keys from '#server/accounts/api-keys/api-keys.ts'
import { openPasswords } from '#server/accounts/passwords/passwords.ts'
import * as saving from '#server/accounts/user-editing/saving.ts'
import { createWebhook } from '#server/outward/callbacks/webhooks.ts'
import { instant } from '#server/core/clock.ts'
import { connectBrowser } from './browser.ts'
import { testClock } from './clock.ts'
import { connectDevice, eventually, linkTestDevice } from './device.ts'
import { openWorld, SUPERADMIN } from './model/world.ts'
import { enter, newUser, PASSWORD, someone } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'
import { hear } from './sockets.ts'

/** Access that is taken away ends at once over HTTP, and within 5 s on live connections. */

const LIVE_MS = 5_000

let server: TestServer
let superadmin: string
let admin: string

before(async () => {
  server = await startServer()
  superadmin = (await enter(server, ADMIN.username, ADMIN.password)).token
  admin = (await newUser(server, superadmin, { role: 'admin', companyId: 2 })).token
})
after(() => server.stop())

const works = async (token: string) => (await call(server, listUsers, { token })).status === 200

type Person = Awaited<ReturnType<typeof newUser>>

function save(by: string, { id, name, email, role }: Person, change: Record<string, unknown>) {
  return call(server, saveUser, { token: by, body: { id, name, email, role, ...change } })
}

const within5s = (ended: Promise<unknown>) =>
  Promise.race([
    ended,
    once(AbortSignal.timeout(LIVE_MS), 'abort').then(() => assert.fail('still connected')),
  ])

/** Every field of a user, and whether a change of it ends the sessions. */
const changes: [
  name: string,
  change: Record<string, unknown>,
  by: ('superadmin' | 'admin')[],
  ends: boolean,
][] = [
  ['the role raised', { role: 'admin' }, ['superadmin', 'admin'], true],
  ['the role raised to the highest', { role: 'superadmin' }, ['superadmin'], true],
  ['another company', { companyId: 3 }, ['superadmin'], true],
  ['a new password', { password: 'another password 1' }, ['superadmin', 'admin'], true],
  ['the same password again', { password: PASSWORD }, ['superadmin', 'admin'], true],
  ['disabled', { enabled: false }, ['superadmin', 'admin'], true],
  ['another name', { name: 'somebody renamed' }, ['superadmin', 'admin'], false],
  ['another e-mail', { email: 'renamed@example.com' }, ['superadmin', 'admin'], false],
  ['nothing at all', {}, ['superadmin', 'admin'], false],
]

for (const [what, change, who, ends] of changes) {
  for (const by of who) {
    test(`${what}, by the ${by}: ${ends ? 'every session and live connection ends' : 'nothing ends'}`, async () => {
      const unique = Object.fromEntries(
        Object.entries(change).map(([field, value]) => [
          field,
          field === 'name' || field === 'email' ? `${by}.${String(value)}` : value,
        ]),
      )
      const user = await newUser(server, superadmin, { companyId: 2 })
      const second = (await enter(server, user.name)).token
      const browsers = await Promise.all(
        [user.token, second, admin].map((token) => connectBrowser(server, token)),
      )
      const [first, other, bystander] = browsers
      const saved = await save({ superadmin, admin }[by], user, unique)
      assert.equal(saved.status, 200, JSON.stringify(saved.body))
      for (const token of [user.token, second]) assert.equal(await works(token), !ends)
      if (ends) await within5s(Promise.all([first!.ended, other!.ended]))
      for (const { client } of ends ? [bystander!] : browsers) assert.ok(client.connected)
      await Promise.all(browsers.map((browser) => browser.stop()))
    })
  }
}

test('after users lower their own role, the live connection is cut and returns with the new role only', async () => {
  const user = await newUser(server, superadmin, { role: 'admin', companyId: 2 })
  const browser = await connectBrowser(server, user.token)
  assert.equal((await save(user.token, user, { role: 'user' })).status, 200)
  await within5s(browser.ended)
  assert.ok(await works(user.token), "the user's own session continues with fewer rights")
  const { status } = await call(server, devices.createLinkCode, { token: user.token, body: {} })
  assert.equal(status, 403)
  await (await connectBrowser(server, user.token)).stop()
})

test('a superadmin who moves to another company gets the live events of the new scope at once', async () => {
  const second = await newUser(server, superadmin, { role: 'superadmin' })
  const browser = await connectBrowser(server, second.token)
  assert.equal((await save(second.token, second, { role: 'user', companyId: 3 })).status, 200)
  await within5s(browser.ended)
  const again = await connectBrowser(server, second.token)
  const device = await connectDevice(await linkTestDevice(server, admin, 'heard-by-company-2'))
  await device.stop()
  const hers = await newUser(server, superadmin, { role: 'admin', companyId: 3 })
  await linkTestDevice(server, hers.token, 'heard-by-company-3')
  await eventually(() => again.changes.length > 0)
  assert.deepEqual(again.statuses, [])
  await again.stop()
})

test('a logout ends the live connection of that session', async () => {
  const user = await newUser(server, superadmin)
  const browser = await connectBrowser(server, user.token)
  await call(server, logout, { token: user.token })
  assert.ok(!(await works(user.token)))
  await within5s(browser.ended)
})

test('a connection that opens while its user is disabled does not last', async () => {
  for (let round = 0; round < 5; round++) {
    const user = await newUser(server, superadmin)
    const opening = Array.from({ length: 4 }, () => connectBrowser(server, user.token).catch(() => undefined))
    await save(superadmin, user, { enabled: false })
    const opened = await Promise.all(opening)
    await within5s(Promise.all(opened.flatMap((browser) => browser?.ended ?? [])))
  }
})

test('a request whose body arrives after its user was disabled is refused', async (t) => {
  for (const [route, content] of [
    [createApiKey, { name: 'late' }],
    [saveUser, someone({ role: 'admin' })],
  ] as const) {
    const user = await newUser(server, superadmin, { role: 'admin', companyId: 2 })
    const { token } = user
    assert.equal((await call(server, proveSession, { token, body: { password: PASSWORD } })).status, 204)
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    t.after(() => socket.destroy())
    const heard = hear(socket)
    const body = JSON.stringify(content)
    const headers = [
      `POST ${route.path} HTTP/1.1`,
      'Host: localhost',
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Expect: 100-continue',
      'Connection: close',
    ]
    socket.write(`${headers.join('\r\n')}\r\n\r\n`)
    // The server asks for the body once it has admitted the caller.
    assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 100 /)
    await save(superadmin, user, { enabled: false })
    socket.write(body)
    assert.match(await heard, /HTTP\/1\.1 401 /)
  }
})

test('a call that waits while its admin is disabled leaves no user, API key or webhook behind', async (t) => {
  const clock = testClock('2026-06-10T08:00:00.000Z')
  const world = await openWorld(clock, () => {})
  t.after(() => world.close())
  const admin = { ...SUPERADMIN, user_id: 2, name: 'ana', role: 'admin', scope: { company_id: 1 } } as const
  const caller = { ...admin, proved_at: instant(clock.now()) }
  const enable = (enabled: 0 | 1) => world.db.write((tx) => tx.update('users', { id: 2 }, { enabled }))
  await world.db.write((tx) => {
    const known = { name_key: 'ana', email: 'ana', email_key: 'ana', password_hash: '', created_at: '' }
    return tx.put('users', { id: 2 }, { companyId: 1, name: 'ana', role: 'admin', enabled: 1, ...known })
  })
  const disabled = async <T>(work: () => Promise<T>) => {
    await enable(0)
    return work()
  }
  const needs = {
    ...world.needs,
    passwords: openPasswords({ memory: 8, passes: 1, parallelism: 1 }),
    hashing: {
      inTurn: <T>(_: unknown, work: () => Promise<T>) => disabled(work),
      isTried: () => false,
      pace: async () => {},
    },
    broker: { disconnectBrowsers() {} },
    addresses: {
      unlisted: () => undefined,
      of: () => assert.fail('not called'),
      inTurn: () => disabled(async () => ({ addresses: ['192.0.2.1'] })),
    },
  }
  for (const act of [
    () => saving.saveUser(needs, caller, someone({ role: 'admin' as const })),
    () => keys.createApiKey(needs, caller, NewApiKey.parse({ name: 'late', smpp: true })),
    () => createWebhook(needs, caller, { url: 'https://hooks.example/', types: ['task.sent'] }),
  ]) {
    await enable(1)
    await assert.rejects(act(), { code: 'forbidden', params: { reason: 'access_changed' } })
  }
})

test('a revoked API key stops working once the answer is sent, however many calls are under way', async () => {
  const { id, key } = (await call(server, createApiKey, { token: superadmin, body: { name: 'busy' } })).body
  let revoked = false
  const late: number[] = []
  const busy = Array.from({ length: 4 }, async () => {
    for (let n = 0; n < 12 || !revoked; n++) {
      const before = revoked
      const { status } = await call(server, createTasks, {
        token: key,
        body: { to_number: '+34600111222', text: 'hola', from_number: '+34699999999' },
      })
      assert.ok(status === 202 || status === 401, `${status}`)
      if (before) late.push(status)
    }
    late.push((await call(server, listTasks, { token: key })).status)
  })
  await call(server, revokeApiKey, { token: superadmin, params: { id } })
  revoked = true
  await Promise.all(busy)
  assert.deepEqual(new Set(late), new Set([401]))
})

test('a device that is unlinked or gets a new secret is cut off and cannot return with the old one', async () => {
  for (const end of [devices.unlinkDevice, devices.renewSecret]) {
    const account = await linkTestDevice(server, admin, `cut-${end.method}`)
    const device = await connectDevice(account)
    await call(server, end, { token: admin, params: { uid: account.uid } })
    await within5s(device.ended)
    await assert.rejects(connectDevice(account), /Bad username or password/)
  }
})
