import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINUTE, SECOND } from './clock.ts'
import type { TestDevice } from './device.ts'
import { givenTo, startFleet } from './fleet.ts'

const FAILED = { state: 'failed', code: 'barred', detail: 'The SIM is barred.' } as const

/** Hands the device tasks one by one and lets them fail. */
async function failOn(device: TestDevice, hand: () => Promise<string>, times: number, how: object = FAILED) {
  for (let n = 0; n < times; n++) {
    const before = device.commands.length
    const guid = await hand()
    await device.until(before + 1)
    await device.report({ guid, ...FAILED, ...how })
  }
}

test('after 5 failures in a row a device gets no tasks for a while, shows why, and is then tested with one', async (t) => {
  const { join, hand, send, read, device, pass, lookedAtAll } = await startFleet(t)
  const drone = await join('drone')
  await failOn(drone, hand, 4)
  assert.equal((await device('drone')).quarantined_until, null)
  await failOn(drone, hand, 1)
  const { quarantined_until, quarantine_reason } = await device('drone')
  assert.equal(quarantined_until, '2026-06-10T08:01:00.000Z')
  assert.equal(
    quarantine_reason,
    '5 messages in a row failed on it, the last with barred: The SIM is barred.',
  )
  const guids = [await hand(), await hand(), await hand()]
  await lookedAtAll()
  assert.equal((await read(guids[0]!)).state, 'received')
  const { guid } = (await send('drone')).body
  await drone.until(6)
  assert.equal(givenTo(drone)[5], guid, 'messages from the console still go out')
  await drone.report({ guid, state: 'accepted' })

  await pass(MINUTE)
  await lookedAtAll()
  assert.equal(givenTo(drone).length, 6, 'it has one already')
  await drone.report({ guid, ...FAILED, block: true })
  await drone.until(7)
  await lookedAtAll()
  assert.deepEqual(givenTo(drone).slice(6), guids.slice(0, 1), 'one at a time')
  await drone.report({ guid: guids[0]!, state: 'sent' })
  await drone.until(9)
  const after = await device('drone')
  assert.deepEqual([after.quarantined_until, after.quarantine_reason], [null, null])
})

test('each quarantine lasts longer than the last, until a message succeeds', async (t) => {
  const { join, hand, clock, device, pass } = await startFleet(t)
  const drone = await join('drone')
  const minutes: number[] = []
  const quarantine = async () => {
    const { quarantined_until } = await device('drone')
    minutes.push((Date.parse(quarantined_until!) - clock.now()) / MINUTE)
    await pass(Date.parse(quarantined_until!) - clock.now())
  }
  await failOn(drone, hand, 5)
  await quarantine()
  for (let n = 0; n < 5; n++) {
    await failOn(drone, hand, 1)
    await quarantine()
  }
  assert.deepEqual(minutes, [1, 5, 15, 60, 360, 360])
  const guid = await hand()
  await drone.until(11)
  await drone.report({ guid, state: 'sent' })
  await failOn(drone, hand, 4)
  assert.equal((await device('drone')).quarantined_until, null)
  await failOn(drone, hand, 1)
  await quarantine()
  assert.equal(minutes.at(-1), 1)
})

test('failures that are not the device’s fault do not count, and a success ends the row', async (t) => {
  const { join, hand, device, pass } = await startFleet(t)
  const drone = await join('drone')
  await failOn(drone, hand, 4)
  await failOn(drone, hand, 3, { block: true })
  await failOn(drone, hand, 3, { code: 'expired' })
  assert.equal((await device('drone')).quarantined_until, null)
  const guid = await hand()
  await drone.until(11)
  await drone.report({ guid, state: 'delivered' })
  await failOn(drone, hand, 4)
  assert.equal((await device('drone')).quarantined_until, null)
  await failOn(drone, hand, 1)
  assert.notEqual((await device('drone')).quarantined_until, null)
  await pass(SECOND)
})

test('tasks of a device in quarantine go to other devices', async (t) => {
  const { join, hand, handAll } = await startFleet(t)
  const bad = await join('bad')
  const guids = await handAll(Array.from({ length: 5 }, (_, n) => ({ to_number: `+3460000${1000 + n}` })))
  await bad.until(5)
  const good = await join('good')
  await bad.report(...guids.map((guid) => ({ guid, ...FAILED })))
  const more = [await hand(), await hand()]
  await good.until(2)
  assert.deepEqual(givenTo(good), more)
})

test('enabling a device by hand ends its quarantine', async (t) => {
  const { join, hand, device, setEnabled } = await startFleet(t)
  const drone = await join('drone')
  await failOn(drone, hand, 5)
  const guid = await hand()
  await setEnabled('drone', false)
  await setEnabled('drone', true)
  await drone.until(6)
  assert.equal(givenTo(drone)[5], guid)
  assert.equal((await device('drone')).quarantined_until, null)
})
