import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR } from '#test/clock.ts'
import { OURS, openFigures, THEIRS } from '#test/figures.ts'

test('a device has its own counts of today and of seven days, is not told to other companies, and has no SIM before it names one', async (t) => {
  const { clock, world, now, detail, device, send, report } = await openFigures(t)
  const none = { sent: 0, delivered: 0, failed: 0, uncertain: 0, received: 0 }
  const drone = await device(OURS, 'drone')
  await device(OURS, 'other')
  for (const state of ['sent', 'delivered', 'failed'] as const)
    await report(drone, await send(OURS, drone), state, state === 'failed' ? 'no_network' : undefined)
  await report(drone, await send(OURS, drone), 'failed', 'unknown_outcome')
  await world.inbox(drone.from, { id: 'r1', from: '+34600111222', text: 'vale', at: now() })
  const { uid, status, sims, today, week } = await detail(OURS, 'drone')
  const counts = { sent: 2, delivered: 1, failed: 1, uncertain: 1, received: 1 }
  assert.deepEqual([uid, status, sims, today, week], ['drone', 'connected', [], counts, counts])
  assert.deepEqual((await detail(OURS, 'other')).week, none)
  for (const [caller, uid] of [
    [THEIRS, 'drone'],
    [OURS, 'missing'],
    [OURS, 'no uid at all'],
  ] as const)
    await assert.rejects(detail(caller, uid), { code: 'unknown_device' })
  clock.advance(6 * 24 * HOUR)
  const later = await detail(OURS, 'drone')
  assert.deepEqual([later.today, later.week], [none, counts])
  clock.advance(24 * HOUR)
  assert.deepEqual((await detail(OURS, 'drone')).week, none)
})

test('a device names the messages that it was given and has not finished, then those that wait for it', async (t) => {
  const { clock, now, detail, device, send, report } = await openFigures(t)
  const [drone, other] = [await device(OURS, 'drone'), await device(OURS, 'other')]
  await send(OURS, other)
  const given: string[] = []
  for (let n = 0; n < 12; n++) given.push(await send(OURS, drone))
  const at = now()
  clock.advance(60_000)
  await report(drone, given[0]!, 'sent')
  await report(drone, given[1]!, 'accepted')
  const { holds, queued } = await detail(OURS, 'drone')
  assert.deepEqual(
    holds.map(({ guid }) => guid),
    given.slice(1),
  )
  assert.deepEqual(
    holds.map(({ waiting_code }) => waiting_code),
    ['accepted', ...Array.from({ length: 8 }, () => 'unconfirmed'), 'device_next', 'device_next'],
  )
  assert.equal(queued, 2)
  const { to, class: kind, state, since } = holds[0]!
  assert.deepEqual([to, kind, state, since], ['+34600111222', 'transactional', 'handed', at])
})

test('a device names its latest attempts with their outcome, also the one after which another device took the message', async (t) => {
  const { clock, world, now, detail, device, submit, report } = await openFigures(t)
  const [first, second] = [await device(OURS, 'first'), await device(OURS, 'second')]
  const guid = await submit(OURS)
  await world.settle()
  const [taker, other] = first.commands.length > 0 ? [first, second] : [second, first]
  const failed_at = now()
  await report(taker, guid, 'failed', 'no_network')
  for (let minutes = 0; minutes < 30 && other.commands.length === 0; minutes++) {
    clock.advance(60_000)
    await world.settle()
  }
  const retried_at = now()
  await report(other, guid, 'sent', undefined, 2)
  const attemptsOf = async (uid: string) => (await detail(OURS, uid)).attempts
  const none = { sim: null, accepted_at: null, sent_at: null, delivered_at: null, code: null, detail: null }
  const message = { company_id: OURS.company_id, guid, to: '+34600111222' }
  assert.deepEqual(await attemptsOf(taker.uid), [
    { ...message, ...none, attempt: 1, given_at: failed_at, state: 'failed', code: 'no_network' },
  ])
  assert.deepEqual(await attemptsOf(other.uid), [
    {
      ...message,
      ...none,
      attempt: 2,
      given_at: retried_at,
      sent_at: retried_at,
      state: 'sent',
    },
  ])
  await report(other, guid, 'delivered', undefined, 2)
  const later = await submit(OURS)
  clock.advance(1_000)
  await world.settle()
  await report(other, later, 'failed', 'invalid_number')
  const [ended] = (await attemptsOf(other.uid)).filter((attempt) => attempt.guid === guid)
  assert.deepEqual([ended!.state, ended!.delivered_at], ['delivered', retried_at])
})
