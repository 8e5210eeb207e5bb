import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR, MINUTE, SECOND } from './clock.ts'
import { connectDevice, eventually, type TestDevice } from './device.ts'
import { givenTo, startFleet } from './fleet.ts'

const TO = '+34600111222'
const DAY = 24 * HOUR

/** Two devices: `usual` has written to that number; the other one's slot has been open longer. */
async function begin(t: Parameters<typeof startFleet>[0]) {
  const fleet = await startFleet(t)
  const usual = await fleet.join('usual', '+34611000001')
  const guid = await fleet.hand({ to_number: TO })
  await usual.until(1)
  await usual.report({ guid, state: 'sent' })
  const other = await fleet.join('other', '+34611000002')
  const sent = async (device: TestDevice, guid: string) => device.report({ guid, state: 'sent' })
  return { ...fleet, usual, other, sent }
}

test('a recipient keeps hearing from the same device, in any notation of its number', async (t) => {
  const { hand, usual, other, sent } = await begin(t)
  for (const to_number of [TO, '600 111 222', '0034600111222']) {
    const before = givenTo(usual).length
    const guid = await hand({ to_number })
    await usual.until(before + 1)
    await sent(usual, guid)
  }
  assert.deepEqual(givenTo(other), [])
  const stranger = await hand({ to_number: '+34600111223' })
  await other.until(1)
  assert.deepEqual(givenTo(other), [stranger])
})

test('a task waits up to ten minutes for its usual device, then any device may take it', async (t) => {
  const { hand, usual, other, set, pass, read, device, lookedAtAll } = await begin(t)
  await set(1_200)
  const guid = await hand({ to_number: TO })
  await pass(10 * MINUTE - 1)
  await lookedAtAll()
  assert.deepEqual([givenTo(usual).length, givenTo(other)], [1, []])
  assert.equal((await device('usual')).queued, 1)
  assert.equal((await read(guid)).state, 'received')
  await pass(1)
  await other.until(1)
  assert.deepEqual(givenTo(other), [guid])
  assert.equal((await device('usual')).queued, 0)
})

test('a task that expires soon waits for its usual device half of its time', async (t) => {
  const { hand, other, set, pass, lookedAtAll } = await begin(t)
  await set(1_200)
  const guid = await hand({ to_number: TO, expires_at: '2026-06-10T08:05:00Z' })
  await pass(2.5 * MINUTE - 1)
  await lookedAtAll()
  assert.deepEqual(givenTo(other), [])
  await pass(1)
  await other.until(1)
  assert.deepEqual(givenTo(other), [guid])
})

test('a task that asks for a SIM goes to the SIM’s current device, even while it waits for its usual one', async (t) => {
  const { hand, usual, other, set, lookedAtAll, pass } = await begin(t)
  await set(600)
  const guid = await hand({ to_number: TO, from_number: '+34611000001' })
  await lookedAtAll()
  assert.deepEqual(givenTo(other), [])
  await usual.publish('networks', { wifi: null, mobile: { sims: [] } })
  await other.publish('networks', { wifi: null, mobile: { sims: [{ phone_number: '+34611000001' }] } })
  await other.until(1)
  assert.deepEqual(givenTo(other), [guid])
  await pass(10 * MINUTE)
  await lookedAtAll()
  assert.equal(givenTo(usual).length, 1)
})

const GONE = [
  ['goes offline', ({ usual }) => Promise.resolve(usual.vanish())],
  ['is disabled', ({ setEnabled }) => setEnabled('usual', false)],
  ['comes to its daily limit', ({ setLimit }) => setLimit('usual', 1)],
  ['is unlinked', ({ unlink }) => unlink('usual')],
] satisfies [string, (fleet: Awaited<ReturnType<typeof begin>>) => Promise<unknown>][]
for (const [what, happen] of GONE) {
  test(`a task that waits for its usual device goes to another one when that ${what}`, async (t) => {
    const fleet = await begin(t)
    const { hand, other, set, lookedAtAll } = fleet
    await set(1_200)
    const guid = await hand({ to_number: TO })
    await lookedAtAll()
    assert.deepEqual(givenTo(other), [])
    await happen(fleet)
    await other.until(1)
    assert.deepEqual(givenTo(other), [guid])
    const next = await hand({ to_number: TO })
    await set(0)
    await other.until(2)
    assert.deepEqual(givenTo(other), [guid, next], 'no task waits for an absent device')
  })
}

test('after 30 days without a message any device may write to the number', async (t) => {
  const { hand, usual, other, sent, clock } = await begin(t)
  clock.advance(30 * DAY)
  const again = await hand({ to_number: TO })
  await usual.until(2)
  await sent(usual, again)
  clock.advance(30 * DAY + SECOND)
  const guid = await hand({ to_number: TO })
  await other.until(1)
  assert.deepEqual(givenTo(other), [guid])
})

test('a task that asks for a SIM goes there, whichever device wrote to the number last', async (t) => {
  const { hand, usual, other } = await begin(t)
  const elsewhere = await hand({ to_number: TO, from_number: '+34611000002' })
  await other.until(1)
  const same = await hand({ to_number: TO, from_number: '+34611000001' })
  await usual.until(2)
  assert.deepEqual([givenTo(other), givenTo(usual)[1]], [[elsewhere], same])
})

test('a task for later finds its usual device when its time comes', async (t) => {
  const { hand, usual, other, pass } = await begin(t)
  const guid = await hand({ to_number: TO, not_before: '2026-06-10T09:00:00Z' })
  await pass(HOUR)
  await usual.until(2)
  assert.deepEqual([givenTo(usual)[1], givenTo(other)], [guid, []])
})

test('a device that leaves keeps the messages it was handed; no other device gets them', async (t) => {
  const { server, hand, usual, other, read, device, pass, lookedAtAll, unlink } = await begin(t)
  const guid = await hand({ to_number: TO })
  await usual.until(2)
  usual.vanish()
  await eventually(async () => (await device('usual')).status === 'disconnected')
  await pass(HOUR)
  await lookedAtAll()
  assert.deepEqual([givenTo(other), (await read(guid)).state], [[], 'started'])
  const back = await connectDevice({ ...usual.linked, mqtt_url: server.mqtt_url })
  await back.until(1)
  assert.deepEqual([back.commands[0]!.guid, back.commands[0]!.attempt], [guid, 1])
  await unlink('usual')
  assert.equal((await read(guid)).state, 'uncertain')
  await lookedAtAll()
  assert.deepEqual(givenTo(other), [])
})
