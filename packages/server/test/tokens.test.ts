import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { createApiKey } from '@sdd/contract/accounts/api-keys.ts'
import * as devices from '@sdd/contract/fleet/devices.ts'
import { listTasks } from '@sdd/contract/tasks/tasks.ts'
import { connectAsync, type IClientOptions } from 'mqtt'
import { connectBrowser } from './browser.ts'
import { HOUR, testClock, type TestClock } from './clock.ts'
import { linkTestDevice } from './device.ts'
import { withTables } from './engine.ts'
import { enter, newUser } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

/** Credentials that almost match a session or a key, over HTTP, WebSocket and MQTT. */

let server: TestServer
let clock: TestClock
let session: string
let key: string
let device: devices.LinkedDevice

before(async () => {
  clock = testClock(new Date().toISOString())
  server = await startServer({ clock })
  session = (await enter(server, ADMIN.username, ADMIN.password)).token
  key = (await call(server, createApiKey, { token: session, body: { name: 'shop' } })).body.key
  device = await linkTestDevice(server, session, 'drone')
})
after(() => server.stop())

/** Variants of a secret that an attacker could try: almost complete, or aimed at a careless parser. */
function nearly(secret: string): Record<string, string> {
  const [prefix, random] = [secret.slice(0, 4), secret.slice(4)]
  const last = random.at(-1) === 'A' ? 'B' : 'A'
  return {
    empty: '',
    'the prefix alone': prefix,
    'without its prefix': random,
    'one character short': secret.slice(0, -1),
    'without its first character': secret.slice(1),
    'one character long': `${secret}A`,
    'another last character': secret.slice(0, -1) + last,
    'another first character': prefix + (random[0] === 'A' ? 'B' : 'A') + random.slice(1),
    'a prefix in capitals': prefix.toUpperCase() + random,
    'in capitals': prefix + random.toUpperCase(),
    'in small letters': prefix + random.toLowerCase(),
    twice: `${secret}${secret}`,
    'with padding': `${secret}=`,
    'in base64': Buffer.from(secret).toString('base64'),
    'in hex': Buffer.from(secret).toString('hex'),
    'with blanks around': ` ${secret} x`,
    'with a NUL behind': `${secret}\0`,
    'with a NUL within': `${secret.slice(0, 20)}\0${secret.slice(20)}`,
    'with a line break': `${secret}\r\nx-more: 1`,
    'with a letter of another script': secret.replace(/.$/, 'А'),
    'another kind': (prefix === 'sds_' ? 'sdk_' : 'sds_') + random,
    'very long': prefix + 'A'.repeat(12_000),
    'too long for any header': prefix + 'A'.repeat(40_000),
    'a JSON web token': 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIiwicm9sZSI6InN1cGVyYWRtaW4ifQ.',
    SQL: `${prefix}' or 1=1 --`,
    null: 'null',
    undefined: 'undefined',
  }
}

/** Sends these raw header lines; resolves to the answer's status. */
async function rawStatus(path: string, ...headers: string[]): Promise<number> {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  let answer = ''
  socket.on('data', (bytes) => (answer += bytes.toString()))
  const lines = [`GET ${path} HTTP/1.1`, `Host: ${hostname}`, 'Connection: close', ...headers]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  await once(socket, 'close')
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])
}

test('over HTTP an almost valid session or key has no access', async () => {
  const doors = [
    { secret: session, path: devices.listDevices.path },
    { secret: key, path: listTasks.path },
  ]
  for (const { secret, path } of doors) {
    assert.equal(await rawStatus(path, `Authorization: Bearer ${secret}`), 200)
    for (const [what, token] of Object.entries(nearly(secret))) {
      const status = await rawStatus(path, `Authorization: Bearer ${token}`)
      // If it is not a valid header, the request itself is refused.
      const refused = token.length > 16_000 ? [431] : token.includes('\0') ? [400] : [401]
      if (what === 'with a line break') refused.splice(0, 1, 200) // a valid header, and another one
      assert.ok(refused.includes(status), `${what}: ${status}`)
    }
  }
})

test('a token counts after Bearer in a single Authorization header, and nowhere else', async () => {
  const path = devices.listDevices.path
  const bearer = `Authorization: Bearer ${session}`
  assert.equal(await rawStatus(path, `authorization: bearer ${session}`), 200)
  const elsewhere: [string, ...string[]][] = [
    [path, `Authorization: ${session}`],
    [path, `Authorization: Basic ${Buffer.from(`superadmin:${session}`).toString('base64')}`],
    [path, `Authorization: Basic ${Buffer.from(`superadmin:${ADMIN.password}`).toString('base64')}`],
    [path, `Authorization: Bearer ${session} ${session}`],
    [path, `Authorization: Bearer, Bearer ${session}`],
    [path, `Authorization: Bearer ${session}, Bearer ${session}`],
    [path, `Proxy-Authorization: Bearer ${session}`],
    [path, `X-Api-Key: ${session}`, `X-Access-Token: ${session}`, `X-Authorization: Bearer ${session}`],
    [path, `Cookie: token=${session}; access_token=${session}; session=${session}`],
    [`${path}?token=${session}&access_token=${session}&key=${session}&authorization=Bearer%20${session}`],
    [`${path};token=${session}`, `Referer: ${server.url}/?token=${session}`],
  ]
  for (const [at, ...headers] of elsewhere) {
    const status = await rawStatus(at, ...headers)
    assert.ok(status === 401 || (status === 404 && at.includes(';')), `${at} ${headers.join()}: ${status}`)
  }
  for (const other of [
    'Authorization: Bearer sds_other',
    bearer,
    'authorization: Basic x',
    'Authorization:',
  ]) {
    assert.equal(await rawStatus(path, bearer, other), 400, other)
    assert.equal(await rawStatus(path, other, bearer), 400, other)
  }
})

const websocket = () => `${server.url.replace('http', 'ws')}/mqtt`

async function opens(url: string, options: IClientOptions): Promise<boolean> {
  const opening = connectAsync(url, { reconnectPeriod: 0, connectTimeout: 8_000, ...options }, false)
  const client = await opening.catch(() => undefined)
  await client?.endAsync(true)
  return client !== undefined
}

test('over a WebSocket an almost valid session has no access, and query and headers are ignored', async () => {
  assert.ok(await opens(websocket(), { username: 'x', password: session }))
  for (const [what, password] of Object.entries(nearly(session)))
    assert.ok(!(await opens(websocket(), { username: 'x', password })), what)
  const elsewhere: [string, IClientOptions][] = [
    [`${websocket()}?token=${session}&access_token=${session}`, { username: 'x' }],
    [websocket(), { username: session }],
    [websocket(), { username: session, clientId: session }],
    [websocket(), { username: 'x', wsOptions: { headers: { authorization: `Bearer ${session}` } } }],
    [websocket(), { username: 'x', wsOptions: { headers: { cookie: `token=${session}` } } }],
  ]
  for (const [url, options] of elsewhere) assert.ok(!(await opens(url, options)), JSON.stringify(options))
})

test('over MQTT an almost valid device secret has no access, by TCP and by WebSocket', async () => {
  const { uid, secret } = device
  for (const url of [server.mqtt_url, websocket()]) {
    const as = (password: string) => ({ clientId: uid, username: uid, password })
    assert.ok(await opens(url, as(secret)), url)
    for (const [what, password] of Object.entries(nearly(secret)))
      assert.ok(!(await opens(url, as(password))), `${url} ${what}`)
    for (const name of [uid.toUpperCase(), `${uid}\0`, `${uid} `, `${uid}/`, 'no-such-device', '+', '#'])
      assert.ok(!(await opens(url, { clientId: name, username: name, password: secret })), `${url} ${name}`)
  }
})

test('a session whose user is deleted, or disabled in any way, has no access from then on', async () => {
  const works = async (token: string) => (await call(server, devices.listDevices, { token })).status === 200
  for (const change of ['update users set enabled = 0 where id = ?', 'delete from users where id = ?']) {
    const user = await newUser(server, session)
    const browser = await connectBrowser(server, user.token)
    assert.ok(await works(user.token))
    await withTables(server, ({ all }) => all(change, user.id))
    assert.ok(!(await works(user.token)), change)
    await browser.ended
    assert.ok(!(await opens(websocket(), { username: 'x', password: user.token })), change)
  }
})

test('an expired session has no access over HTTP or MQTT', async () => {
  const { token } = await enter(server, ADMIN.username, ADMIN.password)
  assert.ok(await opens(websocket(), { username: 'x', password: token }))
  clock.advance(13 * HOUR)
  assert.ok(!(await opens(websocket(), { username: 'x', password: token })))
  assert.equal((await call(server, devices.listDevices, { token })).status, 401)
})
