import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { listAudit } from '@sdd/contract/accounts/audit.ts'
import * as changes from '@sdd/contract/fleet/device-changes.ts'
import * as devices from '@sdd/contract/fleet/devices.ts'
import { MINUTE, testClock } from './clock.ts'
import { connectDevice, eventually, linkTestDevice } from './device.ts'
import { startFleet } from './fleet.ts'
import { enter, newUser } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

let server: TestServer
let admin: { token: string; name: string }
let user: { token: string }
let theirs: { token: string }

before(async () => {
  server = await startServer({ clock: testClock('2026-06-10T08:00:00Z') })
  const superadmin = (await enter(server, ADMIN.username, ADMIN.password)).token
  admin = await newUser(server, superadmin, { role: 'admin', companyId: 2 })
  user = await newUser(server, superadmin, { companyId: 2 })
  theirs = await newUser(server, superadmin, { role: 'admin', companyId: 3 })
})
after(() => server.stop())

const link = async (uid: string, token = admin.token) => (await linkTestDevice(server, token, uid)).uid

const change = (uid: string, body: Record<string, unknown>, token = admin.token) =>
  call(server, changes.changeDevice, { token, params: { uid }, body })

const changeAll = (uids: unknown, body: Record<string, unknown>, token = admin.token) =>
  call(server, changes.changeDevices, { token, body: { uids, change: body } })

async function listed(uid: string, token = admin.token) {
  const { body } = await call(server, devices.listDevices, { token })
  return body.devices.find((device) => device.uid === uid)
}

async function recorded(name: string) {
  const { body } = await call(server, listAudit, { token: admin.token, query: { search: name } })
  return body.entries.filter(({ action }) => action === 'device.changed')
}

test('a device gets a name, a place and a note with lines; absent fields stay, and null or an empty text clears one', async () => {
  const uid = await link('named')
  const given = { name: ' Roof ', location: 'Madrid', note: 'Behind the\nantenna', max_sms_dayly: 7 }
  const { status, body } = await change(uid, given)
  assert.equal(status, 200)
  assert.deepEqual(body, await listed(uid))
  const { name, location, note, max_sms_dayly, enabled } = body
  assert.deepEqual(
    { name, location, note, max_sms_dayly, enabled },
    { ...given, name: 'Roof', enabled: true },
  )
  const later = (await change(uid, { name: '', location: null })).body
  assert.deepEqual([later.name, later.location, later.note], [null, null, 'Behind the\nantenna'])
  assert.equal((await change(await link('same-name'), { name: 'Roof' })).body.name, 'Roof')
})

test('a change is recorded with the old and the new value of each field, and one that changes nothing is not', async () => {
  const uid = await link('recorded')
  await change(uid, { note: 'spare', enabled: false, max_sms_dayly: 100 })
  await change(uid, { note: 'spare' })
  const entries = await recorded(uid)
  assert.deepEqual(
    entries.map(({ by, changes }) => [by, changes]),
    [[admin.name, { note: { from: null, to: 'spare' }, enabled: { from: true, to: false } }]],
  )
})

test('a bad change is 422 with its fields, and changes nothing', async () => {
  const uid = await link('wrong')
  const before = await listed(uid)
  const wrong: [object, string][] = [
    [{}, ''],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ name: 'a\u202eb' }, 'name'],
    [{ location: 'x'.repeat(201) }, 'location'],
    [{ location: 'two\nlines' }, 'location'],
    [{ note: 'x'.repeat(2_001) }, 'note'],
    [{ note: 'a\0b' }, 'note'],
    [{ max_sms_dayly: null }, 'max_sms_dayly'],
    [{ max_sms_dayly: 100_001 }, 'max_sms_dayly'],
    [{ enabled: null }, 'enabled'],
    [{ tags: null }, 'tags'],
    [{ tags: ['-north'] }, 'tags'],
    [{ tags: ['fine', 'two words'] }, 'tags'],
    [{ tags: ['x'.repeat(33)] }, 'tags'],
    [{ tags: ['Wait'] }, 'tags'],
    [{ tags: Array.from({ length: 21 }, (_, n) => `t${n}`) }, 'tags'],
    [{ maintenance_until: '2026-06-10T08:00:00Z' }, 'maintenance_until'],
    [{ maintenance_until: '2027-06-10T08:00:00.001Z' }, 'maintenance_until'],
    [{ maintenance_until: '' }, 'maintenance_until'],
    [{ uid: 'other', note: 'x' }, 'uid'],
  ]
  for (const [body, field] of wrong) {
    const one = await change(uid, { ...body })
    assert.deepEqual([one.status, Object.keys(one.body.fields!)], [422, [field || 'body']])
    const all = await changeAll([uid], { ...body })
    const path = field === '' ? 'change' : `change.${field}`
    assert.deepEqual([all.status, Object.keys(all.body.fields!)], [422, [path]])
  }
  const wrongTags: [object, string][] = [
    [{ tags: [], add_tags: ['a'] }, 'change.tags'],
    [{ tags: ['a'], remove_tags: ['b'] }, 'change.tags'],
    [{ add_tags: ['A', 'b'], remove_tags: ['a'] }, 'change.add_tags'],
    [{ remove_tags: ['any'] }, 'change.remove_tags'],
  ]
  for (const [body, path] of wrongTags) {
    const all = await changeAll([uid], { ...body })
    assert.deepEqual([all.status, Object.keys(all.body.fields!)], [422, [path]])
  }
  assert.equal((await change(uid, { add_tags: ['a'] })).status, 422)
  const nothing = await change(uid, {})
  assert.deepEqual(nothing.body.field_codes, { body: { code: 'required', params: {} } })
  const far = await change(uid, { max_sms_dayly: -1 })
  assert.deepEqual(far.body.field_codes!['max_sms_dayly']!.params, { min: 0, max: 100_000 })
  for (const uids of [undefined, [], Array.from({ length: 1_001 }, (_, n) => `d${n}`), [7]])
    assert.equal((await changeAll(uids, { note: 'x' })).status, 422)
  assert.deepEqual(await listed(uid), before)
})

test('many devices change at once, each whole, and those that the company does not have are refused', async () => {
  const uids = await Promise.all(Array.from({ length: 120 }, (_, n) => link(`many-${n}`)))
  const foreign = await link('foreign', theirs.token)
  const strange = ['nowhere', foreign, 'no uid at all', '\0', 'x'.repeat(70)]
  const { status, body } = await changeAll([...uids, ...strange, uids[0]!], {
    location: 'Store',
    max_sms_dayly: 5,
    enabled: false,
  })
  assert.equal(status, 200)
  assert.equal(body.changed, 120)
  assert.deepEqual(
    body.refused.map(({ uid, code, params }) => [uid, code, params]),
    strange.map((uid) => [uid, 'unknown_device', {}]),
  )
  assert.equal(body.refused[0]!.detail, 'There is no device "nowhere".')
  const list = (await call(server, devices.listDevices, { token: admin.token })).body.devices
  const many = list.filter(({ uid }) => uid.startsWith('many-'))
  assert.ok(many.every((device) => device.location === 'Store' && device.max_sms_dayly === 5))
  assert.ok(many.every((device) => !device.enabled))
  assert.equal((await listed(foreign, theirs.token))!.location, null)
  const again = await changeAll(uids, { location: 'Store' })
  assert.deepEqual(again.body, { changed: 120, refused: [] })
  assert.equal((await recorded('many-119')).length, 1)
})

test('tags are kept in lower case, sorted and each once, are recorded, and are replaced as a whole', async () => {
  const uid = await link('tagged')
  const { body } = await change(uid, { tags: ['South', 'a.b_c-1', 'sur', 'ÑU\u0301', 'south'] })
  assert.deepEqual(body.tags, ['a.b_c-1', 'south', 'sur', 'ñú'])
  assert.deepEqual((await listed(uid))!.tags, body.tags)
  assert.deepEqual((await change(uid, { note: 'x' })).body.tags, body.tags)
  assert.deepEqual((await change(uid, { tags: [] })).body.tags, [])
  const [last] = await recorded(uid)
  assert.deepEqual(last!.changes, { tags: { from: body.tags, to: [] } })
})

test('many devices get and lose tags at once, and one with too many is refused and not changed at all', async () => {
  const [one, full] = [await link('few'), await link('full')]
  await change(one, { tags: ['old', 'stays'] })
  await change(full, { tags: Array.from({ length: 20 }, (_, n) => `t${n}`) })
  const { body } = await changeAll([one, full, 'nowhere'], {
    add_tags: ['New', 'stays'],
    remove_tags: ['old'],
    note: 'moved',
  })
  assert.equal(body.changed, 1)
  assert.deepEqual(
    body.refused.map(({ uid, code, params }) => [uid, code, params]),
    [
      [full, 'too_many_tags', { max: 20 }],
      ['nowhere', 'unknown_device', {}],
    ],
  )
  assert.deepEqual((await listed(one))!.tags, ['new', 'stays'])
  assert.deepEqual([(await listed(full))!.note, (await listed(full))!.tags.length], [null, 20])
  const swapped = await changeAll([one, full], { add_tags: ['u'], remove_tags: ['t0', 'new'] })
  assert.deepEqual(swapped.body, { changed: 2, refused: [] })
  assert.deepEqual((await listed(one))!.tags, ['stays', 'u'])
})

test('only admins change devices, and only those of their company', async () => {
  const uid = await link('guarded')
  for (const [token, expected] of [
    [user.token, 403],
    [theirs.token, 404],
  ] as const)
    assert.equal((await change(uid, { note: 'x' }, token)).status, expected)
  assert.equal((await changeAll([uid], { note: 'x' }, user.token)).status, 403)
  assert.equal((await listed(uid))!.note, null)
})

test('a raised limit and an enabled device let waiting messages go at once', async (t) => {
  const { server: url, token, hand, join } = await startFleet(t)
  const drone = await join('drone')
  const changed = (body: object) =>
    call(url, changes.changeDevices, { token, body: { uids: ['drone'], change: body } })
  await changed({ max_sms_dayly: 0 })
  await hand()
  await changed({ max_sms_dayly: 1 })
  await drone.until(1)
  await changed({ enabled: false, max_sms_dayly: 2 })
  await hand()
  await call(url, changes.changeDevice, { token, params: { uid: 'drone' }, body: { enabled: true } })
  await drone.until(2)
})

test('a device in maintenance is given nothing, not even a command again, and goes on by itself at the end', async (t) => {
  const fleet = await startFleet(t)
  const { server: url, token, hand, join, pass, lookedAtAll, read, send, device } = fleet
  const drone = await join('drone', '+34600000001')
  const from_number = '+34600000001'
  const first = await hand({ from_number })
  await drone.until(1)
  const until = '2026-06-10T09:00:00.000Z'
  const maintain = (maintenance_until: string | null) =>
    call(url, changes.changeDevices, { token, body: { uids: ['drone'], change: { maintenance_until } } })
  assert.deepEqual((await maintain('2026-06-10T10:00:00+01:00')).body, { changed: 1, refused: [] })
  assert.equal((await device('drone')).maintenance_until, until)
  const refused = await send('drone')
  assert.deepEqual(
    [refused.status, refused.body.code, refused.body.params],
    [409, 'device_in_maintenance', { device: 'drone', until }],
  )
  const second = await hand({ from_number })
  const code = async (guid: string) => {
    const { waiting_code, waiting_params } = await read(guid)
    return [waiting_code, waiting_params]
  }
  assert.deepEqual(await code(second), ['maintenance', { device: 'drone', at: until }])
  const [, facts] = await code(first)
  assert.equal((facts as Record<string, unknown>)['maintenance_until'], until)
  await pass(5 * MINUTE)
  await lookedAtAll()
  assert.equal(drone.commands.length, 1)
  await drone.report({ guid: first, state: 'sent' })
  assert.equal((await read(first)).state, 'completed')
  drone.vanish()
  await eventually(async () => (await device('drone')).status === 'disconnected')
  assert.deepEqual(await code(second), ['maintenance', { device: 'drone', at: until }])
  const back = await connectDevice(drone.linked)
  await lookedAtAll()
  assert.equal(back.commands.length, 0)
  await pass(55 * MINUTE)
  assert.equal((await back.until(1))[0]!.guid, second)
  assert.equal((await device('drone')).maintenance_until, null)
  await back.report({ guid: second, state: 'sent' })
  await maintain('2026-06-10T12:00:00Z')
  await hand({ from_number })
  await lookedAtAll()
  assert.equal(back.commands.length, 1)
  await maintain(null)
  await back.until(2)
  await maintain('2026-06-10T12:00:00Z')
  // Another device takes a task that needs no SIM, and the tasks that waited for the usual device.
  const spare = await join('spare')
  await hand()
  await spare.until(1)
})
