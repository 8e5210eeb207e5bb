import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTasks } from '@sdd/contract/tasks/tasks.ts'
import { MINUTE, SECOND } from './clock.ts'
import { connectDevice, linkTestDevice } from './device.ts'
import { givenTo, startFleet } from './fleet.ts'
import { newUser } from './seeds.ts'
import { call } from './server.ts'

test('a task goes complete to a device of its company, and its log fills in', async (t) => {
  const { join, hand, read, entry, record } = await startFleet(t)
  const drone = await join('drone', '+34 600 000 001')
  const guid = await hand({
    to_number: '+34 600-111.222',
    text: '¡Hola!',
    from_number: '600000001',
    silent: true,
    expires_at: '2026-06-10T10:30:00+02:00',
  })
  const [command] = await drone.until(1)
  assert.deepEqual(command, {
    type: 'send',
    guid,
    attempt: 1,
    to: '+34600111222',
    text: '¡Hola!',
    from: '+34600000001',
    silent: true,
    expires_at: '2026-06-10T08:30:00.000Z',
  })
  const given = await read(guid)
  assert.deepEqual(
    [given.state, given.device_guid_assigned, given.assigned_at, given.attempts],
    ['started', 'drone', '2026-06-10T08:00:00.000Z', 1],
  )
  await drone.report({ guid, state: 'accepted' }, { guid, state: 'sent' })
  assert.deepEqual([(await read(guid)).state, (await entry(guid)).state], ['completed', 'sent'])
  const all = await record(guid)
  assert.deepEqual(
    [all.from_number, all.silent, all.sent_stamp, all.callback_url, all.assigned_at],
    ['+34600000001', true, null, null, '2026-06-10T08:00:00.000Z'],
  )
})

test('tasks are spread over equal devices one by one, not ten to the first', async (t) => {
  const { join, handAll } = await startFleet(t)
  const drones = [await join('a'), await join('b'), await join('c'), await join('d')]
  await handAll(Array.from({ length: 40 }, (_, n) => ({ to_number: `+3460000${1000 + n}` })))
  await Promise.all(drones.map((drone) => drone.until(10)))
  assert.deepEqual(
    drones.map((drone) => givenTo(drone).length),
    [10, 10, 10, 10],
  )
})

test('the device whose slot has been open longest is next', async (t) => {
  const { join, hand, clock, lookedAtAll } = await startFleet(t)
  const [a, b, c] = [await join('a'), await join('b'), await join('c')]
  const drones = { a, b, c }
  const order: string[] = []
  for (let n = 0; n < 6; n++) {
    const guid = await hand()
    await lookedAtAll()
    order.push(Object.entries(drones).find(([, drone]) => givenTo(drone).includes(guid))![0])
    clock.advance(SECOND)
  }
  assert.deepEqual(order, ['a', 'b', 'c', 'a', 'b', 'c'])
})

test('a device has at most ten tasks, and gets the next when one ends', async (t) => {
  const { join, handAll, lookedAtAll } = await startFleet(t)
  const drone = await join('drone')
  const guids = await handAll(Array.from({ length: 12 }, (_, n) => ({ to_number: `+3460000${1000 + n}` })))
  await drone.until(10)
  await lookedAtAll()
  assert.deepEqual(givenTo(drone), guids.slice(0, 10))
  await drone.report({ guid: guids[3]!, state: 'sent' })
  await drone.until(11)
  await drone.report(...guids.slice(0, 3).map((guid) => ({ guid, state: 'sent' as const })))
  await drone.until(12)
  assert.deepEqual(givenTo(drone), guids)
})

test('with pacing, each device gets one task per slot', async (t) => {
  const { join, handAll, set, pass, lookedAtAll, eventually } = await startFleet(t)
  await set(60)
  const [a, b] = [await join('a'), await join('b')]
  await handAll(Array.from({ length: 5 }, (_, n) => ({ to_number: `+3460000${1000 + n}` })))
  await lookedAtAll()
  assert.deepEqual([givenTo(a).length, givenTo(b).length], [1, 1])
  await pass(MINUTE - 1)
  await lookedAtAll()
  assert.deepEqual([givenTo(a).length, givenTo(b).length], [1, 1])
  await pass(1)
  // Not only repeated commands: the next minute must begin after both have their second task.
  await eventually(() => givenTo(a).length === 2 && givenTo(b).length === 2)
  await pass(MINUTE)
  await eventually(() => new Set([...givenTo(a), ...givenTo(b)]).size === 5 || undefined)
})

test('a task goes only to a connected, enabled device of its company with room for all its parts that day', async (t) => {
  const { join, hand, read, setEnabled, setLimit, pass, lookedAtAll } = await startFleet(t)
  const [off, disabled, small] = [await join('off'), await join('disabled'), await join('small')]
  await off.stop()
  await setEnabled('disabled', false)
  await setLimit('small', 2)
  const long = await hand({ text: 'x'.repeat(161 + 153) })
  await lookedAtAll()
  assert.equal((await read(long)).state, 'received')
  const short = await hand({ text: 'x'.repeat(161) })
  await pass(5 * SECOND)
  await small.until(1)
  assert.deepEqual(givenTo(small), [short], 'a task that fits overtakes one that does not')
  const another = await hand()
  await lookedAtAll()
  assert.equal((await read(another)).state, 'received', 'the day is used up')
  await setEnabled('disabled', true)
  await disabled.until(2)
  assert.deepEqual(givenTo(disabled).sort(), [long, another].sort())
})

test('from_number selects the devices with that SIM, in any notation of the number', async (t) => {
  const { join, hand, lookedAtAll, read } = await startFleet(t)
  const [other, right] = [
    await join('other', '+34600000001'),
    await join('right', '0034 611 000 002', '+34622'),
  ]
  const guids = [await hand({ from_number: '+34611000002' }), await hand({ from_number: '611 000 002' })]
  await right.until(2)
  assert.deepEqual(givenTo(right), guids)
  const nobody = await hand({ from_number: '+34699999999' })
  await lookedAtAll()
  assert.deepEqual(givenTo(other), [])
  assert.equal((await read(nobody)).state, 'received')
  await other.publish('networks', { wifi: null, mobile: { sims: [{ phone_number: '699999999' }] } })
  await other.until(1)
  assert.deepEqual(givenTo(other), [nobody], 'it has another SIM now')
})

test('messages from the console go before tasks on their device', async (t) => {
  const { join, handAll, send, set, pass, lookedAtAll } = await startFleet(t)
  await set(60)
  const drone = await join('drone')
  await handAll(Array.from({ length: 3 }, (_, n) => ({ to_number: `+3460000${1000 + n}` })))
  await drone.until(1)
  const console_guid = (await send('drone')).body.guid
  await pass(MINUTE)
  await lookedAtAll()
  assert.equal(givenTo(drone)[1], console_guid)
})

test('while sending is off no task is handed over, and all are once it is on', async (t) => {
  const { join, handAll, set, read, lookedAtAll } = await startFleet(t)
  const drone = await join('drone')
  await set(0, false)
  const guids = await handAll([{ guid: 'a' }, { guid: 'b' }])
  await lookedAtAll()
  assert.deepEqual(givenTo(drone), [])
  assert.equal((await read('a')).state, 'received')
  await set(0, true)
  await drone.until(2)
  assert.deepEqual(givenTo(drone), guids)
})

test('a task goes out at its not_before and not earlier', async (t) => {
  const { join, hand, read, pass, lookedAtAll } = await startFleet(t)
  const drone = await join('drone')
  const guid = await hand({ not_before: '2026-06-10T08:05:00Z' })
  assert.equal((await read(guid)).expires_at, '2026-06-11T08:05:00.000Z')
  await pass(5 * MINUTE - 1)
  await lookedAtAll()
  assert.deepEqual(givenTo(drone), [])
  await pass(1)
  await drone.until(1)
  assert.deepEqual(givenTo(drone), [guid])
})

test('companies share capacity fairly, however many tasks one of them has', async (t) => {
  const { join, handAll, server, superadmin, set, pass } = await startFleet(t)
  await set(1)
  const drone = await join('drone')
  await handAll(Array.from({ length: 300 }, (_, n) => ({ to_number: `+3460000${1000 + n}` })))
  await drone.until(1)
  const { token } = await newUser(server, superadmin, { role: 'admin', companyId: 3 })
  const theirs = await connectDevice(await linkTestDevice(server, token, 'theirs'))
  const task = { to_number: '600111222', text: 'x', guid: 'theirs' }
  await call(server, createTasks, { token, body: task })
  await theirs.until(1)
  assert.deepEqual(givenTo(theirs), ['theirs'])
  assert.equal(givenTo(drone).length, 1)
  await pass(SECOND)
  await drone.until(2)
})
