import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { listSims, saveSim, askBalance, type Sim } from '@sdd/contract/fleet/sims.ts'
import { listOrders } from '@sdd/contract/fleet/orders.ts'
import { instant } from '#server/core/clock.ts'
import { takeAnswer } from '#server/fleet/orders/orders.ts'
import { askBalance as askSimBalance, askDueBalances, noteBalance } from '#server/fleet/sims/balance.ts'
import { HOUR, MINUTE } from './clock.ts'
import { connectDevice, linkTestDevice } from './device.ts'
import { OURS } from './figures.ts'
import { startFleet } from './fleet.ts'
import { openSims, ICCIDS } from './sim-cards.ts'
import { call } from './server.ts'

const [FIRST, SECOND] = ICCIDS
const ICCID = FIRST
const QUERY = { code: '*100#', pattern: 'saldo: {amount}', currency: 'EUR' }
const TABLE = 'select credit_gone_at, balance_amount from sims'

async function begin(t: TestContext) {
  const fleet = await startFleet(t)
  const { server, token } = fleet
  const device = await connectDevice(await linkTestDevice(server, token, 'drone'), undefined, ['ussd'])
  const params = { iccid: ICCID }
  const name = (...iccids: string[]) =>
    device.publish('networks', { mobile: { sims: iccids.map((iccid, slot) => ({ slot, iccid })) } })
  await name(ICCID)
  return {
    ...fleet,
    device,
    name,
    save: (balance_query: unknown) =>
      call(server, saveSim, { token, params, body: { balance_query } as never }),
    ask: (iccid: string = ICCID) => call(server, askBalance, { token, params: { iccid } }),
    sim: async (): Promise<Sim> => (await call(server, listSims, { token })).body.sims[0]!,
  }
}

test('asking for a balance is an order to the device, and its answer is the balance', async (t) => {
  const { device, name, save, ask, sim, clock, server, token } = await begin(t)
  assert.equal((await ask()).body.code, 'no_balance_query')
  assert.equal((await ask(ICCIDS[1])).body.code, 'unknown_sim')
  await save(QUERY)
  const asked_at = instant(clock.now())
  const asked = await ask()
  assert.equal(asked.status, 202)
  const { order } = asked.body
  const [command] = (await device.until(1)) as unknown[]
  assert.deepEqual(command, {
    type: 'order',
    order,
    what: 'ussd',
    with: { code: '*100#' },
    expires_at: '2026-06-10T08:02:00.000Z',
  })
  assert.equal((await ask()).body.code, 'order_under_way')
  clock.advance(5_000)
  await device.publish('answers', { order, ok: true, output: 'Su SALDO: 12,50 EUR' })
  assert.deepEqual((await sim()).balance, { amount: 12.5, currency: 'EUR', asked_at })
  const second = (await ask()).body.order
  await device.publish('answers', { order: second, ok: true, output: 'No disponible' })
  assert.equal((await sim()).balance!.amount, 12.5)
  const { orders } = (await call(server, listOrders, { token, params: { uid: 'drone' } })).body
  assert.deepEqual(
    orders.map(({ id, by, what }) => [id, by !== null, what]),
    [
      [second, true, 'ussd'],
      [order, true, 'ussd'],
    ],
  )
  await name()
  assert.equal((await ask()).body.code, 'sim_away')
})

test('the server asks by itself, soon again if the device is away or busy', async (t) => {
  const { clock, world, device, name, save, sim } = await openSims(t)
  const one = await device(OURS, 'one')
  const said: unknown[] = []
  const broker = { toDeviceAnywhere: (uid: string, command: unknown) => said.push([uid, command]) > 0 }
  const needs = { ...world.needs, broker }
  const due = async () =>
    (await world.db.read.query<{ balance_due_at: string | null }>('select balance_due_at from sims', {}))[0]!
      .balance_due_at
  await name(one, { iccid: ICCID })
  await save(ICCID, { balance_query: QUERY })
  assert.equal(await due(), null)
  await save(ICCID, { balance_query: { ...QUERY, every_hours: 6 } })
  await askDueBalances(needs)
  // It said nothing of USSD, so it is not asked again soon.
  assert.deepEqual([said.length, await due()], [0, instant(clock.now() + 6 * HOUR)])
  await world.status(one.from, { status: 'connected', session: 's1', agent: 'x', abilities: ['ussd'] })
  clock.advance(6 * HOUR)
  await askDueBalances(needs)
  await askDueBalances(needs)
  assert.deepEqual([said.length, await due()], [1, instant(clock.now() + 6 * HOUR)])
  await world.cut(one.from)
  clock.advance(6 * HOUR)
  await askDueBalances(needs)
  assert.deepEqual([said.length, await due()], [1, instant(clock.now() + 10 * MINUTE)])
  assert.equal((await sim(ICCID)).balance, null)
})

test('a SIM without credit counts as empty until a message goes out', async (t) => {
  const { world, device, name, send, report } = await openSims(t)
  const one = await device(OURS, 'one')
  await name(one, { iccid: ICCID })
  const goneAt = async () =>
    (await world.db.read.query<{ credit_gone_at: string | null }>(TABLE, {}))[0]!.credit_gone_at
  await report(one, await send(OURS, one), 'failed', 'no_credit')
  assert.equal(await goneAt(), '2026-06-10T08:20:00.000Z')
  await report(one, await send(OURS, one), 'failed', 'invalid_number')
  assert.notEqual(await goneAt(), null)
  await report(one, await send(OURS, one), 'sent')
  assert.equal(await goneAt(), null)
})

test('a device with two SIMs: only a message from the SIM without credit says that there is some again', async (t) => {
  const { world, device, name, send, now } = await openSims(t)
  const dual = await device(OURS, 'dual')
  await name(dual, { iccid: FIRST }, { iccid: SECOND })
  const report = async (sim: string, outcome: { state: 'sent' | 'failed'; code?: string }) => {
    const guid = await send(OURS, dual)
    await world.reports(dual.from, [{ guid, attempt: 1, at: now(), sim, ...outcome }])
    return world.db.read.query('select iccid from sims where credit_gone_at is not null', {})
  }
  for (const [empty, other] of [
    [FIRST, SECOND],
    [SECOND, FIRST],
  ] as const) {
    const gone = [{ iccid: empty }]
    assert.deepEqual(await report(empty, { state: 'failed', code: 'no_credit' }), gone)
    assert.deepEqual(await report(other, { state: 'sent' }), gone)
    assert.deepEqual(await report(empty, { state: 'sent' }), [])
  }
})

test('an answer that is a balance changes the list of SIMs, and another answer does not', async (t) => {
  const { world, device, name, save } = await openSims(t)
  const one = await device(OURS, 'one')
  await world.status(one.from, { status: 'connected', session: 's1', agent: 'x', abilities: ['ussd'] })
  await name(one, { iccid: FIRST })
  await save(FIRST, { balance_query: QUERY })
  const needs = { ...world.needs, broker: { toDeviceAnywhere: () => true } }
  const answer = async (output: string) => {
    const told: string[] = []
    const live = { ...world.needs.live, changed: (_: number, ...what: string[]) => void told.push(...what) }
    const { order } = await askSimBalance(needs, OURS, FIRST)
    await takeAnswer({ ...needs, live }, one.from, { order, ok: true, output }, noteBalance)
    return told
  }
  assert.deepEqual(await answer('Saldo: 3'), ['devices', 'sims'])
  assert.deepEqual(await answer('No disponible'), ['devices'])
})
