import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setEnabled } from '#server/fleet/devices/devices.ts'
import { answerConversation } from '#server/people/conversations/answering.ts'
import { OURS } from './figures.ts'
import { guidsOf, ICCIDS, openSimPlans } from './sim-cards.ts'

/** A modem that starts, or a phone that does not answer, does not know its SIMs: `mobile` is null. */

const [FIRST] = ICCIDS
const [OWN, OTHERS] = ['+34600999101', '+34600999102'] as const
const SENDER = '+34600111222'

/** A device whose SIM has a plan of one part, and one without an ICCID; both said their number. */
async function openModem(t: TestContext) {
  const sims = await openSimPlans(t)
  const { device, name, save, world, now } = sims
  const modem = await device(OURS, 'modem')
  await name(modem, { iccid: FIRST, phone_number: OWN }, { phone_number: OTHERS })
  await save(FIRST, { plan: { parts_per_month: 1 } })
  return {
    ...sims,
    modem,
    forget: () => world.networks(modem.from, { wifi: null, mobile: null }),
    hear: () => world.inbox(modem.from, { id: 'sms', from: SENDER, text: 'hello?', at: now(), sim: 2 }),
    enable: (enabled: boolean) => setEnabled(world.needs, OURS, 'modem', enabled),
    answer: () => answerConversation(world.needs, OURS, { number: SENDER }, { text: 'yes?' }),
    numbers: async (uid: string) =>
      (
        await world.db.read.query<{ number: string }>(
          `select number from device_sims join devices on devices.id = device_id where uid = :uid order by number`,
          { uid },
        )
      ).map(({ number }) => number),
  }
}

test('a reply keeps its SIM while its device does not know its SIMs, and a new one asks for it too', async (t) => {
  const { device, modem, forget, hear, enable, answer, numbers, sim, world } = await openModem(t)
  const another = await device(OURS, 'another')
  await hear()
  await enable(false)
  const before = await answer()
  await forget()
  const after = await answer()
  await world.settle()
  assert.deepEqual(another.commands, [])
  assert.deepEqual(await numbers('modem'), [OWN, OTHERS])
  assert.equal((await sim(FIRST)).device_uid, 'modem')
  await enable(true)
  await world.settle()
  assert.deepEqual(
    modem.commands.map(({ guid, from }) => [guid, from]),
    [
      [before.guid, OTHERS],
      [after.guid, OTHERS],
    ],
  )
})

test('a used-up plan holds while its device does not know its SIMs, and the device shows them', async (t) => {
  const { modem, forget, task, waits, used, detail, world } = await openModem(t)
  const sent = await task(SENDER, { from_number: OWN })
  await forget()
  const waiting = await task(SENDER, { from_number: OWN })
  assert.deepEqual(guidsOf(modem.commands), [sent])
  assert.equal((await waits()).get(waiting)?.[0], 'plan_used')
  assert.deepEqual(await used(FIRST), [1, 1])
  const { sims, sim_ids } = await detail(OURS, 'modem')
  assert.deepEqual(
    [sims.map(({ number }) => number), sim_ids],
    [
      [OWN, OTHERS],
      [OWN, FIRST, OTHERS],
    ],
  )
  const [row] = await world.db.read.query<{ networks: string }>('select networks from devices', {})
  assert.equal(JSON.parse(row!.networks).mobile, null)
})

test('a number written by hand changes while the device does not know its SIMs', async (t) => {
  const { forget, save, numbers } = await openModem(t)
  await forget()
  await save(FIRST, { number: '+34600999103' })
  assert.deepEqual(await numbers('modem'), [OWN, OTHERS, '+34600999103'])
  await save(FIRST, { number: null })
  assert.deepEqual(await numbers('modem'), [OWN, OTHERS])
})

test('a SIM leaves a device that does not know its SIMs once another one names it', async (t) => {
  const { device, name, forget, numbers, sim, detail } = await openModem(t)
  const another = await device(OURS, 'another')
  await forget()
  await forget()
  await name(another, { iccid: FIRST, phone_number: OWN })
  assert.equal((await sim(FIRST)).device_uid, 'another')
  assert.deepEqual([await numbers('modem'), await numbers('another')], [[OTHERS], [OWN]])
  assert.deepEqual(
    (await detail(OURS, 'modem')).sims.map(({ number }) => number),
    [OTHERS],
  )
})

test('a device without a SIM says so with an empty list', async (t) => {
  const { modem, name, forget, numbers, sim } = await openModem(t)
  await name(modem)
  await forget()
  assert.deepEqual(await numbers('modem'), [])
  assert.equal((await sim(FIRST)).device_uid, null)
})
