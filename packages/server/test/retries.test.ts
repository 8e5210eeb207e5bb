import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addOptOut } from '@sdd/contract/messages/opt-outs.ts'
import { HOUR, MINUTE, SECOND } from './clock.ts'
import { eventually, type TestDevice } from './device.ts'
import { startFleet } from './fleet.ts'
import { call } from './server.ts'

const attempts = ({ commands }: TestDevice) =>
  commands.map(({ type, attempt }) => (type === 'send' ? attempt : type))
const TRANSIENT = { state: 'failed', code: 'no_network', detail: 'No coverage.' } as const

test('a task with a temporary failure is retried after 10 s on another device, then after 60 s, and then has failed', async (t) => {
  const { join, hand, read, entry, record, pass, device, lookedAtAll } = await startFleet(t)
  const [a, b] = [await join('a'), await join('b')]
  const guid = await hand({ from_number: null, silent: true })
  await a.until(1)
  await a.report({ guid, state: 'accepted' })
  await a.report({ guid, ...TRANSIENT })
  const waits = await read(guid)
  assert.deepEqual(
    [waits.state, waits.device_guid_assigned, waits.assigned_at, waits.attempts],
    ['received', null, null, 1],
  )
  const logged = await entry(guid)
  assert.deepEqual([logged.state, logged.handed_timestamp, logged.error], ['queued', null, null])
  assert.match(
    logged.notes!,
    /1: given to a\n.*1: no_network on a\n.*tried again at 2026-06-10T08:00:10.000Z/,
  )
  assert.equal((await device('a')).sent_today, 0, 'parts that did not go on air were returned')
  await pass(10 * SECOND - 1)
  await lookedAtAll()
  assert.deepEqual([attempts(a), attempts(b)], [[1], []])
  await pass(1)
  const [command] = await b.until(1)
  assert.deepEqual([command!.guid, command!.attempt, command!.text], [guid, 2, 'hola'])
  await b.report({ guid, attempt: 2, state: 'failed', code: 'timeout' })
  await pass(60 * SECOND - 1)
  await lookedAtAll()
  assert.deepEqual(attempts(a), [1])
  await pass(1)
  await a.until(2)
  await a.report({ guid, attempt: 3, state: 'failed', code: 'modem_error' })
  const failed = await read(guid)
  assert.deepEqual([failed.state, failed.attempts, failed.device_guid_assigned], ['failed', 3, 'a'])
  const { attempt_1, attempt_2, attempt_3 } = await record(guid)
  assert.match(String(attempt_1), /^a .* failed · no_network · No coverage\./)
  assert.match(String(attempt_2), /^b .* timeout/)
  assert.match(String(attempt_3), /^a .* modem_error/)
  await pass(HOUR)
  await lookedAtAll()
  assert.deepEqual([attempts(a), attempts(b)], [[1, 3], [2]])
})

test('if no other device is suitable, the same one tries again', async (t) => {
  const { join, hand, read, pass, setLimit } = await startFleet(t)
  const a = await join('a')
  await join('b')
  await setLimit('b', 0)
  const guid = await hand()
  await a.until(1)
  await a.report({ guid, ...TRANSIENT })
  await pass(10 * SECOND)
  await a.until(2)
  await a.report({ guid, attempt: 2, state: 'sent' })
  assert.deepEqual(attempts(a), [1, 2])
  assert.equal((await read(guid)).state, 'completed')
})

test('a task waits for another device that can take it a little later', async (t) => {
  const { join, hand, pass, set, lookedAtAll } = await startFleet(t)
  await set(30)
  const [a, b] = [await join('a'), await join('b')]
  const [first, second] = [await hand(), await hand()]
  await Promise.all([a.until(1), b.until(1)])
  await a.report({ guid: first, ...TRANSIENT })
  await b.report({ guid: second, state: 'accepted' })
  await pass(30 * SECOND - 1)
  await lookedAtAll()
  assert.deepEqual([attempts(a), attempts(b)], [[1], [1]])
  // Both slots open, including that of the device that failed first.
  await pass(1)
  await b.until(2)
  assert.deepEqual([b.commands[1]!.guid, b.commands[1]!.attempt, attempts(a)], [first, 2, [1]])
})

test('a task waits ten minutes for devices whose window is full, then the same one tries again', async (t) => {
  const { join, hand, pass, send, lookedAtAll } = await startFleet(t)
  const [a, b] = [await join('a'), await join('b')]
  const guid = await hand()
  await a.until(1)
  for (let message = 0; message < 10; message++) await send('b')
  for (const { guid } of await b.until(10)) await b.report({ guid, state: 'accepted' })
  await a.report({ guid, ...TRANSIENT })
  await pass(10 * SECOND + 10 * MINUTE - 1)
  await lookedAtAll()
  assert.deepEqual(attempts(a), [1])
  await pass(1 + 5 * SECOND)
  await a.until(2)
  assert.deepEqual(attempts(a), [1, 2])
})

test('tasks that wait for another device hold up none behind them', async (t) => {
  const { join, hand, handAll, pass, send } = await startFleet(t)
  const [a, b] = [await join('a'), await join('b')]
  for (let message = 0; message < 10; message++) await send('b')
  for (const { guid } of await b.until(10)) await b.report({ guid, state: 'accepted' })
  // Not five failures in a row, which would put the device in quarantine.
  for (let round = 1; round <= 6; round++) {
    const guids = await handAll(Array(5).fill({}))
    const given = await a.until(round * 5)
    assert.deepEqual(new Set(given.slice(-5).map(({ guid }) => guid)), new Set(guids))
    await a.report(
      { guid: guids[0]!, state: 'sent' },
      ...guids.slice(1).map((guid) => ({ guid, ...TRANSIENT })),
    )
  }
  await pass(10 * SECOND)
  const guid = await hand()
  // The device may have been set aside before the task came.
  await pass(5 * SECOND)
  await a.until(31)
  assert.equal(a.commands[30]!.guid, guid)
})

test('long tasks that no device has room for hold up no short ones behind them', async (t) => {
  const { join, hand, handAll, pass, setLimit } = await startFleet(t)
  const a = await join('a')
  await setLimit('a', 1)
  await handAll(Array(40).fill({ text: 'x'.repeat(300) }))
  const short = await hand()
  await pass(5 * SECOND)
  await a.until(1)
  assert.equal(a.commands[0]!.guid, short)
})

const FINAL = [
  { code: 'no_network', block: true, ends: 'failed' },
  { code: 'barred', ends: 'failed' },
  { code: 'unknown_outcome', ends: 'uncertain' },
  { code: 'expired', ends: 'expired' },
  { code: 'no_network', parts: 1, ends: 'failed' },
  { code: 'timeout', parts: 2, ends: 'failed' },
  { code: 'cancelled', parts: 1, ends: 'failed' },
  { code: 'unknown_outcome', parts: 1, ends: 'uncertain' },
] as const
for (const { ends, ...how } of FINAL) {
  const sent = how.code === 'unknown_outcome' ? 2 : 'parts' in how ? how.parts : 0
  const aired = 'parts' in how ? ` after ${how.parts} of its parts` : ''
  const named = `${how.code}${'block' in how ? ' for good' : ''}${aired}`
  test(`a task that fails with ${named} is ${ends} and not tried again`, async (t) => {
    const { join, hand, read, entry, device, pass, lookedAtAll } = await startFleet(t)
    const a = await join('a', '+34600000001')
    const b = await join('b')
    const guid = await hand({ text: 'x'.repeat(300), from_number: '+34600000001' })
    await a.until(1)
    await a.report({ guid, state: 'failed', ...how })
    assert.equal((await read(guid)).state, ends)
    assert.equal((await entry(guid)).error, 'parts' in how ? 'partly_sent' : how.code)
    assert.equal((await device('a')).sent_today, sent)
    await pass(HOUR)
    await lookedAtAll()
    assert.deepEqual([attempts(a), attempts(b)], [[1], []])
  })
}

test('a report of sent parts ends a task, even if it waits again or is on another device', async (t) => {
  const { join, hand, read, entry, pass, lookedAtAll } = await startFleet(t)
  const [a, b] = [await join('a'), await join('b')]
  const [waits, goes_on] = [await hand({ text: 'x'.repeat(300) }), await hand({ text: 'y'.repeat(300) })]
  await a.until(1)
  await b.until(1)
  const [first, second] = a.commands[0]!.guid === waits ? [a, b] : [b, a]
  await first.report({ guid: waits, ...TRANSIENT }, { guid: waits, ...TRANSIENT, parts: 1 })
  const ended = await entry(waits)
  assert.deepEqual([ended.state, ended.error], ['failed', 'partly_sent'])
  assert.match(ended.error_msg!, /^1 part of it went on air, so it is not sent again\. Then: No coverage\.$/)
  await second.report({ guid: goes_on, ...TRANSIENT })
  await pass(10 * SECOND)
  await first.until(2)
  await second.report({ guid: goes_on, ...TRANSIENT, parts: 1 })
  assert.equal((await read(goes_on)).state, 'failed')
  const told = await first.until(3)
  assert.deepEqual(
    told.slice(1).map(({ type, guid }) => [type, guid]),
    [
      ['send', goes_on],
      ['cancel', goes_on],
    ],
  )
  await first.report({ guid: goes_on, attempt: 2, state: 'failed', code: 'cancelled', parts: 0 })
  assert.deepEqual([(await entry(goes_on)).state, (await entry(goes_on)).error], ['failed', 'partly_sent'])
  await pass(HOUR)
  await lookedAtAll()
  assert.deepEqual([attempts(first), attempts(second)], [[1, 2, 'cancel'], [1]])
})

test('a message from the console is not retried', async (t) => {
  const { join, send, entry, pass, lookedAtAll } = await startFleet(t)
  const a = await join('a')
  const { guid } = (await send('a')).body
  await a.until(1)
  await a.report({ guid, ...TRANSIENT })
  assert.equal((await entry(guid)).state, 'failed')
  await pass(HOUR)
  await lookedAtAll()
  assert.deepEqual(attempts(a), [1])
})

test('a task is not retried if it is too late, was discarded, or has a blocked number', async (t) => {
  const { join, hand, read, discard, server, token } = await startFleet(t)
  const a = await join('a')
  const late = await hand({ expires_at: '2026-06-10T08:00:10Z' })
  const discarded = await hand()
  const blocked = await hand({ to_number: '+34600777888' })
  await a.until(3)
  await discard(discarded)
  await call(server, addOptOut, { token, body: { number: '600777888' } })
  for (const guid of [late, discarded, blocked]) {
    await a.report({ guid, ...TRANSIENT })
    assert.equal((await read(guid)).state, 'failed')
  }
})

test('a late `sent` report of the first attempt ends a task that waits for the second', async (t) => {
  const { join, hand, read, entry, clock, pass, lookedAtAll } = await startFleet(t)
  const [a, b] = [await join('a'), await join('b')]
  const guid = await hand()
  await a.until(1)
  await a.report({ guid, ...TRANSIENT })
  // A late report of the failed attempt changes nothing about a waiting task.
  await a.report({ guid, state: 'accepted' })
  assert.equal((await read(guid)).state, 'received')
  assert.equal((await entry(guid)).handed_timestamp, null)
  await a.report({ guid, state: 'sent' })
  const sent = await read(guid)
  assert.deepEqual([sent.state, sent.device_guid_assigned], ['completed', 'a'])
  assert.equal((await entry(guid)).handed_timestamp, new Date(clock.now()).toISOString())
  await pass(HOUR)
  await lookedAtAll()
  assert.deepEqual([attempts(a), attempts(b)], [[1], []])
})

test('a late `sent` report about a task that was discarded meanwhile says which device sent it', async (t) => {
  const { join, hand, read, entry, discard, clock } = await startFleet(t)
  const a = await join('a')
  const guid = await hand({ to_number: '+34600777888' })
  await a.until(1)
  await a.report({ guid, ...TRANSIENT })
  await discard(guid)
  assert.equal((await read(guid)).state, 'discarded')
  await a.report({ guid, state: 'sent' })
  const sent = await read(guid)
  assert.deepEqual([sent.state, sent.device_guid_assigned], ['completed', 'a'])
  assert.match((await entry(guid)).notes!, /1: sent on a, said late$/)
  const at = new Date(clock.now()).toISOString()
  await a.publish('inbox', { id: '1', from: '+34600777888', text: 'sí', at })
  await eventually(async () => (await entry(guid)).answer_3 === 'sí')
})

test('a late `sent` report of the first attempt ends a task that another device has, and that device is told to drop it', async (t) => {
  const { join, hand, read, pass, handAll, device, lookedAtAll } = await startFleet(t)
  const [a, b] = [await join('a'), await join('b')]
  const guid = await hand()
  await a.until(1)
  await a.report({ guid, ...TRANSIENT })
  await pass(10 * SECOND)
  await b.until(1)
  await a.report({ guid, state: 'sent' })
  const sent = await read(guid)
  assert.deepEqual([sent.state, sent.device_guid_assigned], ['completed', 'a'])
  await b.until(2)
  await pass(30 * SECOND)
  await b.until(3)
  await lookedAtAll()
  assert.deepEqual(attempts(b), [2, 'cancel', 'cancel'])
  await b.report({ guid, attempt: 1, state: 'failed', code: 'cancelled' })
  assert.equal((await read(guid)).state, 'completed')
  assert.equal((await device('b')).sent_today, 0)
  await a.stop()
  const before = b.commands.length
  await handAll(Array.from({ length: 10 }, (_, n) => ({ to_number: `+3460000${1000 + n}` })))
  await b.until(before + 10)
})
