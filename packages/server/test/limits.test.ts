import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { after, before, test } from 'node:test'
import * as auth from '@sdd/contract/accounts/auth.ts'
import * as devices from '@sdd/contract/fleet/devices.ts'
import * as messages from '@sdd/contract/messages/messages.ts'
import { listLogs } from '@sdd/contract/insight/log.ts'
import { pathOf, type Route } from '@sdd/contract/core/route.ts'
import * as settings from '@sdd/contract/accounts/settings.ts'
import { saveDeviceLimit } from '@sdd/contract/fleet/limits.ts'
import * as users from '@sdd/contract/accounts/users.ts'
import { connectDevice, linkTestDevice } from './device.ts'
import { enter } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

const MIB = 1024 * 1024

let server: TestServer
let token: string

before(async () => {
  server = await startServer()
  token = (await enter(server, ADMIN.username, ADMIN.password)).token
})
after(() => server.stop())

type Init = Omit<RequestInit, 'headers'> & { headers?: Record<string, string> }

/** Sends requests outside the contract, and reads the answer as any client reads an error. */
async function ask(path: string, { headers, ...init }: Init = {}) {
  const answer = await fetch(new URL(path, server.url), {
    ...init,
    headers: { authorization: `Bearer ${token}`, ...headers },
  })
  assert.match(answer.headers.get('content-type')!, /^application\/json/)
  const body = (await answer.json()) as { detail: string; code: string; fields?: Record<string, string> }
  if (answer.ok) return { ...body, status: answer.status }
  for (const name of Object.keys(body)) assert.match(name, /^(detail|code|params|fields|field_codes|status)$/)
  assert.match(body.code, /^[a-z_]+$/)
  assert.doesNotMatch(JSON.stringify(body), /\.ts:|node_modules|sqlite|select |insert |Zod/i)
  return { ...body, status: answer.status }
}

function post(route: Route, body: RequestInit['body'], headers: Record<string, string> = {}) {
  return ask(pathOf(route), {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  })
}

function smsOf(bytes: number): string {
  const sms = { device_uid: 'nobody', telefono_to: '600111222', mensaje_sms: 'x' }
  return JSON.stringify(sms).padEnd(bytes, ' ')
}

test('a body above 1 MiB is refused, whether it declares its length or not', async () => {
  assert.equal((await post(messages.sendSms, smsOf(MIB))).status, 404, 'exactly 1 MiB is read')
  const above = await post(messages.sendSms, smsOf(MIB + 1))
  assert.deepEqual([above.status, above.code], [413, 'too_large'])
  const streamed = request(new URL(messages.sendSms.path, server.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  })
  const answered = once(streamed, 'response') as Promise<[IncomingMessage]>
  for (let sent = 0; sent <= MIB; sent += MIB / 16) streamed.write(' '.repeat(MIB / 16))
  const [{ statusCode }] = await answered
  assert.equal(statusCode, 413, 'without a length, and without an end')
  streamed.destroy()
  assert.equal((await ask('/api/device-list')).status, 200)
})

test('a body in another content type is refused', async () => {
  const types = ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1', '']
  for (const type of types) {
    const refused = await post(messages.sendSms, smsOf(0), { 'content-type': type })
    assert.deepEqual([refused.status, refused.code], [415, 'unsupported_media_type'], type)
  }
  assert.equal((await post(messages.sendSms, smsOf(0), { 'content-encoding': 'gzip' })).status, 415)
  assert.equal((await post(auth.login, JSON.stringify(ADMIN))).status, 415)
  assert.equal(
    (await post(messages.sendSms, smsOf(0), { 'content-type': 'Application/JSON; charset=UTF-8' })).status,
    404,
  )
})

test('a body that is not plain JSON is malformed', async () => {
  const nested = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
  const bodies = [
    '{',
    'nope',
    '{"uses": 1,}',
    '{"uses": NaN}',
    '{"uses": 1} {}',
    '{"uses": 1, "uses": 2}',
    nested,
  ]
  for (const body of bodies) {
    const refused = await post(devices.createLinkCode, body)
    assert.deepEqual([refused.status, refused.code], [400, 'malformed'], body.slice(0, 40))
  }
  const broken = Buffer.concat([Buffer.from('{"uses": "'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')])
  assert.equal((await post(devices.createLinkCode, new Uint8Array(broken))).status, 400)
  for (const body of ['[]', 'null', '3', '"text"'])
    assert.equal((await post(devices.createLinkCode, body)).status, 422, body)
})

test('a body cannot change object prototypes', async () => {
  for (const body of ['{"__proto__": {"uses": 7}}', '{"constructor": {"prototype": {"uses": 7}}}']) {
    const refused = await post(devices.createLinkCode, body)
    assert.deepEqual([refused.status, refused.code], [400, 'malformed'])
  }
  assert.equal(({} as { uses?: number }).uses, undefined)
  const { body } = await call(server, devices.createLinkCode, { token })
  assert.equal(body.uses, 1)
})

test('all invalid fields are named at once', async () => {
  const wrong: [Route, Record<string, unknown>, string[]][] = [
    [messages.sendSms, {}, ['device_uid', 'telefono_to', 'mensaje_sms']],
    [settings.saveGlobalSettings, { spoof_time_secs: -1 }, ['spoof_time_secs', 'send_enabled']],
    [
      settings.saveGlobalSettings,
      { spoof_time_secs: 86_401, send_enabled: 'yes' },
      ['spoof_time_secs', 'send_enabled'],
    ],
    [settings.saveGlobalSettings, { spoof_time_secs: 1.5, send_enabled: true }, ['spoof_time_secs']],
    [settings.saveGlobalSettings, { spoof_time_secs: '3', send_enabled: true }, ['spoof_time_secs']],
    [saveDeviceLimit, { uid: 'x', max_sms_dayly: -1 }, ['max_sms_dayly']],
    [saveDeviceLimit, { max_sms_dayly: 100_001 }, ['uid', 'max_sms_dayly']],
    [saveDeviceLimit, { uid: 'x', max_sms_dayly: null }, ['max_sms_dayly']],
    [users.saveUser, { role: 'root' }, ['name', 'email', 'role']],
  ]
  for (const [route, body, fields] of wrong) {
    const refused = await post(route, JSON.stringify(body))
    assert.deepEqual([refused.status, refused.code], [422, 'invalid'])
    assert.deepEqual(Object.keys(refused.fields!), fields, JSON.stringify(body))
  }
  const queries: Record<string, string> = {
    limit: 'limit=0&limit=5',
    cursor: 'cursor=0x10',
    state: 'state=lost',
    errors: 'errors=maybe',
    from: 'from=yesterday',
    to: 'to=2026-01-01',
  }
  for (const [field, query] of Object.entries(queries)) {
    const refused = await ask(`/api/logs/devices?${query}`)
    assert.deepEqual([refused.status, Object.keys(refused.fields!)], [422, [field]])
  }
  for (const limit of ['0', '1001', '-1', '1.5', 'ten'])
    assert.deepEqual(Object.keys((await ask(`/api/logs/devices?limit=${limit}`)).fields!), ['limit'])
  assert.deepEqual(Object.keys((await ask('/api/user/first')).fields!), ['id'])
})

test('values at the bounds are valid', async () => {
  for (const spoof_time_secs of [86_400, 0]) {
    const body = { spoof_time_secs, send_enabled: true }
    const { status, body: saved } = await call(server, settings.saveGlobalSettings, { token, body })
    assert.deepEqual([status, saved.spoof_time_secs], [200, spoof_time_secs])
  }
  const { uid } = await linkTestDevice(server, token, 'bounded')
  for (const max_sms_dayly of [0, 100_000]) {
    const { body } = await call(server, saveDeviceLimit, { token, body: { uid, max_sms_dayly } })
    assert.deepEqual(body, { uid, max_sms_dayly })
  }
  for (const limit of ['1', '1000'])
    assert.equal((await call(server, listLogs, { token, query: { limit } })).status, 200)
})

test('spaces, dots, dashes and brackets are removed from numbers, and the rest must be a number', async () => {
  const device = await connectDevice(await linkTestDevice(server, token, 'dialled'))
  const send = (telefono_to: string) =>
    call(server, messages.sendSms, { token, body: { device_uid: device.uid, telefono_to, mensaje_sms: 'x' } })
  const good = {
    '+34 600-111.222': '+34600111222',
    '(0049) 30 1234567': '+49301234567',
    '600111222': '+34600111222',
    '123': '123',
  }
  for (const [written, dialled] of Object.entries(good)) {
    const before = device.commands.length
    assert.equal((await send(written)).status, 200, written)
    const { to, guid } = (await device.until(before + 1)).at(-1)!
    assert.equal(to, dialled)
    await device.report({ guid, state: 'sent' })
  }
  const bad = [
    '12',
    '+12345',
    '+123456',
    '1234567',
    '1'.repeat(15),
    `+${'1'.repeat(15)}`,
    '1'.repeat(16),
    `+${'1'.repeat(16)}`,
    '++34600111',
    '34+600111',
    '600x111',
    '٦٠٠١١١',
    ' ',
    '()',
  ]
  for (const written of bad) assert.equal((await send(written)).status, 422, written)
  await device.stop()
})

test('an unknown path is a 404 in JSON, with any method', async () => {
  for (const path of [
    '/api',
    '/api/',
    '/api/none',
    '/api/device-list/',
    '/api/device-list/x',
    '/api/../api/x',
    '/api/%00',
  ]) {
    const refused = await ask(path)
    assert.ok([400, 404].includes(refused.status), `${path}: ${refused.status}`)
  }
  for (const method of ['PUT', 'PATCH', 'DELETE', 'POST'])
    assert.deepEqual((await ask('/api/device-list', { method })).code, 'not_found', method)
  assert.equal((await ask('/api/device/%ZZ/networks')).status, 400)
  for (const uid of ['nobody', 'a%2Fb', '..', "'%20or%201=1--", 'x'.repeat(2_000)])
    assert.equal((await ask(`/api/device/${uid}/networks`)).status, 404, uid)
})
