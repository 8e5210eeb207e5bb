import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { login } from '@sdd/contract/accounts/auth.ts'
import * as devices from '@sdd/contract/fleet/devices.ts'
import { saveUser } from '@sdd/contract/accounts/users.ts'
import { pino } from 'pino'
import { proveSession } from '#server/accounts/auth/proof.ts'
import { openHashing } from '#server/accounts/passwords/hashing.ts'
import { openPasswords, PASSWORD_COST, type PasswordCost } from '#server/accounts/passwords/passwords.ts'
import { startApp } from '#server/app/app.ts'
import { readConfig } from '#server/core/config.ts'
import { linkDevice } from '#server/fleet/linking/linking.ts'
import { openHook } from '#server/fleet/transport/broker-hook.ts'
import { say } from './asking.ts'
import { MINUTE, testClock } from './clock.ts'
import { withTables } from './engine.ts'
import { openWorld, SUPERADMIN } from './model/world.ts'
import { enter, newUser, PASSWORD } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

async function begin(t: TestContext, needs: { passwordCost?: PasswordCost } = {}) {
  const clock = testClock('2026-06-01T10:00:00Z')
  const server = await startServer({ clock, ...needs })
  t.after(() => server.stop())
  const { token } = await enter(server, ADMIN.username, ADMIN.password)
  return { clock, server, token }
}

function tryLogin(server: Pick<TestServer, 'url'>, username: string, password: string, headers = {}) {
  return say(server, login, { body: { username, password } }, undefined, headers)
}

/** The number of Argon2 hashes that this process computes during `work`. */
async function hashesOf(work: () => Promise<unknown>): Promise<number> {
  let count = 0
  const hook = createHook({ init: (_id, type) => void (type === 'ARGON2REQUEST' && count++) }).enable()
  await work()
  hook.disable()
  return count
}

test('unknown, wrong and disabled give the same answer, byte for byte, after one hash each', async (t) => {
  const { clock, server, token } = await begin(t, { passwordCost: PASSWORD_COST })
  const known = await newUser(server, token)
  const off = await newUser(server, token)
  const { id, name, email } = off
  await call(server, saveUser, { token, body: { id, name, email, role: 'user', enabled: false } })
  const kinds: Record<string, [name: string, password: string]> = {
    'an unknown name': ['nobody at all', PASSWORD],
    'an unknown e-mail': ['nobody@example.com', PASSWORD],
    'a wrong password': [known.name, 'wrong'],
    'a wrong password for an e-mail': [known.email, 'wrong'],
    'a disabled user': [off.name, PASSWORD],
    'a disabled user, wrong password': [off.name, 'wrong'],
  }
  const took: Record<string, number[]> = {}
  const answers = new Set<string>()
  for (let round = 0; round < 6; round++) {
    for (const [kind, [username, password]] of Object.entries(kinds)) {
      const began = performance.now()
      const hashes = await hashesOf(async () => {
        const { text } = await tryLogin(server, username, password)
        answers.add(text.replace(/^date: .*$/m, ''))
      })
      ;(took[kind] ??= []).push(performance.now() - began)
      assert.equal(hashes, 1, kind)
    }
    clock.advance(16 * MINUTE)
  }
  assert.equal(answers.size, 1, [...answers].join('\n'))
  assert.match([...answers][0]!, /^401 .*Usuario o contraseña incorrectos/s)
  const leasts = Object.entries(took).map(([kind, each]) => {
    const [least, , , median] = each.sort((a, b) => a - b) as [number, number, number, number]
    t.diagnostic(`${kind}: least ${least.toFixed(1)} ms, median ${median.toFixed(1)} ms`)
    return least
  })
  // A generous bound: the count above matters, and a busy machine must not fail the test.
  assert.ok(Math.max(...leasts) < 5 * Math.min(...leasts), leasts.join(', '))
})

test('a locked name gives the same answer whether it exists or not, and costs no hash', async (t) => {
  const { server, token } = await begin(t)
  const known = await newUser(server, token)
  const off = await newUser(server, token)
  const { id, name, email } = off
  await call(server, saveUser, { token, body: { id, name, email, role: 'user', enabled: false } })
  const answers = new Set<string>()
  for (const username of [known.name, off.email, 'nobody']) {
    for (let n = 0; n < 10; n++) assert.equal((await tryLogin(server, username, 'wrong')).status, 401)
    const hashes = await hashesOf(async () => {
      const { text } = await tryLogin(server, username, PASSWORD)
      answers.add(text.replace(/^date: .*$/m, ''))
    })
    assert.equal(hashes, 0)
  }
  assert.equal(answers.size, 1, [...answers].join('\n'))
  assert.match([...answers][0]!, /^429 /)
})

test('the counted address is that of the connection, whatever a header says', async (t) => {
  const { server } = await begin(t)
  const from = (n: number) => ({
    'x-forwarded-for': `10.0.0.${n}`,
    forwarded: `for=10.0.0.${n}`,
    'x-real-ip': `10.0.0.${n}`,
  })
  for (let n = 0; n < 50; n++) assert.equal((await tryLogin(server, `guess ${n}`, 'x', from(n))).status, 401)
  assert.equal((await tryLogin(server, 'guess 51', 'x', from(51))).status, 429)
})

test('twenty wrong link codes lock the address for every code, and logging in still works', async (t) => {
  const { clock, server, token } = await begin(t)
  const code = (await call(server, devices.createLinkCode, { token, body: {} })).body.code
  const link = (given: string) => call(server, devices.linkDevice, { body: { code: given } })
  for (let n = 0; n < 20; n++) assert.equal((await link(`AAAAA-AAA${n}`)).status, 403)
  for (const given of ['BBBBB-BBBBB', code]) assert.equal((await link(given)).status, 429)
  assert.equal((await enter(server, ADMIN.username, ADMIN.password)).status, 200)
  clock.advance(16 * MINUTE)
  assert.equal((await link('BBBBB-BBBBB')).status, 403)
})

test('throttled link codes, proofs and secrets of a broker cost no write, and their refusals are paced', async (t) => {
  const world = await openWorld(testClock('2026-06-01T10:00:00Z'), () => {})
  t.after(() => world.close())
  let [writes, paced] = [0, 0]
  const write: typeof world.db.write = (...given) => (writes++, world.db.write(...given))
  const needs = {
    ...world.needs,
    db: { ...world.db, write },
    hashing: { ...openHashing(), pace: async () => void paced++ },
    passwords: openPasswords({ memory: 8, passes: 1, parallelism: 1 }),
  }
  const settings = { MQTT_URL: 'mqtt://us:them@localhost', MQTT_AUTH: 'hook', MQTT_HOOK_SECRET: 'x' } as const
  const hook = openHook(needs, settings)
  const client = { secret: 'guessed', clientid: 'd1', username: 'd1', password: 'x' }
  for (const [most, act] of [
    [20, () => linkDevice(needs, { code: 'AAAAA-AAAAA' }, '192.0.2.1')],
    [10, () => proveSession(needs, SUPERADMIN, { code: '123456' }, '192.0.2.1')],
    [20, () => hook.authenticate(client, '192.0.2.1')],
  ] as const) {
    for (let n = 0; n < most; n++)
      await assert.rejects(act(), ({ code }) => code !== 'too_many_attempts' && code !== undefined)
    ;[writes, paced] = [0, 0]
    for (let n = 0; n < 3; n++) await assert.rejects(act(), { code: 'too_many_attempts' })
    assert.deepEqual([writes, paced], [0, 3])
  }
})

test('a typed name is not stored as typed, since it may be a password', async (t) => {
  const { server } = await begin(t)
  await tryLogin(server, 'My Secret Password 1', 'x')
  const rows = await withTables(server, ({ all }) => all('select subject from failures'))
  assert.equal(rows.length, 2)
  assert.doesNotMatch(JSON.stringify(rows), /secret password/i)
})

test('only the generated password of the first start opens a new installation', async (t) => {
  const made = new Set<string>()
  for (let n = 0; n < 2; n++) {
    const folder = mkdtempSync(join(tmpdir(), 'sdd-first-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const config = readConfig({ PORT: '0', MQTT_PORT: 'off', DATA_DIR: folder }, folder)
    const start = () => startApp({ config, log: pino({ level: 'silent' }), passwordCost: PASSWORD_COST })
    const app = await start()
    const { username, password } = app.firstUser!
    // 96 bits.
    assert.match(password!, /^[\w-]{16}$/)
    made.add(password!)
    for (const guess of [
      'superadmin',
      'admin',
      'password',
      'changeme',
      '123456',
      ADMIN.password,
      ' ',
      'null',
    ])
      assert.equal((await tryLogin(app, username, guess)).status, 401, guess)
    assert.equal((await tryLogin(app, 'admin', 'admin')).status, 401)
    assert.equal((await tryLogin(app, username, password!)).status, 200)
    await app.stop()
    const again = await start()
    assert.equal(again.firstUser, undefined)
    await again.stop()
  }
  assert.equal(made.size, 2)
})
