import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { LinkRequest, NewLinkCode } from '@sdd/contract/fleet/devices.ts'
import * as devices from '@sdd/contract/fleet/devices.ts'
import * as messages from '@sdd/contract/messages/messages.ts'
import * as settings from '@sdd/contract/accounts/settings.ts'
import { listDeviceSettings } from '@sdd/contract/fleet/limits.ts'
import { connectBrowser } from './browser.ts'
import { MINUTE, SECOND, testClock } from './clock.ts'
import { connectDevice, eventually, linkTestDevice } from './device.ts'
import { enter } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

const START = '2026-06-01T10:00:00.000Z'
const clock = testClock(START)
let server: TestServer
let token: string

before(async () => {
  server = await startServer({ clock })
  token = (await enter(server, ADMIN.username, ADMIN.password)).token
})
after(() => server.stop())

async function newCode(body: Partial<NewLinkCode> = {}): Promise<string> {
  return (await call(server, devices.createLinkCode, { token, body })).body.code
}

function link(body: LinkRequest) {
  return call(server, devices.linkDevice, { body })
}

async function linkStatus(body: LinkRequest): Promise<[number, string | undefined]> {
  const { status, body: answer } = await link(body)
  return [status, answer.code]
}

async function listed(uid: string) {
  const { body } = await call(server, devices.listDevices, { token })
  return body.devices.find((device) => device.uid === uid)
}

const REFUSED: [number, string] = [403, 'link_code_refused']
const LINKED: [number, undefined] = [201, undefined]

test('a code links as many devices as it has uses, one by default', async () => {
  const { status, body } = await call(server, devices.createLinkCode, { token })
  assert.equal(status, 201)
  assert.deepEqual([body.uses, body.expires_at], [1, '2026-06-01T10:10:00.000Z'])
  assert.deepEqual(await linkStatus({ code: body.code }), LINKED)
  assert.deepEqual(await linkStatus({ code: body.code }), REFUSED)
  const twice = await newCode({ uses: 2 })
  assert.deepEqual(await linkStatus({ code: twice }), LINKED)
  assert.deepEqual(await linkStatus({ code: twice }), LINKED)
  assert.deepEqual(await linkStatus({ code: twice }), REFUSED)
})

test('a code expires at its time', async () => {
  const [usual, short] = [await newCode({ uses: 5 }), await newCode({ uses: 5, expires_in_secs: 1 })]
  clock.advance(SECOND)
  assert.deepEqual(await linkStatus({ code: short }), REFUSED)
  clock.advance(598 * SECOND)
  assert.deepEqual(await linkStatus({ code: usual }), LINKED)
  clock.advance(SECOND)
  assert.deepEqual(await linkStatus({ code: usual }), REFUSED)
  const longest = await call(server, devices.createLinkCode, { token, body: { expires_in_secs: 86_400 } })
  assert.equal(Date.parse(longest.body.expires_at) - clock.now(), 86_400 * SECOND)
})

test('a code is accepted as people type it', async () => {
  const code = await newCode({ uses: 3 })
  assert.deepEqual(await linkStatus({ code: code.toLowerCase() }), LINKED)
  assert.deepEqual(await linkStatus({ code: ` ${code.replace('-', ' ')} ` }), LINKED)
  assert.deepEqual(await linkStatus({ code: code.replace('-', '') }), LINKED)
})

test('codes and links keep within their bounds, and each error names its field', async () => {
  const codes: [string, Record<string, unknown>][] = [
    ...[0, 10_001, 1.5, '3', null].map((uses): [string, object] => ['uses', { uses }]),
    ...[0, 86_401, '600'].map((secs): [string, object] => ['expires_in_secs', { expires_in_secs: secs }]),
  ].map(([field, body]) => [field, body as Record<string, unknown>])
  for (const [field, body] of codes) {
    const refused = await call(server, devices.createLinkCode, { token, body })
    assert.deepEqual(
      [refused.status, Object.keys(refused.body.fields!)],
      [422, [field]],
      JSON.stringify(body),
    )
  }
  const code = await newCode()
  const uids = ['', '-drone', 'a/b', 'a+b', 'a#', 'dron e', 'ñ', 'x'.repeat(65)]
  const links: [string, object][] = [
    ...uids.map((uid): [string, object] => ['uid', { code, uid }]),
    ['location', { code, location: 'x'.repeat(201) }],
    ['code', { uid: 'drone-1' }],
    ['code', { code: '' }],
  ]
  for (const [field, body] of links) {
    const refused = await link(body as LinkRequest)
    assert.deepEqual(
      [refused.status, Object.keys(refused.body.fields!)],
      [422, [field]],
      JSON.stringify(body),
    )
  }
  const longest = { code, uid: `x${'._-'.repeat(21)}`, location: 'ñ'.repeat(200) }
  assert.deepEqual(await linkStatus(longest), LINKED, 'and no use was spent')
  assert.equal((await listed(longest.uid))?.location, longest.location)
})

test('a taken uid spends no use, and without a wish the server generates a uid', async () => {
  const code = await newCode({ uses: 3 })
  assert.deepEqual(await linkStatus({ code, uid: 'taken' }), LINKED)
  for (let n = 0; n < 3; n++) assert.deepEqual(await linkStatus({ code, uid: 'taken' }), [409, 'uid_taken'])
  const [one, other] = [(await link({ code })).body.uid, (await link({ code })).body.uid]
  assert.match(one, /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)
  assert.notEqual(one, other)
  assert.deepEqual(await linkStatus({ code }), REFUSED)
})

test('of ten links at once with a code of three uses, three succeed', async () => {
  const code = await newCode({ uses: 3 })
  const answers = await Promise.all(Array.from({ length: 10 }, () => link({ code })))
  assert.deepEqual(tally(answers), { 201: 3, 403: 7 })
  const one = await newCode({ uses: 10 })
  const same = await Promise.all(Array.from({ length: 5 }, () => link({ code: one, uid: 'wanted' })))
  assert.deepEqual(tally(same), { 201: 1, 409: 4 })
})

/** Counts the answers by status. */
function tally(answers: { status: number }[]) {
  const by_status = Map.groupBy(answers, ({ status }) => status)
  return Object.fromEntries(Array.from(by_status, ([status, some]) => [status, some.length]))
}

test('20 wrong codes lock the address out of linking for 15 minutes, and out of nothing else', async () => {
  clock.advance(15 * MINUTE)
  const code = await newCode({ uses: 1, expires_in_secs: 3_600 })
  const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => link({ code: `WRONG-${n}` })))
  assert.deepEqual(tally(answers), { 403: 20, 429: 10 })
  const right = await link({ code })
  assert.deepEqual([right.status, right.body.code], [429, 'too_many_attempts'])
  assert.equal(Number(right.headers.get('retry-after')), 15 * 60)
  assert.equal((await enter(server, ADMIN.username, ADMIN.password)).status, 200)
  clock.advance(15 * MINUTE)
  assert.deepEqual(await linkStatus({ code }), LINKED)
})

test('the link answer has all that a device needs, and its secret appears nowhere else', async () => {
  const { body } = await link({ code: await newCode(), uid: 'fresh', location: 'Almacén 3' })
  const { secret, ...rest } = body
  assert.deepEqual(rest, { uid: 'fresh', mqtt_url: server.mqtt_url, acks: 'puback' })
  const by_name = { url: server.url.replace('127.0.0.1', 'localhost') }
  const named = await call(by_name, devices.linkDevice, { body: { code: await newCode() } })
  assert.equal(named.body.mqtt_url, `mqtt://localhost:${server.mqtt_port}`)
  const { id, ...device } = (await listed('fresh'))!
  assert.ok(Number.isInteger(id))
  assert.deepEqual(device, {
    company_id: 1,
    uid: 'fresh',
    status: 'disconnected',
    name: null,
    location: 'Almacén 3',
    note: null,
    tags: [],
    created_at: new Date(clock.now()).toISOString(),
    enabled: true,
    max_sms_dayly: 100,
    last_seen_at: null,
    sent_today: 0,
    queued: 0,
    carrier: null,
    signal: null,
    sim_ids: [],
    agent: null,
    radio: null,
    maintenance_until: null,
    quarantined_until: null,
    quarantine_reason: null,
    quarantine_reason_code: null,
    quarantine_reason_params: null,
  })
  await (await connectDevice(body)).stop()
  for (const wrong of [
    { ...body, secret: `${secret}x` },
    { ...body, uid: 'unknown' },
    { ...body, secret: '' },
  ])
    await assert.rejects(connectDevice(wrong), /Bad username or password/)
})

test('networks are null before the first snapshot, then the last snapshot, with null for each missing reading', async () => {
  const device = await connectDevice(await linkTestDevice(server, token, 'networked'))
  const read = async () =>
    (await call(server, devices.readNetworks, { token, params: { uid: device.uid } })).body
  assert.deepEqual(await read(), { wifi: null, mobile: null })
  const wifi = {
    ssid: 'almacén',
    intensity: -61,
    band: '5 GHz',
    frequency: 5180,
    link_speed: '433 Mbps',
    bssid: '00:11:22:33:44:55',
    ip_address: '192.168.1.20',
    captured_at: '2026-06-01T10:00:00Z',
  }
  const sim = {
    id: 1,
    slot: 0,
    carrier: 'Movistar',
    operator_name: 'Movistar',
    phone_number: '+34600111222',
    iccid: '8934071100276980483',
    roaming: true,
    network_type_label: 'LTE',
  }
  const mobile = { intensity: -95, captured_at: '2026-06-01T10:00:00Z', sims: [sim] }
  await device.publish('networks', { wifi, mobile })
  assert.deepEqual(await read(), { wifi, mobile })
  const { carrier, signal, sim_ids } = (await listed(device.uid))!
  assert.deepEqual([carrier, signal, sim_ids], ['Movistar', -95, ['+34600111222', '8934071100276980483']])
  const odd = { wifi: { ssid: 'x', battery: 3 }, mobile: { sims: [{ slot: 1 }] }, more: 1 }
  await device.publish('networks', odd)
  const nulls = (whole: object) => Object.fromEntries(Object.keys(whole).map((name) => [name, null]))
  assert.deepEqual(await read(), {
    wifi: { ...nulls(wifi), ssid: 'x' },
    mobile: { ...nulls(mobile), sims: [{ ...nulls(sim), slot: 1 }] },
  })
  const unknown = (await listed(device.uid))!
  assert.deepEqual([unknown.signal, unknown.sim_ids], [null, []])
  const radio = { ready: false, says: 'SIM PIN required.', last_sent_at: null }
  await device.publish('networks', { wifi, mobile, radio })
  assert.deepEqual(await read(), { wifi, mobile, radio })
  assert.deepEqual((await listed(device.uid))?.radio, { ready: false, says: 'SIM PIN required.' })
  await device.publish('networks', { mobile })
  assert.equal((await listed(device.uid))?.radio, null, 'a snapshot without it')
  await device.stop()
  assert.deepEqual(await read(), { wifi: null, mobile }, 'kept while the device is away')
})

test('a disabled device stays connected and gets no messages until it is enabled', async () => {
  const device = await connectDevice(await linkTestDevice(server, token, 'switched'))
  const marker = await connectDevice(await linkTestDevice(server, token, 'marker'))
  const send = (uid: string) => {
    const body = { device_uid: uid, telefono_to: '600111222', mensaje_sms: 'hola' }
    return call(server, messages.sendSms, { token, body })
  }
  const pace = (spoof_time_secs: number) =>
    call(server, settings.saveGlobalSettings, { token, body: { spoof_time_secs, send_enabled: true } })
  await pace(3_600)
  await send(device.uid)
  const waits = (await send(device.uid)).body.guid
  await device.until(1)
  const params = { uid: device.uid }
  const off = await call(server, devices.disableDevice, { token, params })
  assert.deepEqual([off.status, off.body], [200, { uid: device.uid, enabled: false }])
  await pace(0)
  await send(marker.uid)
  await marker.until(1)
  assert.equal(device.commands.length, 1, 'the marker got its message, and the disabled device none')
  const row = await listed(device.uid)
  assert.deepEqual([row?.enabled, row?.status, row?.queued], [false, 'connected', 1])
  const on = await call(server, devices.enableDevice, { token, params })
  assert.deepEqual([on.status, on.body], [200, { uid: device.uid, enabled: true }])
  assert.equal((await device.until(2))[1]?.guid, waits)
  assert.equal((await listed(device.uid))?.queued, 0)
})

test('a new secret cuts the connection, and the old secret no longer works', async () => {
  const linked = await linkTestDevice(server, token, 'renewed')
  const device = await connectDevice(linked)
  const { status, body } = await call(server, devices.renewSecret, { token, params: { uid: device.uid } })
  assert.deepEqual([status, body.uid], [200, device.uid])
  await device.ended
  await eventually(async () => (await listed(device.uid))?.status === 'disconnected')
  await assert.rejects(connectDevice(linked), /Bad username or password/)
  const back = await connectDevice({ ...linked, secret: body.secret })
  assert.equal((await listed(device.uid))?.status, 'connected')
  await back.stop()
})

test('an unlinked device disappears from every list and hears nothing more, and browsers hear of it', async () => {
  const linked = await linkTestDevice(server, token, 'unlinked')
  const device = await connectDevice(linked)
  const browser = await connectBrowser(server, token)
  const params = { uid: device.uid }
  assert.equal((await call(server, devices.unlinkDevice, { token, params })).status, 204)
  await device.ended
  assert.equal(await listed(device.uid), undefined)
  const limits = await call(server, listDeviceSettings, { token })
  assert.ok(!limits.body.devices.some(({ uid }) => uid === device.uid))
  for (const route of [devices.readNetworks, devices.unlinkDevice, devices.renewSecret, devices.enableDevice])
    assert.equal((await call(server, route, { token, params })).status, 404, route.path)
  await assert.rejects(connectDevice(linked), /Bad username or password/)
  await eventually(() => browser.heardOf(device.uid).at(-1) === 'disconnected')
  await eventually(() => browser.changes.some(({ changed }) => changed.includes('devices')))
  await browser.stop()
})
