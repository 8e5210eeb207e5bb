import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import * as auth from '@sdd/contract/accounts/auth.ts'
import * as devices from '@sdd/contract/fleet/devices.ts'
import { openDatabase } from '../packages/server/src/database/open.ts'
import { connectBrowser } from '../packages/server/test/browser.ts'
import { connectDevice } from '../packages/server/test/device.ts'
import { enter } from '../packages/server/test/seeds.ts'
import { call } from '../packages/server/test/server.ts'
import { freePort } from '../scripts/free-port.ts'
import { newSettings, PASSWORD, runToEnd, startProcess } from './server-process.ts'

const TLS = join(import.meta.dirname, '../packages/server/test/fixtures')

const home = mkdtempSync(join(tmpdir(), 'sdd-start-'))
after(() => rmSync(home, { recursive: true }))

/** The start ends with status 1 and one line that begins with the variable's name; returns the line. */
async function refused(variable: string, given: Record<string, string>): Promise<string> {
  const { status, stdout, stderr } = await runToEnd(given, { cwd: home })
  assert.equal(status, 1, stdout + stderr)
  assert.match(stderr, new RegExp(`^${variable}: [^\n]+\n$`))
  assert.equal(stdout, '')
  return stderr
}

async function takenPort(t: { after(end: () => void): void }): Promise<string> {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.after(() => other.close())
  return String((other.address() as { port: number }).port)
}

test('--help prints every setting, and needs no database', async () => {
  const cwd = join(home, 'help')
  mkdirSync(cwd)
  const { status, stdout, stderr } = await runToEnd({ PORT: 'nonsense' }, { args: ['--help'], cwd })
  assert.deepEqual([status, stderr], [0, ''])
  for (const name of ['HOST', 'PORT', 'MQTT_PORT', 'DATA_DIR', 'DATABASE_URL', 'MQTT_URL', 'ADMIN_USERNAME'])
    assert.match(stdout, new RegExp(`^ +${name} +\\S+ +\\S`, 'm'))
  for (const name of ['ADMIN_PASSWORD', 'TLS_CERT_FILE', 'TLS_KEY_FILE', 'MQTTS_PORT', 'LOG_LEVEL', 'TZ'])
    assert.match(stdout, new RegExp(`^ +${name} +\\S+ +\\S`, 'm'))
  assert.deepEqual(readdirSync(cwd), [])
})

test('an unusable setting ends the start with one line that names it', async () => {
  const cert = join(TLS, 'localhost-cert.pem')
  const unusable: [string, Record<string, string>][] = [
    ['PORT', { PORT: 'http' }],
    ['HOST', { HOST: '203.0.113.7' }],
    ['DATABASE_URL', { DATABASE_URL: 'postgres://sdd:a-secret@127.0.0.1/sdd' }],
    ['ADMIN_PASSWORD', { ADMIN_PASSWORD: 'a-secret' }],
    ['TLS_KEY_FILE', { TLS_CERT_FILE: cert, TLS_KEY_FILE: cert }],
  ]
  // Each with its own folder: some faults are found only once the database is open.
  const lines = unusable.map(async ([variable, more]) =>
    refused(variable, { ...(await newSettings(home)), ...more }),
  )
  for (const line of await Promise.all(lines)) assert.doesNotMatch(line, /a-secret/)
})

test('a taken port ends the start, is named, and leaves nothing listening', async (t) => {
  const given = await newSettings(home)
  const taken = await takenPort(t)
  assert.match(await refused('PORT', { ...given, PORT: taken }), new RegExp(taken))
  assert.match(await refused('MQTT_PORT', { ...given, MQTT_PORT: taken }), new RegExp(taken))
  const both = {
    TLS_CERT_FILE: join(TLS, 'localhost-cert.pem'),
    TLS_KEY_FILE: join(TLS, 'localhost-key.pem'),
  }
  assert.match(await refused('MQTTS_PORT', { ...given, ...both, MQTTS_PORT: taken }), new RegExp(taken))
})

test('an unusable data folder ends the start and is named', async () => {
  const given = await newSettings(home)
  await (await openDatabase({ folder: given.DATA_DIR })).close()
  const database = join(given.DATA_DIR, 'sms-drone-dash.db')
  assert.ok(existsSync(database))
  rmSync(database)
  assert.match(await refused('DATA_DIR', given), /missing.*restore a backup/)
  assert.ok(!existsSync(database), 'no folder is created instead')
})

test('a second server on the same data folder refuses to start, and the first continues', async () => {
  const given = await newSettings(home)
  const first = await startProcess(given)
  const second = { ...given, PORT: await freePort(), MQTT_PORT: await freePort() }
  assert.match(await refused('DATA_DIR', second), /in use by another server/)
  assert.equal((await fetch(`${first.url}/readyz`)).status, 200)
  await first.kill()
  const third = await startProcess(second)
  assert.equal(await third.stop(), 0, 'a killed server leaves no lock behind')
})

test('a generated password is printed once, works, and is not printed again', async (t) => {
  const given = await newSettings(home, { ADMIN_PASSWORD: '', ADMIN_USERNAME: 'Jefa', LOG_LEVEL: 'error' })
  // The first start fails late; it must not use up the only printing of the password.
  await refused('PORT', { ...given, PORT: await takenPort(t) })
  const first = await startProcess(given)
  const [, password] = /first superadmin is Jefa, with the password (\S+)/.exec(first.output()) ?? []
  assert.ok(password && password.length >= 10, first.output())
  assert.equal((await enter(first, 'jefa', password)).status, 200)
  assert.equal(await first.stop(), 0)
  const second = await startProcess(given)
  assert.equal((await enter(second, 'jefa', password)).status, 200)
  assert.equal(await second.stop('SIGINT'), 0)
  assert.equal(first.output().split(password).length, 2, 'printed once')
  assert.ok(!second.output().includes(password))
})

test('the server says when it is ready and where the console is', async () => {
  const server = await startProcess(await newSettings(home))
  for (const [path, type] of [
    ['/readyz', 'application/json'],
    ['/healthz', 'application/json'],
    ['/metrics', 'text/plain'],
  ]) {
    const answer = await fetch(server.url + path)
    assert.deepEqual([answer.status, answer.headers.get('content-type')!.split(';')[0]], [200, type])
  }
  const where = server
    .output()
    .split('\n')
    .filter((line) => line.includes(server.url))
  assert.equal(where.length, 1)
  assert.equal(await server.stop('SIGINT'), 0)
  await assert.rejects(fetch(`${server.url}/readyz`))
})

test('a server that other machines can reach without TLS warns in one line, and one on loopback does not', async () => {
  const warnings = async (HOST: string) => {
    const server = await startProcess(await newSettings(home, { HOST }))
    await server.stop()
    const lines = server.output().trim().split('\n')
    return lines.map((line) => JSON.parse(line) as { level: string; msg: string }).filter(isWarning)
  }
  const isWarning = ({ level }: { level: string }) => level === 'warn'
  const [[warning, ...others], onLoopback] = await Promise.all([warnings('0.0.0.0'), warnings('localhost')])
  assert.match(warning!.msg, /passwords and the devices' secrets go over the network in the clear/)
  assert.deepEqual([others, onLoopback], [[], []])
})

test('the log is JSON, one object per line, without secrets at its finest level', async () => {
  const given = await newSettings(home, { LOG_LEVEL: 'trace' })
  const server = await startProcess(given)
  const { token } = await enter(server, 'superadmin', PASSWORD)
  const mistyped = 'superadmin-mistyped-password'
  await enter(server, 'superadmin', mistyped)
  const { body: code } = await call(server, devices.createLinkCode, { token, body: { uses: 2 } })
  const { body: account } = await call(server, devices.linkDevice, {
    body: { code: code.code, uid: 'drone-1' },
  })
  await call(server, devices.linkDevice, { body: { code: 'WRONG-CODE9' } })
  await (await connectDevice(account)).stop()
  await assert.rejects(connectDevice({ ...account, secret: 'wrong-device-secret' }))
  await (await connectBrowser(server, token)).stop()
  await call(server, devices.listDevices, { token: 'sds_wrong-token', query: { token } })
  await call(server, auth.login, { body: { username: mistyped, password: '' } })
  const { body: renewed } = await call(server, devices.renewSecret, { token, params: { uid: 'drone-1' } })
  assert.equal(await server.stop(), 0)

  const lines = server.output().trimEnd().split('\n')
  assert.ok(lines.length > 10, 'there is a log to look at')
  for (const line of lines) {
    const { time, level, msg } = JSON.parse(line) as Record<string, string>
    assert.match(time!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.deepEqual([typeof level, typeof msg], ['string', 'string'], line)
  }
  const secrets = {
    token,
    PASSWORD,
    mistyped,
    code: code.code,
    secret: account.secret,
    renewed: renewed.secret,
  }
  for (const [name, secret] of Object.entries({
    ...secrets,
    wrong: 'wrong-device-secret',
    bad: 'sds_wrong-token',
    c: 'WRONG-CODE9',
  }))
    assert.ok(!server.output().includes(secret), `${name} is in the log`)
})
