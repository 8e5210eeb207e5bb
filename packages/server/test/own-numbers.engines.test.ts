import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { numberOfSim } from '#server/fleet/sims/own-numbers.ts'
import { openSimNumbers } from '#server/outward/doors/twilio/sim-numbers.ts'
import { answerConversation } from '#server/people/conversations/answering.ts'
import { OURS, THEIRS } from './figures.ts'
import { ICCIDS, openSims } from './sim-cards.ts'

/** An SMS on one of two SIMs, whose numbers a person wrote by hand because the device does not report them. */

const [FIRST, SECOND] = ICCIDS
const SENDER = '+34600111222'
const OWN = '+34600999102'

/** A device in which the second SIM has the number `OWN`. The first one has a plan, so commands name their SIM. */
async function openDual(t: TestContext) {
  const sims = await openSims(t)
  const { device, name, save, world, now } = sims
  const dual = await device(OURS, 'dual')
  await name(dual, { iccid: FIRST }, { iccid: SECOND })
  await save(FIRST, { number: '600 999 101', plan: { parts_per_month: 1_000 } })
  await save(SECOND, { number: '600 999 102' })
  let received = 0
  const hear = (text: string, sim: string | number | null) =>
    world.inbox(dual.from, { id: `sms-${++received}`, from: SENDER, text, at: now(), sim })
  const left = () => dual.commands.map(({ from, iccid }) => [from, iccid])
  return { ...sims, dual, hear, left }
}

for (const sim of [SECOND, '8934 5611-0000 0000 022F', 2, '600 999 102']) {
  test(`the answer of a keyword leaves by the SIM that received it, named ${sim}`, async (t) => {
    const { hear, left, world } = await openDual(t)
    const keyword = { word: 'INFO', word_key: 'info', answer: 'Hola', action: 'answer' } as const
    await world.db.write((tx) => tx.insert('keywords', [{ company_id: OURS.company_id, ...keyword }]))
    await hear('info', sim)
    await world.settle()
    assert.deepEqual(left(), [[OWN, SECOND]])
  })

  test(`a reply in a conversation leaves by the SIM that last received an SMS, named ${sim}`, async (t) => {
    const { hear, left, world } = await openDual(t)
    await hear('hello?', sim)
    await answerConversation(world.needs, OURS, { number: SENDER }, { text: 'yes?' })
    await world.settle()
    assert.deepEqual(left(), [[OWN, SECOND]])
  })
}

test('other systems are told the number written by hand of the SIM that received an SMS', async (t) => {
  const { hear, world, now } = await openDual(t)
  const { company_id } = OURS
  await world.db.write(async (tx) => {
    const key = { company_id, name: 'shop', key_hash: 'x', hint: 'x', webhook_secret: '' }
    const api_key_id = await tx.insertRow('api_keys', { ...key, may: '["inbox:read"]', created_at: now() })
    await tx.put('smpp_receivers', { api_key_id }, { bound_at: now() })
    const hook = { company_id, types: '["sms.received"]', secret: '', created_at: now() }
    await tx.insert('webhooks', [
      { ...hook, url: 'http://localhost/twilio', format: 'twilio', api_key_id },
      { ...hook, url: 'http://localhost/kannel?to=%P', format: 'kannel' },
    ])
  })
  await hear('hello?', SECOND)
  const rows = await world.db.read.query<{ body: string }>('select body from callbacks order by id', {})
  const [twilio, kannel] = rows.map(({ body }) => body)
  assert.equal(new URLSearchParams(twilio).get('To'), OWN)
  assert.equal(new URL(kannel!).searchParams.get('to'), OWN)
  const [smpp] = await world.db.read.query<{ body: string }>('select body from smpp_deliveries', {})
  assert.ok(Buffer.from(smpp!.body, 'hex').includes(OWN.slice(1)))
  assert.equal(await openSimNumbers(world.db.read)('dual', SECOND), OWN)
})

test('a device shows the numbers of its SIMs in their stored form, and any other text as it wrote it', async (t) => {
  const { device, name, detail } = await openSims(t)
  await name(await device(OURS, 'one'), { phone_number: '+34 600 999 001' }, { phone_number: 'unknown' })
  const { sims, sim_ids } = await detail(OURS, 'one')
  const shown = ['+34600999001', 'unknown']
  assert.deepEqual([sims.map(({ number }) => number), sim_ids], [shown, shown])
})

test('the number of a SIM is the one written by hand, else the reported one as its company writes numbers', async (t) => {
  const { device, name, save, world } = await openSims(t)
  const numbers = (uid: string, ...names: (string | number | null)[]) =>
    Promise.all(names.map((sim) => numberOfSim(world.db.read, uid, sim)))
  const dual = await device(OURS, 'dual')
  await name(dual, { iccid: FIRST, phone_number: '600 999 101' }, { phone_number: '+34 600 999 102' })
  assert.deepEqual(await numbers('dual', FIRST, 2, 3, null), ['+34600999101', OWN, undefined, undefined])
  await save(FIRST, { number: '600 999 103' })
  assert.deepEqual(await numbers('dual', FIRST, '600999101', '600999103', 2), [
    ...Array(3).fill('+34600999103'),
    OWN,
  ])
  await name(dual, { iccid: FIRST })
  assert.deepEqual(await numbers('dual', null, FIRST), ['+34600999103', '+34600999103'], 'its only SIM')
  await name(dual, { iccid: SECOND, phone_number: 'unknown' }, { iccid: FIRST })
  assert.deepEqual(await numbers('dual', SECOND, FIRST), [undefined, '+34600999103'])
  await world.db.write((tx) =>
    tx.update('settings', { company_id: THEIRS.company_id }, { default_country: 'PT' }),
  )
  await name(await device(THEIRS, 'theirs'), { phone_number: '912 345 678' })
  assert.deepEqual(await numbers('theirs', null), ['+351912345678'])
})
