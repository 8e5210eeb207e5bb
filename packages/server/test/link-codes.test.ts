import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as audit from '@sdd/contract/accounts/audit.ts'
import * as devices from '@sdd/contract/fleet/devices.ts'
import * as settings from '@sdd/contract/accounts/settings.ts'
import { saveUser } from '@sdd/contract/accounts/users.ts'
import { instant } from '#server/core/clock.ts'
import { Refusal } from '#server/core/refusal.ts'
import { createLinkCode } from '#server/fleet/linking/link-codes.ts'
import { linkDevice } from '#server/fleet/linking/linking.ts'
import { MINUTE, testClock } from './clock.ts'
import { openWorld, SUPERADMIN } from './model/world.ts'
import { enter, newUser } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

const clock = testClock('2026-06-10T08:00:00Z')
let server: TestServer
let superadmin: string
let companies = 1

before(async () => {
  server = await startServer({ clock })
  superadmin = (await enter(server, ADMIN.username, ADMIN.password)).token
})
after(() => server.stop())

async function newAdmin(companyId = ++companies) {
  return { ...(await newUser(server, superadmin, { role: 'admin', companyId })), companyId }
}
type Admin = Awaited<ReturnType<typeof newAdmin>>

async function make(token: string, body: Record<string, unknown> = {}, query: Record<string, string> = {}) {
  const made = await call(server, devices.createLinkCode, { token, body, query })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body
}

async function codes(token: string) {
  const { status, body } = await call(server, devices.listLinkCodes, { token })
  assert.equal(status, 200)
  return body.link_codes
}

async function join(code: string) {
  const { status, body } = await call(server, devices.linkDevice, { body: { code } })
  return status === 201 ? status : `${status} ${body.code}`
}

const revoke = async (token: string, id: number) =>
  (await call(server, devices.revokeLinkCode, { token, params: { id } })).status

const REFUSED = '403 link_code_refused'

test('valid codes are listed, newest first, without the code itself', async () => {
  const admin = await newAdmin()
  const older = await make(admin.token, { uses: 3 })
  const newer = await make(admin.token, { expires_in_secs: 3_600 })
  assert.equal(await join(older.code), 201)
  const now = '2026-06-10T08:00:00.000Z'
  const both = { company_id: admin.companyId, by: admin.name, created_at: now }
  const list = await codes(admin.token)
  assert.deepEqual(list, [
    {
      ...both,
      id: newer.id,
      hint: newer.code.slice(0, 4),
      uses: 1,
      uses_left: 1,
      expires_at: newer.expires_at,
    },
    {
      ...both,
      id: older.id,
      hint: older.code.slice(0, 4),
      uses: 3,
      uses_left: 2,
      expires_at: older.expires_at,
    },
  ])
  assert.equal(await join(newer.code), 201)
  assert.deepEqual(
    (await codes(admin.token)).map(({ id }) => id),
    [older.id],
  )
})

test('a used or expired code is neither listed nor revocable', async () => {
  const { token } = await newAdmin()
  const used = await make(token)
  assert.equal(await join(used.code), 201)
  const late = await make(token)
  clock.advance(10 * MINUTE)
  assert.deepEqual(await codes(token), [])
  assert.deepEqual([await revoke(token, used.id), await revoke(token, late.id)], [404, 404])
})

test('a revoked code links no device and gives the answer of an unknown one', async () => {
  const { token, name } = await newAdmin()
  const code = await make(token, { uses: 5 })
  assert.equal(await join(code.code), 201)
  assert.equal(await revoke(token, code.id), 204)
  assert.equal(await join(code.code), REFUSED)
  assert.equal(await revoke(token, code.id), 404)
  const query = { subject: 'link_code' }
  const { entries } = (await call(server, audit.listAudit, { token, query })).body
  assert.deepEqual(
    entries.map(({ action, by }) => [action, by]),
    [
      ['link_code.revoked', name],
      ['link_code.created', name],
    ],
  )
  assert.equal(entries[0]!.name, entries[1]!.name)
})

test('codes of another company are neither visible nor revocable; a superadmin sees all and makes them for any company', async () => {
  const [ours, theirs] = [await newAdmin(), await newAdmin()]
  const query = { company: String(theirs.companyId) }
  const code = await make(superadmin, {}, query)
  assert.deepEqual(await codes(ours.token), [])
  assert.equal(await revoke(ours.token, code.id), 404)
  assert.deepEqual(
    (await codes(theirs.token)).map(({ id, company_id, by }) => [id, company_id, by]),
    [[code.id, theirs.companyId, ADMIN.username]],
  )
  assert.ok((await codes(superadmin)).some(({ id }) => id === code.id))
  const elsewhere = await call(server, devices.createLinkCode, { token: ours.token, body: {}, query })
  assert.deepEqual([elsewhere.status, elsewhere.body.code], [404, 'unknown_company'])
  assert.equal(await join(code.code), 201)
  const { body } = await call(server, devices.listDevices, { token: theirs.token })
  assert.equal(body.devices.length, 1)
})

const edits: [what: string, edit: Record<string, unknown>][] = [
  ['disabled', { enabled: false }],
  ['put into another company', { companyId: 4_000 }],
  ['no admin any more', { role: 'user' }],
]
for (const [what, edit] of edits) {
  test(`a code is dead for good once its maker is ${what}`, async () => {
    const maker = await newAdmin()
    const colleague = await newAdmin(maker.companyId)
    const { code, id } = await make(maker.token, { uses: 3 })
    assert.equal(await join(code), 201)
    const save = (change: Record<string, unknown>) =>
      call(server, saveUser, { token: superadmin, body: as(maker, change) })
    assert.equal((await save(edit)).status, 200)
    assert.equal(await join(code), REFUSED)
    assert.deepEqual(await codes(colleague.token), [])
    assert.equal(await revoke(colleague.token, id), 404)
    assert.equal((await save({ enabled: true, companyId: maker.companyId, role: 'admin' })).status, 200)
    assert.equal(await join(code), REFUSED)
    assert.deepEqual(await codes(colleague.token), [])
  })
}

function as({ id, name, email, companyId }: Admin, change: Record<string, unknown>) {
  return { id, name, email, companyId, role: 'admin', enabled: true, ...change }
}

test('an edit of its maker that removes no right leaves a code valid', async () => {
  const maker = await newAdmin()
  const { code } = await make(maker.token)
  const body = as(maker, { name: `${maker.name} II` })
  assert.equal((await call(server, saveUser, { token: superadmin, body })).status, 200)
  assert.equal((await codes(maker.token))[0]!.by, `${maker.name} II`)
  assert.equal(await join(code), 201)
})

test('browsers hear of a link that is undone, because the broker does not accept the device', async (t) => {
  const world = await openWorld(clock, () => {})
  t.after(() => world.close())
  const changed: string[] = []
  const live = { ...world.needs.live, changed: (_: number, ...what: string[]) => void changed.push(...what) }
  const giveSecret = async () => {
    changed.length = 0
    throw new Refusal('not_ready', 'The broker cannot be reached.')
  }
  const caller = { ...SUPERADMIN, proved_at: instant(clock.now()) }
  const { code } = await createLinkCode(world.needs, caller, { uses: 1, expires_in_secs: 600 })
  const broker = { requireReach() {}, giveSecret }
  await assert.rejects(linkDevice({ ...world.needs, live, broker }, { code }, '127.0.0.1'), {
    code: 'not_ready',
  })
  assert.deepEqual(changed, ['devices', 'settings', 'audit'])
})

test('if the company wants it, a new device gets no messages until an admin enables it', async () => {
  const { token } = await newAdmin()
  const read = async () => (await call(server, settings.readGlobalSettings, { token })).body.settings[0]!
  assert.equal((await read()).new_devices_enabled, true)
  const save = (change: object) =>
    call(server, settings.saveGlobalSettings, {
      token,
      body: { spoof_time_secs: 0, send_enabled: true, ...change },
    })
  assert.equal((await save({ new_devices_enabled: false })).body.new_devices_enabled, false)
  // An absent field keeps its value.
  assert.equal((await save({})).body.new_devices_enabled, false)
  assert.equal(await join((await make(token)).code), 201)
  const [joined] = (await call(server, devices.listDevices, { token })).body.devices
  assert.equal(joined!.enabled, false)
  const { entries } = (await call(server, audit.listAudit, { token, query: { subject: 'device' } })).body
  assert.deepEqual(entries[0]!.changes.enabled, { from: null, to: false })
  await save({ new_devices_enabled: true })
  assert.equal(await join((await make(token)).code), 201)
  const list = (await call(server, devices.listDevices, { token })).body.devices
  assert.deepEqual(
    list.map(({ enabled }) => enabled),
    [false, true],
  )
})
