import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { listAudit } from '@sdd/contract/accounts/audit.ts'
import * as changes from '@sdd/contract/fleet/device-changes.ts'
import { giveOrder, listOrders, type Order } from '@sdd/contract/fleet/orders.ts'
import { readDevice } from '@sdd/contract/insight/device-detail.ts'
import { forgetOrders } from '#server/fleet/orders/orders.ts'
import { HOUR, SECOND, testClock } from './clock.ts'
import { connectDevice, eventually, linkTestDevice } from './device.ts'
import { startFleet } from './fleet.ts'
import { openWorld } from './model/world.ts'
import { newUser } from './seeds.ts'
import { call } from './server.ts'

const ALL = ['ussd', 'restart_radio', 'doctor', 'logs', 'configure']

/** A company with one connected device that can do everything. */
async function begin(t: TestContext) {
  const fleet = await startFleet(t)
  const { server, token, superadmin } = fleet
  const linked = await linkTestDevice(server, token, 'drone')
  const user = await newUser(server, superadmin, { companyId: 2 })
  const give = (body: Record<string, unknown>, as = token, uid = 'drone') =>
    call(server, giveOrder, { token: as, params: { uid }, body })
  return {
    ...fleet,
    linked,
    user,
    give,
    drone: await connectDevice(linked, undefined, [...ALL, 'fly', 'ussd']),
    async given(body: Record<string, unknown>): Promise<number> {
      const answer = await give(body)
      assert.equal(answer.status, 202, JSON.stringify(answer.body))
      return answer.body.order
    },
    orders: async (as = token, query: Record<string, string> = {}) =>
      (await call(server, listOrders, { token: as, params: { uid: 'drone' }, query })).body,
  }
}

const stateOf = ({ id, state }: Order) => [id, state]

test('an order reaches the device once, its first answer counts, and both are recorded', async (t) => {
  const { server, token, drone, given, orders, join } = await begin(t)
  const { body } = await call(server, readDevice, { token, params: { uid: 'drone' } })
  assert.deepEqual(body.abilities, ALL)
  const id = await given({ what: 'ussd', with: { code: '*100#' } })
  const [command] = (await drone.until(1)) as unknown[]
  assert.deepEqual(command, {
    type: 'order',
    order: id,
    what: 'ussd',
    with: { code: '*100#' },
    expires_at: '2026-06-10T08:02:00.000Z',
  })
  const [waiting] = (await orders()).orders
  assert.deepEqual(stateOf(waiting!), [id, 'given'])
  const other = await join('other')
  await other.publish('answers', { order: id, ok: true, output: 'mine' })
  await drone.publish('answers', { order: id + 1, ok: true })
  await drone.publish('answers', { order: id, ok: true, output: 'Saldo: 3 €\0', detail: null })
  await drone.publish('answers', { order: id, ok: false, code: 'late' })
  const [answered] = (await orders()).orders
  const at = '2026-06-10T08:00:00.000Z'
  assert.deepEqual(answered, {
    ...waiting,
    state: 'answered',
    ok: true,
    output: 'Saldo: 3 €\uFFFD',
    code: null,
    detail: null,
    answered_at: at,
    at,
  })
  const audit = (await call(server, listAudit, { token, query: { action: 'order.given' } })).body.entries
  assert.deepEqual(
    audit.map(({ subject, name, changes }) => [subject, name, changes]),
    [['device', 'drone', { what: { from: null, to: 'ussd' }, code: { from: null, to: '*100#' } }]],
  )
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  assert.match(metrics, /^sdd_strange_answers_total 3$/m)
})

test('nothing is kept for later, and one order of a kind is under way at a time', async (t) => {
  const { clock, server, token, superadmin, linked, give, given, drone, orders, device, user } =
    await begin(t)
  const code = async (answer: ReturnType<typeof give>) => {
    const { status, body } = await answer
    return [status, body.code, body.params]
  }
  assert.equal((await give({ what: 'doctor' }, user.token)).status, 403)
  assert.deepEqual((await code(give({ what: 'doctor' }, token, 'nowhere'))).slice(0, 2), [
    404,
    'unknown_device',
  ])
  assert.deepEqual((await code(give({ what: 'doctor' }, superadmin, 'marker'))).slice(0, 2), [
    409,
    'not_able',
  ])
  const wrong = await give({ what: 'ussd', with: { code: '*140*5#' } })
  assert.deepEqual([wrong.status, wrong.body.code], [422, 'confirm_required'])
  assert.deepEqual(wrong.body.field_codes, { confirm: { code: 'confirm_required', params: {} } })
  for (const body of [
    { what: 'fly' },
    // An agent is not updated from afar.
    { what: 'update' },
    { what: 'doctor', expires_in_secs: 9 },
    { what: 'doctor', expires_in_secs: 3_601 },
    { what: 'doctor', soon: true },
  ])
    assert.equal((await give(body)).status, 422)
  const faults: [what: string, details: Record<string, unknown>, codes: Record<string, unknown>][] = [
    ['logs', { lines: 1_001 }, { 'with.lines': { code: 'out_of_range', params: { min: 1, max: 1_000 } } }],
    ['ussd', {}, { 'with.code': { code: 'required', params: {} } }],
    ['logs', { line: 5 }, { 'with.line': { code: 'unknown_field', params: {} } }],
    // In UTF-8 this takes more than 4 KiB, although it has fewer characters.
    [
      'configure',
      { settings: { a: 'é'.repeat(2_100) } },
      { 'with.settings': { code: 'bad_format', params: {} } },
    ],
  ]
  for (const [what, details, codes] of faults)
    assert.deepEqual((await give({ what, with: details })).body.field_codes, codes)
  const change = { enabled: false, maintenance_until: '2026-06-11T08:00:00Z' }
  await call(server, changes.changeDevice, { token, params: { uid: 'drone' }, body: change })
  const first = await given({ what: 'doctor', expires_in_secs: 10 })
  assert.deepEqual(await code(give({ what: 'doctor' })), [409, 'order_under_way', { order: first }])
  const second = await given({ what: 'ussd', with: { code: '*140*5#' }, confirm: '*140*5#' })
  await drone.until(2)
  clock.advance(10 * SECOND)
  assert.deepEqual((await orders()).orders.map(stateOf), [
    [second, 'given'],
    [first, 'expired'],
  ])
  await drone.publish('answers', { order: first, ok: false, code: 'busy', detail: 'It sends now' })
  const third = await given({ what: 'doctor' })
  assert.deepEqual((await orders()).orders.map(stateOf), [
    [third, 'given'],
    [second, 'given'],
    [first, 'answered'],
  ])
  drone.vanish()
  await eventually(async () => (await device('drone')).status === 'disconnected')
  assert.deepEqual(await code(give({ what: 'logs' })), [
    409,
    'device_disconnected',
    { device: 'drone', since: '2026-06-10T08:00:10.000Z' },
  ])
  const back = await connectDevice(linked)
  await back.catchUp()
  assert.deepEqual(
    [back.commands, await code(give({ what: 'logs' }))],
    [[], [409, 'not_able', { device: 'drone', what: 'logs' }]],
  )
})

test('an order from before the clock was set back holds up no other of its kind', async (t) => {
  const { clock, given } = await begin(t)
  clock.advance(HOUR)
  await given({ what: 'doctor' })
  clock.advance(-HOUR)
  await given({ what: 'doctor' })
})

test('orders are read in pages, and users see no details of those that may name secrets', async (t) => {
  const { drone, given, orders, user } = await begin(t)
  for (const body of [
    { what: 'configure', with: { settings: { pin: '1' } } },
    { what: 'logs' },
    { what: 'doctor' },
  ]) {
    const order = await given(body)
    await drone.publish('answers', { order, ok: true, output: 'line' })
  }
  const { orders: page, next_cursor } = await orders(user.token, { limit: '2' })
  assert.deepEqual(
    page.map(({ what, with: details, output }) => [what, details, output]),
    [
      ['doctor', null, 'line'],
      ['logs', null, null],
    ],
  )
  const { orders: rest } = await orders(user.token, { cursor: next_cursor! })
  assert.deepEqual(
    rest.map(({ what, with: details, output, ok }) => [what, details, output, ok]),
    [['configure', null, null, true]],
  )
  const [, logs, configure] = (await orders()).orders
  assert.deepEqual([logs!.with, configure!.with], [{ lines: 200 }, { settings: { pin: '1' } }])
})

test('orders are forgotten after 30 days', async (t) => {
  const clock = testClock('2026-06-10T08:00:00Z')
  const { db, link, close } = await openWorld(clock, () => {})
  t.after(close)
  const device_id = await link(1, 'drone')
  const at = '2026-06-10T08:00:00.000Z'
  const row = { company_id: 1, device_id, what: 'doctor', at, expires_at: '2026-06-10T08:02:00.000Z' }
  await db.write((tx) => tx.insert('orders', [row, { ...row, at: '2026-06-11T08:00:00.000Z' }]))
  clock.advance(30 * 24 * HOUR + SECOND)
  assert.equal(await forgetOrders({ db, clock }), false)
  assert.deepEqual(await db.read.query('select at from orders', {}), [{ at: '2026-06-11T08:00:00.000Z' }])
})
