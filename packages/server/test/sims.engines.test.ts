import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { keptIccid } from '@sdd/contract/fleet/sims.ts'
import { unlinkDevice } from '#server/fleet/linking/unlinking.ts'
import { submitTasks } from '#server/tasks/submission.ts'
import { HOUR } from './clock.ts'
import { OURS, THEIRS } from './figures.ts'
import { withoutUrls } from './model/steps.ts'
import { guidsOf, ICCIDS, openSims } from './sim-cards.ts'

const [FIRST, SECOND] = ICCIDS
const JUNE = { since: '2026-05-31T22:00:00.000Z', until: '2026-06-30T22:00:00.000Z' }
const NOTHING = { parts: 0, recipients: 0, ...JUNE }

test('an ICCID has 18 to 22 digits, without blanks, dashes and a filler at its end', () => {
  for (const written of ['8934 5611-0000 0000 011', '8934561100000000011F', '8934561100000000011f'])
    assert.equal(keptIccid(written), FIRST)
  for (const written of ['', '89345611000000000', '12345678901234567890123', 'F8934561100000000011', 'none'])
    assert.equal(keptIccid(written), undefined)
})

test('a SIM is known once a device names it, follows the device that named it last, and stays known', async (t) => {
  const { device, name, sims, sim, world } = await openSims(t)
  const [one, two] = [await device(OURS, 'one'), await device(OURS, 'two')]
  await name(one, { iccid: '8934 5611-0000 0000 022F' }, { iccid: 'no iccid' }, { iccid: FIRST })
  const common = { company_id: 2, plan: null, used: NOTHING, balance: null, balance_query: null, note: null }
  const bare = { ...common, number: null, operator: null }
  assert.deepEqual(await sims(), [
    { ...bare, iccid: FIRST, device_uid: 'one' },
    { ...bare, iccid: SECOND, device_uid: 'one' },
  ])
  await name(two, { iccid: FIRST, phone_number: '600 111 222', operator_name: 'Movistar' })
  assert.deepEqual(await sim(FIRST), {
    ...common,
    iccid: FIRST,
    number: '+34600111222',
    operator: 'Movistar',
    device_uid: 'two',
  })
  assert.equal((await sim(SECOND)).device_uid, 'one')
  await name(two)
  assert.equal((await sim(FIRST)).device_uid, null)
  const told: string[] = []
  const live = { ...world.needs.live, changed: (_: number, ...what: string[]) => void told.push(...what) }
  await unlinkDevice({ ...world.needs, live, endUnlinked: async () => {} }, OURS, 'one')
  assert.equal((await sim(SECOND)).device_uid, null)
  assert.ok(told.includes('sims'))
})

test('each company has a SIM of its own for the same card, and writes only one that it has seen', async (t) => {
  const { device, name, sims, save } = await openSims(t)
  await name(await device(OURS, 'ours'), { iccid: FIRST })
  await assert.rejects(save(FIRST, { note: 'x' }, THEIRS), { code: 'unknown_sim' })
  await name(await device(THEIRS, 'theirs'), { iccid: FIRST })
  await save(FIRST, { note: 'their card' }, THEIRS)
  assert.deepEqual(
    [await sims(OURS), await sims(THEIRS)].map((list) =>
      list.map(({ device_uid, note }) => [device_uid, note]),
    ),
    [[['ours', null]], [['theirs', 'their card']]],
  )
  await assert.rejects(save(SECOND, { note: 'x' }), { code: 'unknown_sim' })
})

test('an absent field of a change stays, and null clears it', async (t) => {
  const { device, name, save } = await openSims(t)
  await name(await device(OURS, 'one'), { iccid: FIRST, phone_number: '+34600111222' })
  const plan = { parts_per_month: 100, recipients_per_month: null, renews_on_day: 1, valid_until: null }
  const query = { code: '*100#', pattern: 'Saldo {amount}', currency: 'EUR', every_hours: null }
  const all = await save(FIRST, {
    number: '600 222 333',
    note: ' in the roof ',
    plan: { parts_per_month: 100 },
    balance_query: { code: '*100#', pattern: 'Saldo {amount}', currency: 'EUR' },
  })
  assert.deepEqual(
    [all.number, all.note, all.plan, all.balance_query],
    ['+34600222333', 'in the roof', plan, query],
  )
  const less = await save(FIRST, { number: null, note: null, plan: null })
  assert.deepEqual(
    [less.number, less.note, less.plan, less.balance_query],
    ['+34600111222', null, null, query],
  )
  assert.equal((await save(FIRST, { balance_query: null })).balance_query, null)
  await assert.rejects(save(FIRST, { number: '1234567' }), { code: 'invalid' })
  const risky = { code: '*100*1234#', pattern: '{amount}', currency: 'EUR' }
  await assert.rejects(save(FIRST, { balance_query: risky }), { code: 'confirm_required' })
  await save(FIRST, { balance_query: { ...risky, confirm: risky.code } })
})

test('a number written by hand may be asked for by messages, like the number from the device', async (t) => {
  const { device, name, save, world } = await openSims(t)
  const one = await device(OURS, 'one')
  await name(one, { iccid: FIRST, phone_number: '+34600111222' })
  const numbers = async () =>
    (await world.db.read.query<{ number: string }>('select number from device_sims order by number', {})).map(
      ({ number }) => number,
    )
  await save(FIRST, { number: '+34600222333' })
  assert.deepEqual(await numbers(), ['+34600111222', '+34600222333'])
  await name(one, { iccid: FIRST, phone_number: '+34600111222' })
  assert.deepEqual(await numbers(), ['+34600111222', '+34600222333'])
  await save(FIRST, { number: null })
  assert.deepEqual(await numbers(), ['+34600111222'])
})

const LEAVINGS = [
  [
    'loses its number',
    (sims) => sims.save(FIRST, { number: null }).then(() => sims.save(SECOND, { number: BY_HAND })),
  ],
  ['moves to another device', ({ name, other }) => name(other, { iccid: FIRST })],
] satisfies [string, (sims: Awaited<ReturnType<typeof waitForUsual>>) => Promise<unknown>][]
for (const [what, happen] of LEAVINGS) {
  test(`a task that waits for its usual device and a number written by hand moves on when its SIM ${what}`, async (t) => {
    const sims = await waitForUsual(t)
    assert.deepEqual(sims.other.commands, [])
    await happen(sims)
    await sims.world.settle()
    assert.deepEqual(guidsOf(sims.other.commands), [sims.guid])
  })
}

const BY_HAND = '+34600222333'

/** A task that asks for the number of a SIM in its usual device, which may send nothing for a while. */
async function waitForUsual(t: TestContext) {
  const sims = await openSims(t)
  const { device, name, save, set, send, report, world } = sims
  const [usual, other] = [await device(OURS, 'usual'), await device(OURS, 'other')]
  await name(usual, { iccid: FIRST })
  await name(other, { iccid: SECOND })
  await save(FIRST, { number: BY_HAND })
  await set(OURS, 600)
  await report(usual, await send(OURS, usual), 'sent')
  const task = { to_number: '+34600111222', text: 'hola', from_number: BY_HAND }
  const [result] = await submitTasks(withoutUrls(world), OURS, [task])
  await world.settle()
  return { ...sims, other, guid: result!.guid }
}

test('without a plan, the messages of the month are counted: parts that were not given back, and each recipient once', async (t) => {
  const { clock, device, name, send, submit, report, sim } = await openSims(t)
  const one = await device(OURS, 'one')
  await name(one, { iccid: FIRST })
  await report(one, await send(OURS, one), 'sent')
  await submit(OURS)
  const failed = await send(OURS, one)
  assert.deepEqual((await sim(FIRST)).used, { ...NOTHING, parts: 3, recipients: 1 })
  await report(one, failed, 'failed', 'invalid_number')
  assert.deepEqual((await sim(FIRST)).used, { ...NOTHING, parts: 2, recipients: 1 })
  const two = await device(OURS, 'two')
  await name(two, { iccid: FIRST })
  await send(OURS, two)
  assert.deepEqual((await sim(FIRST)).used, { ...NOTHING, parts: 3, recipients: 1 })
  clock.advance(21 * 24 * HOUR)
  assert.deepEqual((await sim(FIRST)).used, {
    parts: 0,
    recipients: 0,
    since: JUNE.until,
    until: '2026-07-31T22:00:00.000Z',
  })
})

test('a device lists its SIMs by slot, and one without an ICCID too', async (t) => {
  const { device, world, detail, sim } = await openSims(t)
  const one = await device(OURS, 'one')
  const sims = [
    { slot: 2, phone_number: '+34600111222', carrier: 'Orange' },
    { slot: 1, iccid: FIRST },
  ]
  await world.networks(one.from, { mobile: { sims } })
  const named = (await detail(OURS, 'one')).sims
  assert.deepEqual(named[0], { ...(await sim(FIRST)), slot: 1 })
  const { slot, iccid, number, operator, plan, device_uid } = named[1]!
  assert.deepEqual(
    [slot, iccid, number, operator, plan, device_uid],
    [2, null, '+34600111222', 'Orange', null, 'one'],
  )
})
