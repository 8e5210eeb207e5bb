import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rememberSender } from '#server/dispatch/lanes/last-device.ts'
import { queueMessage } from '#server/messages/messages/messages.ts'
import { renewPlans } from '#server/fleet/sims/upkeep.ts'
import { submitTasks } from '#server/tasks/submission.ts'
import { HOUR, SECOND } from './clock.ts'
import { OURS } from './figures.ts'
import { withoutUrls } from './model/steps.ts'
import { guidsOf, ICCIDS, openSimPlans } from './sim-cards.ts'

const [FIRST, SECOND_SIM] = ICCIDS
const RENEWAL = '2026-06-30T22:00:00.000Z'
const DAYS_TO_RENEWAL = 21

test('a command names the first SIM by slot that has room, or the SIM that the message asks for', async (t) => {
  const { device, name, save, task, used } = await openSimPlans(t)
  const dual = await device(OURS, 'dual')
  await name(
    dual,
    { iccid: FIRST, phone_number: '+34600000001' },
    { iccid: SECOND_SIM, phone_number: '+34600000002' },
  )
  await task()
  assert.equal(dual.commands[0]!.iccid, undefined)
  await save(FIRST, { plan: { parts_per_month: 3 } })
  await task()
  await task('+34600111222', { from_number: '+34600000002' })
  await task()
  await task()
  assert.deepEqual(
    dual.commands.slice(1).map(({ iccid }) => iccid),
    [FIRST, SECOND_SIM, FIRST, SECOND_SIM],
  )
  // Those before the plan count, too.
  assert.deepEqual(
    [await used(FIRST), await used(SECOND_SIM)],
    [
      [3, 1],
      [2, 1],
    ],
  )
})

test('without a plan, a message counts on the SIM that it asks for, and on none whose ICCID is not known', async (t) => {
  const { device, name, task, used } = await openSimPlans(t)
  const dual = await device(OURS, 'dual')
  const numbers = ['+34600000001', '+34600000002', '+34600000003'] as const
  await name(
    dual,
    { iccid: FIRST, phone_number: numbers[0] },
    { iccid: SECOND_SIM, phone_number: numbers[1] },
    { phone_number: numbers[2] },
  )
  for (const from_number of numbers) await task('+34600111222', { from_number })
  await task('+34600111223', { from_number: numbers[1] })
  assert.deepEqual(
    dual.commands.map(({ iccid }) => iccid),
    [undefined, undefined, undefined, undefined],
  )
  assert.deepEqual(
    [await used(FIRST), await used(SECOND_SIM)],
    [
      [1, 1],
      [2, 2],
    ],
  )
})

test('a message that waits for the plan of its SIM holds up those with room for half a second at most', async (t) => {
  const { clock, world, device, name, save, task } = await openSimPlans(t)
  const dual = await device(OURS, 'dual')
  await name(
    dual,
    { iccid: FIRST, phone_number: '+34600000001' },
    { iccid: SECOND_SIM, phone_number: '+34600000002' },
  )
  await save(FIRST, { plan: { parts_per_month: 0 } })
  await task('+34600111222', { from_number: '+34600000001' })
  for (let handed = 1; handed <= 3; handed++) {
    await task()
    clock.advance(SECOND / 2)
    await world.settle()
    assert.equal(dual.commands.length, handed)
  }
})

test('a used-up plan makes messages wait until it renews, and refuses what a person sends', async (t) => {
  const { clock, world, device, name, save, task, sendTo, waits, sim, used } = await openSimPlans(t)
  const one = await device(OURS, 'one')
  await name(one, { iccid: FIRST })
  await save(FIRST, { plan: { parts_per_month: 2 } })
  await sendTo(one, '+34600000001')
  await task()
  const waiting = await task()
  const why = ['plan_used', { iccid: FIRST, at: RENEWAL }]
  assert.deepEqual((await waits()).get(waiting), why)
  const days = DAYS_TO_RENEWAL * 24 * 3_600 - 10 * 3_600 - 20 * 60
  await assert.rejects(sendTo(one, '+34600000001'), {
    code: 'plan_used',
    params: { device: 'one', iccid: FIRST, at: RENEWAL },
    retry_after_secs: days,
  })
  assert.deepEqual((await sim(FIRST)).used.until, RENEWAL)
  await save(FIRST, { plan: { parts_per_month: 3 } })
  await world.settle()
  assert.equal(one.commands.at(-1)!.guid, waiting)
  const last = await task()
  assert.deepEqual((await waits()).get(last), why)
  clock.advance(days * SECOND)
  await world.settle()
  assert.deepEqual([await used(FIRST), one.commands.length], [[0, 0], 3])
  await save(FIRST, { plan: { parts_per_month: 0 } })
  const never = await task()
  assert.deepEqual((await waits()).get(never), [
    'plan_used',
    { iccid: FIRST, at: '2026-07-31T22:00:00.000Z' },
  ])
  clock.advance(31 * 24 * HOUR)
  assert.equal(await renewPlans(world.needs), false)
  const later = await task()
  assert.deepEqual((await waits()).get(later), [
    'plan_used',
    { iccid: FIRST, at: '2026-08-31T22:00:00.000Z' },
  ])
})

for (const [what, code] of [
  ['has failed', 'barred'],
  ['waits for a retry', 'no_network'],
] as const)
  test(`a message that ${what} counts again once its device reports that it was transmitted`, async (t) => {
    const { device, name, save, task, used, report, detail } = await openSimPlans(t)
    const one = await device(OURS, 'one')
    await name(one, { iccid: FIRST })
    await save(FIRST, { plan: { parts_per_month: 10 } })
    const counted = async () => [(await detail(OURS, 'one')).sent_today, ...(await used(FIRST))]
    const guid = await task('+34600111222', { text: 'x'.repeat(400) })
    assert.deepEqual(await counted(), [3, 3, 1])
    await report(one, guid, 'failed', code)
    assert.deepEqual(await counted(), [0, 0, 0])
    for (const state of ['sent', 'delivered', 'delivered'] as const) {
      await report(one, guid, state)
      assert.deepEqual(await counted(), [3, 3, 1])
    }
  })

test('a message that went out after all counts neither on another day nor in another period', async (t) => {
  const { clock, world, device, name, save, task, used, report, detail } = await openSimPlans(t)
  const one = await device(OURS, 'one')
  await name(one, { iccid: FIRST })
  await save(FIRST, { plan: { parts_per_month: 10 } })
  const guid = await task('+34600111222', { text: 'x'.repeat(400) })
  await report(one, guid, 'failed', 'barred')
  clock.advance(DAYS_TO_RENEWAL * 24 * HOUR)
  await world.settle()
  await task('+34600111223')
  await report(one, guid, 'delivered')
  assert.deepEqual([(await detail(OURS, 'one')).sent_today, ...(await used(FIRST))], [1, 1, 1])
})

test('a message of the last period counts on no SIM that its report names in the new one', async (t) => {
  const { clock, world, device, name, save, sendTo, used, now } = await openSimPlans(t)
  const dual = await device(OURS, 'dual')
  await name(dual, { iccid: FIRST, phone_number: '+34600000001' }, { iccid: SECOND_SIM })
  for (const iccid of [FIRST, SECOND_SIM]) await save(iccid, { plan: { parts_per_month: 10 } })
  const [first, second] = [await sendTo(dual, '+34600000008'), await sendTo(dual, '+34600000009')]
  clock.advance(DAYS_TO_RENEWAL * 24 * HOUR)
  const both = async () => [await used(FIRST), await used(SECOND_SIM)]
  for (const guid of [first, second]) {
    // The second report finds the period already renewed.
    await world.reports(dual.from, [{ guid, attempt: 1, state: 'sent', at: now(), sim: SECOND_SIM }])
    assert.deepEqual(await both(), [
      [0, 0],
      [0, 0],
    ])
  }
})

test('a device without room in its plan is passed over, and one whose SIM is no longer valid too', async (t) => {
  const { device, name, save, task, waits } = await openSimPlans(t)
  const [full, other] = [await device(OURS, 'full'), await device(OURS, 'other')]
  await name(full, { iccid: FIRST, phone_number: '+34600000001' })
  await save(FIRST, { plan: { parts_per_month: 1 } })
  const sent = [await task('+34600111221'), await task('+34600111222'), await task('+34600111223')]
  assert.deepEqual(new Set([...guidsOf(full.commands), ...guidsOf(other.commands)]), new Set(sent))
  assert.equal(full.commands.length <= 1, true)
  await task('+34600111224')
  await task('+34600111225')
  const asking = await task('+34600111226', { from_number: '+34600000001' })
  const room = full.commands.length === 0
  assert.deepEqual(
    (await waits()).get(asking),
    room ? undefined : ['plan_used', { iccid: FIRST, at: RENEWAL }],
  )
  await save(FIRST, { plan: { valid_until: '2026-06-09' } })
  const late = await task('+34600111227', { from_number: '+34600000001' })
  assert.deepEqual((await waits()).get(late), [
    'plan_used',
    { iccid: FIRST, at: '2026-06-09T22:00:00.000Z', valid_until: '2026-06-09' },
  ])
})

test('a recipient counts once: messages to it go on when the plan has no room for new ones', async (t) => {
  const { world, device, name, save, sendTo, task, used, waits, clock } = await openSimPlans(t)
  const one = await device(OURS, 'one')
  await name(one, { iccid: FIRST })
  await save(FIRST, { plan: { recipients_per_month: 2 } })
  await sendTo(one, '+34600000001')
  await sendTo(one, '+34600000001')
  await task('+34600000002')
  assert.deepEqual(await used(FIRST), [3, 2])
  const waiting = await task('+34600000003')
  await assert.rejects(sendTo(one, '+34600000003'), { code: 'plan_used' })
  clock.advance(6 * SECOND)
  const known = await task('+34600000002')
  await world.settle()
  assert.deepEqual(guidsOf(one.commands).at(-1), known)
  const held = [...(await waits())].filter(([, [code]]) => code === 'plan_used')
  assert.deepEqual(held, [[waiting, ['plan_used', { iccid: FIRST, at: RENEWAL }]]])
})

test('messages without room in a plan hold up nothing behind them that has room, in any queue', async (t) => {
  const { world, device, name, save, task, clock } = await openSimPlans(t)
  const one = await device(OURS, 'one')
  await name(one, { iccid: FIRST, phone_number: '+34600000001' })
  await save(FIRST, { plan: { recipients_per_month: 1 } })
  const first = await task('+34600999999')
  const blocked = Array.from({ length: 120 }, (_, n) => ({
    to_number: `+346001${String(n).padStart(5, '0')}`,
    text: 'hola',
  }))
  for (const more of [{}, { from_number: '+34600000001' }])
    await submitTasks(
      withoutUrls(world),
      OURS,
      blocked.map((each) => ({ ...each, ...more })),
    )
  await world.settle()
  clock.advance(6 * SECOND)
  await world.settle()
  assert.deepEqual(guidsOf(one.commands), [first])
  const known: string[] = []
  for (const more of [{}, { from_number: '+34600000001' }]) known.push(await task('+34600999999', more))
  clock.advance(6 * SECOND)
  await world.settle()
  assert.deepEqual(guidsOf(one.commands), [first, ...known])
})

test('in the queue of a device, 1,000 messages at most are read for one that has room in a plan', async (t) => {
  const { world, device, name, save, sendTo, limit, set, clock, report } = await openSimPlans(t)
  const one = await device(OURS, 'one')
  await name(one, { iccid: FIRST })
  await limit(OURS, one, 100_000)
  await set(OURS, 600)
  const known = await sendTo(one, '+34600999999')
  const queue = async (count: number, from: number) => {
    for (let n = from; n < from + count; n++)
      await queueMessage(world.needs, OURS, {
        device_uid: 'one',
        telefono_to: `+346001${String(n).padStart(5, '0')}`,
        mensaje_sms: 'hola',
      })
  }
  const pass = async () => {
    clock.advance(601 * SECOND)
    await world.settle()
  }
  await queue(999, 0)
  await save(FIRST, { plan: { recipients_per_month: 1 } })
  const last = await sendTo(one, '+34600999999')
  await report(one, known, 'sent')
  await pass()
  await report(one, last, 'sent')
  assert.deepEqual(guidsOf(one.commands), [known, last])
  await save(FIRST, { plan: null })
  await queue(1, 999)
  await save(FIRST, { plan: { recipients_per_month: 1 } })
  await sendTo(one, '+34600999999')
  await pass()
  assert.deepEqual(guidsOf(one.commands), [known, last])
})

test('a plan without room for new recipients keeps those that its device serves, and gives up the others', async (t) => {
  const { world, device, name, save, task, now } = await openSimPlans(t)
  const one = await device(OURS, 'one')
  await name(one, { iccid: FIRST })
  await save(FIRST, { plan: { recipients_per_month: 1 } })
  const first = await task('+34600000001')
  await world.reports(one.from, [{ guid: first, attempt: 1, state: 'sent', at: now() }])
  const { company_id, device_id } = one.from
  const earlier = { company_id, device_id, message_to: '+34600000002' }
  await world.needs.db.write((tx) => rememberSender(tx, earlier, now()))
  const two = await device(OURS, 'two')
  const known = await task('+34600000001')
  const fresh = await task('+34600000002')
  assert.deepEqual([guidsOf(one.commands), guidsOf(two.commands)], [[first, known], [fresh]])
})

test('a report moves the count to the SIM that it names, and returns parts that were not transmitted', async (t) => {
  const { device, name, save, sendTo, report, world, now, used } = await openSimPlans(t)
  const dual = await device(OURS, 'dual')
  await name(dual, { iccid: FIRST, phone_number: '+34600000001' }, { iccid: SECOND_SIM })
  for (const iccid of [FIRST, SECOND_SIM]) await save(iccid, { plan: { parts_per_month: 10 } })
  const guid = await sendTo(dual, '+34600000009')
  const both = async () => [await used(FIRST), await used(SECOND_SIM)]
  assert.deepEqual(await both(), [
    [1, 1],
    [0, 0],
  ])
  for (const sim of [SECOND_SIM, 2, '2']) {
    await world.reports(dual.from, [{ guid, attempt: 1, state: 'accepted', at: now() }])
    await world.reports(dual.from, [{ guid, attempt: 1, state: 'sent', at: now(), sim }])
    assert.deepEqual(await both(), [
      [0, 0],
      [1, 1],
    ])
  }
  const failing = await sendTo(dual, '+34600000010')
  assert.deepEqual(await both(), [
    [1, 1],
    [1, 1],
  ])
  await report(dual, failing, 'failed', 'invalid_number')
  assert.deepEqual(await both(), [
    [0, 0],
    [1, 1],
  ])
  const again = await sendTo(dual, '+34600000009')
  await world.reports(dual.from, [
    { guid: again, attempt: 1, state: 'failed', code: 'invalid_number', at: now(), sim: SECOND_SIM },
  ])
  assert.deepEqual(await both(), [
    [0, 0],
    [1, 1],
  ])
})

test('a report may name the SIM by its ICCID, slot or number, in each form that a device writes', async (t) => {
  const { device, name, save, sendTo, world, now, used } = await openSimPlans(t)
  const dual = await device(OURS, 'dual')
  await name(dual, { iccid: FIRST }, { iccid: SECOND_SIM, phone_number: '600 000 002' })
  await save(SECOND_SIM, { number: '+34600000003' })
  for (const iccid of [FIRST, SECOND_SIM]) await save(iccid, { plan: { parts_per_month: 20 } })
  const names = [SECOND_SIM, `${SECOND_SIM}F`, 2, '600000002', '600-000-002', '+34 600 000 002', '600000003']
  for (const [n, sim] of names.entries()) {
    const guid = await sendTo(dual, '+34600000009')
    await world.reports(dual.from, [{ guid, attempt: 1, state: 'sent', at: now(), sim }])
    assert.deepEqual([(await used(FIRST))[0], (await used(SECOND_SIM))[0]], [0, n + 1], String(sim))
  }
})

test('the plan and its count move with the card, and a repeated command names the same SIM', async (t) => {
  const { clock, world, device, name, save, sendTo, used, task } = await openSimPlans(t)
  const [one, two] = [await device(OURS, 'one'), await device(OURS, 'two')]
  await name(one, { iccid: FIRST })
  await save(FIRST, { plan: { parts_per_month: 2 } })
  await sendTo(one, '+34600000001')
  clock.advance(31 * SECOND)
  await world.settle()
  assert.deepEqual(
    one.commands.map(({ iccid }) => iccid),
    [FIRST, FIRST],
  )
  await name(two, { iccid: FIRST })
  await sendTo(two, '+34600000002')
  assert.deepEqual(await used(FIRST), [2, 2])
  await assert.rejects(sendTo(two, '+34600000002'), { code: 'plan_used' })
  await sendTo(one, '+34600000003')
  const guid = await task('+34600000004')
  assert.equal(guidsOf(one.commands).includes(guid), true)
  clock.advance(HOUR)
})
