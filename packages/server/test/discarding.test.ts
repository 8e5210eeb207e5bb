import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR, SECOND } from './clock.ts'
import { connectDevice, eventually, type TestDevice } from './device.ts'
import { startFleet } from './fleet.ts'

const kinds = (device: TestDevice) => device.commands.map(({ type, guid }) => `${type} ${guid}`)

test('a waiting task is discarded at once, however often it is asked, and never goes out', async (t) => {
  const { join, hand, discard, entry, set, lookedAtAll } = await startFleet(t)
  const drone = await join('drone')
  await set(0, false)
  const guid = await hand()
  const { status, body } = await discard(guid)
  assert.deepEqual(
    [status, body.state, body.discarded_at, body.completed_at],
    [200, 'discarded', '2026-06-10T08:00:00.000Z', null],
  )
  assert.match(body.error_msg!, /discarded by shop/)
  assert.equal((await discard(guid)).status, 200)
  assert.equal((await entry(guid)).state, 'cancelled')
  await set(0)
  await lookedAtAll()
  assert.deepEqual(kinds(drone), [])
})

test('a task that a device has is discarded when the device reports that it dropped it', async (t) => {
  const { join, hand, discard, read, device } = await startFleet(t)
  const drone = await join('drone')
  const guid = await hand()
  await drone.until(1)
  const { status, body } = await discard(guid)
  assert.deepEqual([status, body.state], [202, 'started'])
  assert.match(body.waiting_for!, /discarded.*drone/)
  await drone.until(2)
  assert.deepEqual(kinds(drone), [`send ${guid}`, `cancel ${guid}`])
  assert.equal((await discard(guid)).status, 202)
  assert.equal((await device('drone')).sent_today, 1)
  await drone.report({ guid, state: 'failed', code: 'cancelled' })
  const dropped = await read(guid)
  assert.deepEqual([dropped.state, dropped.waiting_for], ['discarded', null])
  assert.equal((await device('drone')).sent_today, 0)
  assert.equal((await discard(guid)).status, 200)
})

test('if the device reports that it sent the task after all, the report wins', async (t) => {
  const { join, hand, discard, read } = await startFleet(t)
  const drone = await join('drone')
  const guid = await hand()
  await drone.until(1)
  await discard(guid)
  await drone.report({ guid, state: 'accepted' }, { guid, state: 'sent' })
  assert.equal((await read(guid)).state, 'completed')
  const again = await discard(guid)
  assert.deepEqual([again.status, again.body.code], [409, 'task_not_discardable'])
})

test('a task can no longer be discarded once a device has accepted it or it has ended', async (t) => {
  const { join, hand, discard } = await startFleet(t)
  const drone = await join('drone')
  const guid = await hand()
  await drone.until(1)
  await drone.report({ guid, state: 'accepted' })
  const accepted = await discard(guid)
  assert.deepEqual([accepted.status, accepted.body.code], [409, 'task_not_discardable'])
  assert.match(accepted.body.detail, /drone accepted it at 2026/)
  await drone.report({ guid, state: 'failed', code: 'barred', block: true })
  const failed = await discard(guid)
  assert.deepEqual([failed.status, failed.body.code], [409, 'task_not_discardable'])
  assert.match(failed.body.detail, /ended already, as failed/)
})

test('a device that was away is told to drop the task when it returns, and not to send it', async (t) => {
  const { server, join, hand, discard, read, pass, device, lookedAtAll } = await startFleet(t)
  const drone = await join('drone')
  const guid = await hand()
  await drone.until(1)
  drone.vanish()
  await eventually(async () => (await device('drone')).status === 'disconnected')
  assert.equal((await discard(guid)).status, 202)
  await pass(HOUR)
  await lookedAtAll()
  assert.equal((await read(guid)).state, 'started')
  const back = await connectDevice({ ...drone.linked, mqtt_url: server.mqtt_url })
  await back.until(1)
  assert.deepEqual(kinds(back), [`cancel ${guid}`])
  await pass(30 * SECOND)
  await back.until(2)
  assert.deepEqual(kinds(back), Array(2).fill(`cancel ${guid}`))
  await back.report({ guid, state: 'failed', code: 'cancelled' })
  assert.equal((await read(guid)).state, 'discarded')
  await pass(30 * SECOND)
  await lookedAtAll()
  assert.equal(back.commands.length, 2)
})

test('a task whose device never answers expires, and the device is free for others', async (t) => {
  const { join, hand, discard, read, pass, lookedAtAll, handAll } = await startFleet(t)
  const drone = await join('drone')
  const guid = await hand({ expires_at: '2026-06-10T09:00:00Z' })
  await drone.until(1)
  await discard(guid)
  await pass(HOUR)
  await lookedAtAll()
  assert.equal((await read(guid)).state, 'expired')
  const before = drone.commands.length
  await handAll(Array.from({ length: 10 }, (_, n) => ({ to_number: `+3460000${1000 + n}` })))
  await drone.until(before + 10)
})
