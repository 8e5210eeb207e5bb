import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Presence } from '@sdd/contract/fleet/device-protocol.ts'
import { eventually, openScene, sendCommand } from '#test/fleet.ts'

test('a report that is held back is published with the next connection', async (t) => {
  const { endpoint, start } = await openScene(t)
  const fleet = await start({ faults: { drop_report: 1 } })
  endpoint.command('d1', sendCommand('g1'))
  await eventually('delivered', () => fleet.stats().delivered === 1)
  endpoint.command('d1', { type: 'networks' })
  await endpoint.until('something else', () => endpoint.published('d1', 'networks').length === 2)
  assert.deepEqual(endpoint.reports('g1'), [])
  endpoint.cut('d1')
  await endpoint.until('the reports', () => endpoint.reports('g1').length === 3)
  assert.ok(endpoint.reports('g1').every(({ connection }) => connection === 2))
})

test('a delayed report arrives later', async (t) => {
  const { endpoint, start } = await openScene(t)
  await start({ faults: { delay_report: 1, delay_ms: [300, 300] } })
  const started = Date.now()
  endpoint.command('d1', sendCommand('g1'))
  await endpoint.until('the reports', () => endpoint.reports('g1').length === 3)
  const [first] = endpoint.published('d1', 'reports')
  assert.ok(first!.at - started >= 290)
})

test('repeated reports arrive twice and count once', async (t) => {
  const { endpoint, start } = await openScene(t)
  const fleet = await start({ faults: { repeat_report: 1 } })
  endpoint.command('d1', sendCommand('g1', { silent: true }))
  await endpoint.until('two of each', () => endpoint.reports('g1').length === 4)
  const states = endpoint.reports('g1').map(({ state }) => state)
  assert.deepEqual(states, ['accepted', 'accepted', 'sent', 'sent'])
  assert.deepEqual(fleet.breaches(), [])
})

test('a reordered report is overtaken by a later one', async (t) => {
  const { endpoint, start } = await openScene(t)
  const fleet = await start({ faults: { reorder_report: 1 } })
  endpoint.command('d1', sendCommand('g1'))
  await endpoint.until('it is written down', () => endpoint.events.find(({ kind }) => kind === 'puback'))
  fleet.misbehave({ reorder_report: 0 })
  endpoint.command('d1', sendCommand('g2'))
  await endpoint.until(
    'both',
    () => endpoint.reports('g1').length === 3 && endpoint.reports('g2').length === 3,
  )
  const order = endpoint
    .published('d1', 'reports')
    .flatMap(({ payload }) => payload as { guid: string; state: string })
  const indexOf = (guid: string, state: string) =>
    order.findIndex((report) => report.guid === guid && report.state === state)
  assert.ok(indexOf('g1', 'accepted') > 0)
})

test('a command whose PUBACK is dropped is still served', async (t) => {
  const { endpoint, start } = await openScene(t)
  await start({ faults: { drop_puback: 1 } })
  endpoint.command('d1', sendCommand('g1'))
  await endpoint.until('delivered', () => endpoint.reports('g1').length === 3)
  assert.equal(endpoint.events.filter(({ kind }) => kind === 'puback').length, 0)
})

test('one device misbehaves and the others do not', async (t) => {
  const { endpoint, start } = await openScene(t)
  const fleet = await start({ count: 2 })
  fleet.devices.get('d1')!.misbehave({ drop_puback: 1 })
  endpoint.command('d1', sendCommand('g1'))
  endpoint.command('d2', sendCommand('g2'))
  await endpoint.until(
    'both',
    () => endpoint.reports('g1').length === 3 && endpoint.reports('g2').length === 3,
  )
  const acknowledging = endpoint.events.filter(({ kind }) => kind === 'puback').map(({ uid }) => uid)
  assert.deepEqual(acknowledging, ['d2'])
})

test('a device that leaves publishes disconnected, disconnects and comes back', async (t) => {
  const { endpoint, start } = await openScene(t)
  const fleet = await start()
  await fleet.devices.get('d1')!.leave()
  await endpoint.until('it is back', () => endpoint.published('d1', 'status').length === 3)
  const said = endpoint.published('d1', 'status').map(({ payload }) => Presence.parse(payload))
  assert.deepEqual(
    said.map(({ status }) => status),
    ['connected', 'disconnected', 'connected'],
  )
  assert.equal(said[0]?.session, said[1]?.session)
  const ends = endpoint.events.filter(({ kind }) => kind === 'disconnect' || kind === 'close')
  assert.equal(ends[0]?.kind, 'disconnect')
})

test('a device whose connection is cut publishes nothing and comes back', async (t) => {
  const { endpoint, start } = await openScene(t)
  const fleet = await start()
  fleet.devices.get('d1')!.cut()
  await endpoint.until('it is back', () => endpoint.published('d1', 'status').length === 2)
  assert.equal(endpoint.events.filter(({ kind }) => kind === 'disconnect').length, 0)
})

test('a device that lost its network reconnects while the server still holds its old connection', async (t) => {
  const { endpoint, start } = await openScene(t)
  const fleet = await start()
  fleet.devices.get('d1')!.vanish()
  const back = await endpoint.until('it is back', () => endpoint.published('d1', 'status')[1])
  assert.equal(back.connection, 2)
  assert.deepEqual(
    endpoint.events.filter(({ kind }) => kind === 'disconnect' || kind === 'close'),
    [],
  )
})

test('a device that has stopped reading catches up later, which is not a breach', async (t) => {
  const { endpoint, start } = await openScene(t)
  const fleet = await start({ expectations: { spoof_time_secs: 0.2 } })
  const started = Date.now()
  fleet.devices.get('d1')!.stall(300)
  endpoint.command('d1', sendCommand('g1'))
  await wait(200)
  endpoint.command('d1', sendCommand('g2'))
  await endpoint.until('both', () => endpoint.reports('g1').length > 0 && endpoint.reports('g2').length > 0)
  assert.ok(endpoint.published('d1', 'reports')[0]!.at - started >= 290)
  assert.deepEqual(fleet.breaches(), [])
})

test('under all faults at once every message has one outcome and none is on air twice', async (t) => {
  const { endpoint, start } = await openScene(t)
  const fleet = await start({
    count: 5,
    seed: 'mischief',
    behaviour: { send_ms: [0, 40] },
    faults: {
      drop_puback: 0.2,
      drop_report: 0.2,
      delay_report: 0.3,
      delay_ms: [0, 200],
      repeat_report: 0.2,
      reorder_report: 0.2,
      crash_every_secs: 1,
      cut_every_secs: 1,
      vanish_every_secs: 2,
      leave_every_secs: 2,
      stall_every_secs: 2,
      stall_ms: [10, 200],
      away_ms: [10, 100],
    },
  })
  const guids = Array.from({ length: 60 }, (_, i) => `g${i}`)
  const isOver = (guid: string) =>
    endpoint.reports(guid).some(({ state }) => state === 'sent' || state === 'failed')
  // Like a server at each reconnect: messages without a report are sent again.
  const handOver = () => {
    for (const [i, guid] of guids.entries()) {
      if (endpoint.reports(guid).length === 0) endpoint.command(`d${(i % 5) + 1}`, sendCommand(guid))
    }
  }
  handOver()
  const again = setInterval(handOver, 300)
  t.after(() => clearInterval(again))
  const connects = () => endpoint.events.filter(({ kind }) => kind === 'connect').length
  const disconnects = () => endpoint.events.filter(({ kind }) => kind === 'disconnect').length
  await eventually(
    'mischief of each kind',
    () => fleet.stats().crashes >= 8 && disconnects() >= 4 && connects() >= 40,
  )
  clearInterval(again)
  fleet.misbehave({
    drop_report: 0,
    crash_every_secs: 0,
    cut_every_secs: 0,
    vanish_every_secs: 0,
    leave_every_secs: 0,
    stall_every_secs: 0,
  })
  handOver()
  for (const device of fleet.devices.values()) device.cut()
  await endpoint.until('every outcome', () => guids.every(isOver))

  const times = fleet.onAir()
  for (const guid of guids) {
    const states = new Set(endpoint.reports(guid).map(({ state }) => state))
    assert.ok(!(states.has('sent') && states.has('failed')), guid)
    if (states.has('sent')) assert.equal(times.get(guid), 1, guid)
  }
  assert.ok([...times.values()].every((count) => count === 1))
  assert.equal(fleet.breaches().filter(({ code }) => code === 'on_air_twice').length, 0)
})
