import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import * as apiKeys from '@sdd/contract/accounts/api-keys.ts'
import { routes } from '@sdd/contract/app/api.ts'
import * as auth from '@sdd/contract/accounts/auth.ts'
import * as channels from '@sdd/contract/outward/alert-channels.ts'
import * as callbacks from '@sdd/contract/outward/callbacks.ts'
import * as devices from '@sdd/contract/fleet/devices.ts'
import type { Route } from '@sdd/contract/core/route.ts'
import * as factor from '@sdd/contract/accounts/second-factor.ts'
import { createTasks } from '@sdd/contract/tasks/tasks.ts'
import * as users from '@sdd/contract/accounts/users.ts'
import { totpAt, stepAt } from '../packages/server/src/accounts/auth/totp.ts'
import { type Request, say } from '../packages/server/test/asking.ts'
import { connectBrowser } from '../packages/server/test/browser.ts'
import { connectDevice, eventually } from '../packages/server/test/device.ts'
import { startReceiver } from '../packages/server/test/receiver.ts'
import { formIn, formsOf } from './secret-forms.ts'
import { newSettings, type ServerProcess, startProcess } from './server-process.ts'

/**
 * Every operation with a secret, on a whole server at its finest log level. Then each secret is searched, in every
 * form, in everything that the server printed, answered, posted and stored.
 */

const home = mkdtempSync(join(tmpdir(), 'sdd-secrets-'))
after(() => rmSync(home, { recursive: true }))

type Secret = {
  what: string
  value: string
  /** The only answer that shows it, by route; none if the user chose it. */
  shownBy?: string
  /** The column that must store it in readable form. */
  keptIn?: string
}
const secrets: Secret[] = []
const answers: { route: string; text: string }[] = []
const posted: string[] = []
let output = ''
let columns: { column: string; text: string }[] = []
let files: { name: string; text: string }[] = []
let generated = ''

const nameOf = ({ method, path }: Route) => `${method} ${path}`

before(async () => {
  const receiver = await startReceiver()
  const settings = await newSettings(home, {
    LOG_LEVEL: 'trace',
    ADMIN_PASSWORD: '',
    CALLBACK_ADDRESSES: 'any',
  })
  const server = await startProcess(settings)
  generated = await eventually(() => /with the password (\S+) \(shown/.exec(server.output())?.[1])
  secrets.push({ what: 'the first password', value: generated })
  await useEverything(server, receiver.url)
  await eventually(() => receiver.received.length > 1)
  for (const { path, text, headers } of receiver.received)
    posted.push(`${path} ${JSON.stringify(headers)} ${text}`)
  await receiver.stop()
  assert.equal(await server.stop(), 0)
  // The next start does not print what the server left on disk either.
  const again = await startProcess(settings)
  assert.equal(await again.stop(), 0)
  output = server.output() + again.output()
  columns = readColumns(join(settings.DATA_DIR, 'sms-drone-dash.db'))
  files = readFiles(settings.DATA_DIR)
})

async function useEverything(server: ServerProcess, receiver: string): Promise<void> {
  async function ask(route: Route, request: Partial<Request>, token?: string) {
    const reply = await say(server, route, request, token)
    answers.push({ route: nameOf(route), text: reply.text })
    return reply as { status: number; body: Record<string, string> }
  }
  function keep(what: string, value: string, shownBy?: Route, keptIn?: string): string {
    assert.ok(value, what)
    secrets.push({ what, value, ...(shownBy && { shownBy: nameOf(shownBy) }), ...(keptIn && { keptIn }) })
    return value
  }
  async function enter(username: string, password: string, code = ''): Promise<string> {
    const { body } = await ask(auth.login, { body: { username, password, code } })
    return keep(`a session of ${username}`, body.access_token!, auth.login)
  }

  const first = await enter('superadmin', generated)
  const chosen = keep('in place of the first password', 'chosen password 0')
  await ask(auth.changePassword, { body: { password: generated, new_password: chosen } }, first)
  const superadmin = await enter('superadmin', chosen)
  const wrong = keep('a wrong password', 'wrong ünd "quoted" password/1')
  await ask(auth.login, { body: { username: 'superadmin', password: wrong } })
  const mistyped = keep('a password typed as a name', 'Typed-Into-The-Wrong-Field 7')
  await ask(auth.login, { body: { username: mistyped, password: 'x' } })

  // Passwords, set by every kind of user.
  const [given, second, third] = ['first password ñ 1', 'second password 2', 'third password 3']
  const lent = 'lent password 4'
  const person = { name: 'Ana', email: 'ana@example.com', role: 'admin' }
  const made = await ask(
    users.saveUser,
    { body: { ...person, password: keep('of a new user', given) } },
    superadmin,
  )
  const ana = await enter('Ana', given)
  const renewed = { password: given, new_password: keep('changed by the user', second) }
  await ask(auth.changePassword, { body: renewed }, ana)
  const short = keep('too short to be taken', 'sh0rt!!')
  await ask(auth.changePassword, { body: { password: second, new_password: short } }, ana)
  const id = made.body.id
  await ask(
    users.saveUser,
    { body: { ...person, id, password: keep('changed by an admin', lent) } },
    superadmin,
  )
  const again = await enter('Ana', lent)
  const own = { password: lent, new_password: keep('changed by the user again', third) }
  await ask(auth.changePassword, { body: own }, again)

  // A second factor.
  const { body: enrolment } = await ask(factor.enrolSecondFactor, { body: { password: third } }, again)
  keep('the secret of an app', enrolment.secret!, factor.enrolSecondFactor)
  const bytes = fromBase32(enrolment.secret!)
  keep('its bytes', bytes.toString('base64url'), undefined, 'second_factors.secret')
  const code = (away: number) => totpAt(bytes, stepAt(Date.now()) + away)
  const { body: confirmed } = await ask(factor.confirmSecondFactor, { body: { code: code(0) } }, again)
  const [recovery] = confirmed.recovery_codes as unknown as string[]
  keep('a recovery code', recovery!, factor.confirmSecondFactor)
  await enter('Ana', third, recovery)
  await enter('Ana', third, code(1))
  await ask(auth.login, { body: { username: 'Ana', password: third, code: '000000' } })

  // Devices.
  const { body: link } = await ask(devices.createLinkCode, { body: { uses: 2 } }, superadmin)
  keep('a link code', link.code!, devices.createLinkCode)
  const { body: account } = await ask(devices.linkDevice, { body: { code: link.code, uid: 'drone-1' } })
  keep('the secret of a device', account.secret!, devices.linkDevice)
  await ask(devices.linkDevice, { body: { code: keep('a wrong link code', 'WR0NG-C0DE9') } })
  const drone = account as unknown as devices.LinkedDevice
  const device = await connectDevice(drone)
  const guess = keep('a wrong secret of a device', 'sdd_wrong-secret-of-a-device')
  await assert.rejects(connectDevice({ ...drone, secret: guess }))

  // Other systems.
  const { body: key } = await ask(apiKeys.createApiKey, { body: { name: 'shop' } }, superadmin)
  keep('an API key', key.key!, apiKeys.createApiKey)
  keep('the secret that signs', key.webhook_secret!, apiKeys.createApiKey, 'api_keys.webhook_secret')
  const { body: hook } = await ask(callbacks.createWebhook, { body: { url: `${receiver}/all` } }, superadmin)
  keep('the secret of a webhook', hook.webhook_secret!, callbacks.createWebhook, 'webhooks.secret')
  const { body: old } = await ask(apiKeys.createApiKey, { body: { name: 'office' } }, superadmin)
  const params = { id: old.id! }
  const { body: anew } = await ask(apiKeys.rotateApiKey, { params, body: {} }, superadmin)
  keep('an API key from before a rotation', old.key!, apiKeys.createApiKey)
  keep('one from after it', anew.key!, apiKeys.rotateApiKey)
  const before = 'api_keys.previous_webhook_secret'
  keep('the secret that signed before', old.webhook_secret!, apiKeys.createApiKey, before)
  keep('the one that signs', anew.webhook_secret!, apiKeys.rotateApiKey, 'api_keys.webhook_secret')

  // Channels of alerts.
  const { body: posts } = await ask(
    channels.saveAlertChannel,
    { body: { kind: 'webhook', name: 'posts', settings: { url: `${receiver}/alerts` } } },
    superadmin,
  )
  const signs = 'alert_channels.webhook_secret'
  keep('the secret of a channel', posts.webhook_secret!, channels.saveAlertChannel, signs)
  const { body: told } = await ask(
    channels.testAlertChannel,
    { params: { id: posts.id! }, body: undefined },
    superadmin,
  )
  assert.equal(told.delivered, true)
  const token = keep('the token of a bot', '12345:token-of-a-bot', undefined, 'alert_channels.token')
  const bot = { kind: 'telegram', name: 'bot', settings: { chat_id: '1', token } }
  assert.equal((await ask(channels.saveAlertChannel, { body: bot }, superadmin)).status, 201)

  const task = { to_number: '+34600111222', text: 'hola', callback_url: `${receiver}/task` }
  const { body: receipt } = await ask(createTasks, { body: task }, key.key)
  await eventually(() => device.commands.some(({ guid }) => guid === receipt.guid))
  await device.report({ guid: receipt.guid!, state: 'accepted' })
  await device.report({ guid: receipt.guid!, state: 'sent' })

  // Tokens in the right places, in wrong ones, and unknown tokens.
  const browser = await connectBrowser(server, superadmin)
  await browser.stop()
  const unknown = keep('a token that nobody has', 'sds_a-token-that-nobody-has')
  await assert.rejects(connectBrowser(server, unknown))
  for (const token of [unknown, key.key!, keep('a key that nobody has', 'sdk_a-key-that-nobody-has')])
    await ask(devices.listDevices, { query: { token: superadmin, access_token: token } }, token)
  await fetch(`${server.url}/mqtt?token=${superadmin}`)
  await fetch(`${server.url}/nowhere/${superadmin}?password=${encodeURIComponent(third)}`)
  await fetch(`${server.url}/api/login`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('x:y')}` },
    body: third,
  })

  // Every list, read by the user who sees most.
  for (const route of routes.filter(({ method, path }) => method === 'GET' && !path.includes(':')))
    await ask(route, {}, superadmin)
  await ask(users.readUser, { params: { id: id! } }, superadmin)
  answers.push({ route: 'GET /metrics', text: await (await fetch(`${server.url}/metrics`)).text() })

  const { body: fresh } = await ask(devices.renewSecret, { params: { uid: 'drone-1' } }, superadmin)
  keep('a new secret of a device', fresh.secret!, devices.renewSecret)
  await ask(apiKeys.revokeApiKey, { params: { id: key.id! } }, superadmin)
  await ask(auth.logout, {}, superadmin)
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  )
  return Buffer.from(
    bits
      .join('')
      .match(/.{8}/g)!
      .map((byte) => Number.parseInt(byte, 2)),
  )
}

function readColumns(path: string) {
  const db = new DatabaseSync(path)
  const tables = db.prepare(`select name from sqlite_schema where type = 'table'`).all() as { name: string }[]
  const read = tables.flatMap(({ name }) =>
    (db.prepare(`select * from "${name}"`).all() as Record<string, unknown>[]).flatMap((row) =>
      Object.entries(row).map(([column, value]) => ({
        column: `${name}.${column}`,
        text: value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value),
      })),
    ),
  )
  db.close()
  return read
}

function readFiles(folder: string) {
  const names = readdirSync(folder, { recursive: true }) as string[]
  return names
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'latin1') }))
}

test('a secret is found in any form', () => {
  const secret = 'sds_abcDEF-123_xyzABC456def789ghi012jkl345'
  for (const around of ['', 'x', 'xx']) {
    const text = Buffer.from(`${around}${secret} and more`)
    for (const written of [text.toString(), text.toString('base64'), text.toString('hex').toUpperCase()])
      assert.ok(formIn(written, secret), written)
  }
  assert.ok(formIn(JSON.stringify({ password: 'say "ñ"' }), 'say "ñ"'))
  assert.ok(formIn('password=say+%22n%22', 'say "n"'))
  assert.equal(formIn('nothing of it', secret), undefined)
  assert.ok(Object.keys(formsOf(secret)).length > 10)
})

test('there are enough secrets to search for: sessions, passwords, codes, keys, secrets', () => {
  assert.ok(secrets.length >= 24, String(secrets.length))
  assert.ok(answers.length > 40 && columns.length > 200 && output.split('\n').length > 50)
  assert.ok(posted.length > 1, 'callbacks were posted')
})

test('no secret is in the log at its finest level, except the first password, once', () => {
  for (const { what, value } of secrets) {
    if (value === generated) assert.equal(output.split(generated).length, 2, 'printed once')
    else assert.equal(formIn(output, value), undefined, what)
  }
})

test('a secret is in the one answer that shows it once, and in no other', () => {
  for (const { what, value, shownBy } of secrets) {
    const showing = answers.filter(({ text }) => formIn(text, value) !== undefined)
    const expected = shownBy === undefined ? [] : [shownBy]
    assert.deepEqual(
      showing.map(({ route }) => route),
      expected,
      what,
    )
  }
})

test('no secret is in the posts to other systems', () => {
  for (const { what, value } of secrets) assert.equal(formIn(posted.join('\n'), value), undefined, what)
})

test('the database has only the secrets that it needs for signing or codes', () => {
  for (const { what, value, keptIn } of secrets) {
    const keeping = new Set(columns.filter(({ text }) => formIn(text, value)).map(({ column }) => column))
    assert.deepEqual([...keeping], keptIn === undefined ? [] : [keptIn], what)
  }
})

test('the same holds for every file of the data folder, including the journal and deleted rows', () => {
  // The bytes of an app's secret are stored, so only its base32 is forbidden.
  const kept = new Set(secrets.filter(({ keptIn }) => keptIn).map(({ value }) => value))
  assert.ok(files.some(({ name }) => name.endsWith('.db')))
  for (const { what, value } of secrets.filter((each) => !kept.has(each.value))) {
    for (const { name, text } of files) {
      const latin = Buffer.from(value).toString('latin1')
      assert.ok(formIn(text, value) === undefined && !text.includes(latin), `${what} is in ${name}`)
    }
  }
})
