import assert from 'node:assert/strict'
import { test } from 'node:test'
import { editDevice } from '#server/fleet/devices/changing.ts'
import { saveRoutes } from '#server/fleet/routes/saving.ts'
import { SECOND } from './clock.ts'
import { OURS } from './figures.ts'
import { guidsOf, ICCIDS, openSimPlans } from './sim-cards.ts'

/** Tasks that ask for a SIM by its number, on devices with several SIMs that have plans. */

const [FIRST, SECOND_SIM] = ICCIDS

test('a task for the number of a SIM waits for the plan of that SIM, whatever room another SIM has', async (t) => {
  const { device, name, save, task, waits } = await openSimPlans(t)
  const dual = await device(OURS, 'dual')
  await name(
    dual,
    { iccid: FIRST, phone_number: '+34600000001' },
    { iccid: SECOND_SIM, phone_number: '+34600000002' },
  )
  await save(FIRST, { plan: { parts_per_month: 10 } })
  await save(SECOND_SIM, { plan: { parts_per_month: 0, renews_on_day: 20 } })
  const asking = await task('+34600111222', { from_number: '+34600000002' })
  const at = '2026-06-19T22:00:00.000Z'
  assert.deepEqual((await waits()).get(asking), ['plan_used', { iccid: SECOND_SIM, at }])
  await save(FIRST, { plan: { parts_per_month: 0 } })
  assert.deepEqual((await waits()).get(asking), ['plan_used', { iccid: SECOND_SIM, at }])
})

test('a SIM without an ICCID sends what asks for its number, while the plan of another SIM of the device has no room', async (t) => {
  const { device, name, save, task, waits, clock, world } = await openSimPlans(t)
  const dual = await device(OURS, 'dual')
  await name(dual, { iccid: FIRST, phone_number: '+34600000001' }, { phone_number: '+34600000002' })
  await save(FIRST, { plan: { parts_per_month: 0 } })
  const held = await task('+34600111222')
  const given = await task('+34600111222', { from_number: '+34600000002' })
  clock.advance(6 * SECOND)
  await world.settle()
  assert.deepEqual(guidsOf(dual.commands), [given])
  assert.equal((await waits()).get(held)![0], 'plan_used')
  const next = await task('+34600111222', { from_number: '+34600000002' })
  assert.notEqual((await waits()).get(next)?.[0], 'plan_used')
})

test('a fallback has its turn by the plan of the SIM that a message asks for, whatever room another SIM has', async (t) => {
  const { clock, world, device, name, save, task } = await openSimPlans(t)
  // It has its turn first.
  const other = await device(OURS, 'other')
  const routed = await device(OURS, 'routed')
  const [asked, unplanned] = ['+34600000001', '+34600000002'] as const
  await name(other, { iccid: ICCIDS[2], phone_number: asked }, { phone_number: unplanned })
  await name(
    routed,
    { iccid: FIRST, phone_number: asked },
    { iccid: SECOND_SIM, phone_number: '+34600000003' },
    { phone_number: unplanned },
  )
  await editDevice(world.needs, OURS, 'routed', { tags: ['north'] })
  const rule = { match: {}, via: 'north', fallback: 'any', fallback_after_secs: 0, enabled: true }
  await saveRoutes(world.needs, OURS, { routes: [rule] })
  await save(FIRST, { plan: { parts_per_month: 0 } })
  await task('+34600111222', { from_number: asked })
  assert.deepEqual([routed.commands.length, other.commands.length], [0, 1])
  await save(SECOND_SIM, { plan: { parts_per_month: 0 } })
  clock.advance(SECOND)
  await task('+34600111222', { from_number: unplanned })
  assert.deepEqual([routed.commands.length, other.commands.length], [1, 1])
})
