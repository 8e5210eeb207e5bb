import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import * as auth from '@sdd/contract/accounts/auth.ts'
import * as factor from '@sdd/contract/accounts/second-factor.ts'
import { listUsers } from '@sdd/contract/accounts/users.ts'
import { appCode } from '#test/authenticator.ts'
import { connectBrowser } from '#test/browser.ts'
import { eventually } from '#test/device.ts'
import { newDatabase } from '#test/engine.ts'
import { enter, newUser, PASSWORD } from '#test/seeds.ts'
import { ADMIN, call, startServer, type TestServer } from '#test/server.ts'

/** Three servers over one empty PostgreSQL, all started at once. */
let servers: TestServer[]
let folder: string
let token: string

before(async () => {
  const settings = { DATABASE_URL: await newDatabase() }
  folder = mkdtempSync(join(tmpdir(), 'sdd-servers-'))
  servers = await Promise.all([1, 2, 3].map(() => startServer({ folder, settings })))
  ;({ token } = await enter(servers[0]!, ADMIN.username, ADMIN.password))
})
after(async () => {
  for (const server of servers) await server.stop()
  rmSync(folder, { recursive: true })
})

/** Sends each of these bodies to each server at once. Returns how many answers had each status. */
async function logInEverywhere(bodies: readonly Record<string, string>[]): Promise<Record<number, number>> {
  const answers = bodies.flatMap((body) => servers.map((server) => call(server, auth.login, { body })))
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  return Object.fromEntries(
    [...Map.groupBy(statuses, (status) => status)].map(([status, its]) => [status, its.length]),
  )
}

test('servers that start at once on an empty database create a single first user', async () => {
  assert.equal(servers.filter(({ firstUser }) => firstUser !== undefined).length, 1)
  const { body } = await call(servers[2]!, listUsers, { token })
  assert.deepEqual(
    body.users.map(({ name }) => name),
    [ADMIN.username],
  )
})

test('wrong passwords for one name count together, however many servers get them at once', async () => {
  const wrong = Array.from({ length: 8 }, () => ({ username: 'somebody', password: 'wrong' }))
  assert.deepEqual(await logInEverywhere(wrong), { 401: 10, 429: 14 })
})

test('right passwords at several servers at once do not lock each other out', async () => {
  const { name } = await newUser(servers[0]!, token)
  const right = Array.from({ length: 8 }, () => ({ username: name, password: PASSWORD }))
  assert.deepEqual(await logInEverywhere(right), { 200: 24 })
})

test('a code of the app or a recovery code works for one login at one server', async () => {
  const person = await newUser(servers[0]!, token)
  const { body: enrolment } = await call(servers[0]!, factor.enrolSecondFactor, {
    token: person.token,
    body: { password: PASSWORD },
  })
  const now = Date.now()
  const { body: confirmed } = await call(servers[1]!, factor.confirmSecondFactor, {
    token: person.token,
    body: { code: appCode(enrolment.secret, now) },
  })
  const [recovery] = confirmed.recovery_codes
  // The next code, as another half minute may begin in between.
  for (const code of [appCode(enrolment.secret, now, 1), recovery!]) {
    const body = { username: person.name, password: PASSWORD, code }
    assert.deepEqual(await logInEverywhere([body]), { 200: 1, 401: 2 }, code)
  }
})

test('a user who changes their password at one server keeps their live connection at another, and their other sessions lose theirs', async () => {
  const person = await newUser(servers[0]!, token)
  const others = await Promise.all(servers.map((server) => enter(server, person.name)))
  const own = await connectBrowser(servers[1]!, person.token)
  const live = await Promise.all(others.map(({ token }, at) => connectBrowser(servers[at]!, token)))
  let cut = false
  void own.ended.then(() => (cut = true))
  const body = { password: PASSWORD, new_password: 'another password' }
  const answer = await call(servers[0]!, auth.changePassword, { token: person.token, body })
  assert.equal(answer.status, 204)
  // By the time the second server has ended one connection, it has checked the user's own connection too.
  await Promise.all(live.map(({ ended }) => ended))
  const heard = own.changes.length
  await newUser(servers[2]!, token)
  await eventually(() => own.changes.length > heard)
  assert.equal(cut, false)
  await own.stop()
})
