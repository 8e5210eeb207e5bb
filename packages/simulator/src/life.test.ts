import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openScene, sendCommand } from '#test/fleet.ts'

const SLOW = { send_ms: [60_000, 60_000] as const }

test('rule 1: a known guid and attempt is not sent again, and its latest report is repeated', async (t) => {
  const { endpoint, start } = await openScene(t)
  const fleet = await start()
  endpoint.command('d1', sendCommand('g1'))
  await endpoint.until('delivered', () => endpoint.reports('g1').length === 3)
  const delivered = endpoint.reports('g1')[2]
  endpoint.command('d1', sendCommand('g1'))
  await endpoint.until('a repetition', () => endpoint.reports('g1').length === 4)
  assert.deepEqual(endpoint.reports('g1')[3], delivered)
  assert.deepEqual([...fleet.onAir()], [['g1', 1]])
  assert.equal(fleet.stats().repeated, 1)
})

test('rule 1 holds after a crash and after a restart', async (t) => {
  const { endpoint, start } = await openScene(t)
  const fleet = await start()
  endpoint.command('d1', sendCommand('g1'))
  await endpoint.until('delivered', () => endpoint.reports('g1').length === 3)

  fleet.devices.get('d1')!.crash()
  await endpoint.until('it is back', () => endpoint.published('d1', 'status').length === 2)
  endpoint.command('d1', sendCommand('g1'))
  await endpoint.until('a repetition', () => endpoint.reports('g1').length === 4)

  fleet.crash()
  const restarted = await start()
  endpoint.command('d1', sendCommand('g1'))
  await endpoint.until('another', () => endpoint.reports('g1').length === 5)
  assert.equal(endpoint.reports('g1')[4]?.state, 'delivered')
  assert.deepEqual([...restarted.onAir()], [['g1', 1]])
})

test('another attempt at the same guid is sent', async (t) => {
  const { endpoint, start } = await openScene(t)
  const fleet = await start({ behaviour: { failing: 1 } })
  endpoint.command('d1', sendCommand('g1'))
  await endpoint.until('failed', () => endpoint.reports('g1').length === 2)
  endpoint.command('d1', sendCommand('g1', { attempt: 2 }))
  await endpoint.until('failed again', () => endpoint.reports('g1').length === 4)
  assert.deepEqual(
    endpoint.reports('g1').map(({ state, attempt }) => `${state} ${attempt}`),
    ['accepted 1', 'failed 1', 'accepted 2', 'failed 2'],
  )
  assert.equal(fleet.onAir().size, 0)
})

test('rule 2: a message whose device crashed while sending is reported unknown_outcome and not sent again', async (t) => {
  const { endpoint, start } = await openScene(t)
  const fleet = await start({ behaviour: SLOW })
  endpoint.command('d1', sendCommand('g1'))
  await endpoint.until('accepted', () => endpoint.reports('g1').length === 1)
  fleet.devices.get('d1')!.crash()
  const failed = (): number =>
    endpoint.reports('g1').filter(({ state, code }) => state === 'failed' && code === 'unknown_outcome')
      .length
  await endpoint.until('the outcome', () => failed() === 1)
  endpoint.command('d1', sendCommand('g1'))
  await endpoint.until('a repetition', () => failed() === 2)
  assert.equal(fleet.onAir().get('g1') ?? 0, 0)
})

test('a message accepted before a crash and not begun is sent after it', async (t) => {
  const { endpoint, start } = await openScene(t)
  const fleet = await start({ behaviour: SLOW })
  endpoint.command('d1', sendCommand('first'))
  endpoint.command('d1', sendCommand('second'))
  await endpoint.until('accepted', () => endpoint.reports('second').length === 1)
  fleet.crash()
  const restarted = await start()
  await endpoint.until('delivered', () =>
    endpoint.reports('second').some(({ state }) => state === 'delivered'),
  )
  assert.equal(endpoint.reports('first').at(-1)?.code, 'unknown_outcome')
  assert.deepEqual([...restarted.onAir()], [['second', 1]])
})

test('reports without a PUBACK are published again after a reconnect, but not after their PUBACK', async (t) => {
  const { endpoint, start } = await openScene(t)
  await start()
  endpoint.acknowledge(({ topic }) => !topic.endsWith('/reports'))
  endpoint.command('d1', sendCommand('g1'))
  await endpoint.until('accepted', () => endpoint.reports('g1').length === 1)
  endpoint.cut('d1')
  await endpoint.until('accepted again', () =>
    endpoint.reports('g1').some(({ connection }) => connection === 2),
  )
  endpoint.acknowledge(true)
  endpoint.cut('d1')
  const third = await endpoint.until('all on the third connection', () => {
    const reports = endpoint.reports('g1').filter(({ connection }) => connection === 3)
    return reports.length === 3 && reports
  })
  assert.deepEqual(
    third.map(({ state }) => state),
    ['accepted', 'sent', 'delivered'],
  )
  endpoint.cut('d1')
  await endpoint.until('a fourth connection', () => endpoint.published('d1', 'status').length === 4)
  endpoint.command('d1', sendCommand('g2'))
  await endpoint.until('the next message', () => endpoint.reports('g2').length === 3)
  assert.equal(endpoint.reports('g1').filter(({ connection }) => connection === 4).length, 0)
})

test('a received SMS without a PUBACK is published again with the same id', async (t) => {
  const { endpoint, start } = await openScene(t)
  await start({ behaviour: { replying: 1 } })
  endpoint.acknowledge(({ topic }) => !topic.endsWith('/inbox'))
  endpoint.command('d1', sendCommand('g1'))
  const first = await endpoint.until('a reply', () => endpoint.published('d1', 'inbox')[0])
  endpoint.cut('d1')
  const second = await endpoint.until('it again', () => endpoint.published('d1', 'inbox')[1])
  assert.deepEqual(second.payload, first.payload)
})

test('reports that waited for a connection are published as one array', async (t) => {
  const { endpoint, start } = await openScene(t)
  await start()
  endpoint.acknowledge(({ topic }) => !topic.endsWith('/reports'))
  endpoint.command('d1', sendCommand('g0'))
  await endpoint.until('accepted', () => endpoint.reports('g0').length === 1)
  for (let i = 1; i <= 40; i++) endpoint.command('d1', sendCommand(`g${i}`))
  await endpoint.until('PUBACKs', () => endpoint.events.filter(({ kind }) => kind === 'puback').length === 41)
  endpoint.acknowledge(true)
  endpoint.cut('d1')
  await endpoint.until('all', () => endpoint.reports('g40').some(({ state }) => state === 'delivered'))
  const sizes = endpoint
    .published('d1', 'reports')
    .map(({ payload }) => (Array.isArray(payload) ? payload.length : 1))
  assert.ok(Math.max(...sizes) > 40)
  assert.ok(Math.max(...sizes) <= 100)
})

test('with ack commands, a PUBACK does not acknowledge a report', async (t) => {
  const { endpoint, start } = await openScene(t)
  await start({ acks: 'command' })
  endpoint.command('d1', sendCommand('g1', { silent: true }))
  await endpoint.until('sent', () => endpoint.reports('g1').length === 2)
  endpoint.command('d1', { type: 'ack', guid: 'g1', attempt: 1, state: 'accepted' })
  endpoint.command('d1', { type: 'networks' })
  await endpoint.until('the commands are read', () => endpoint.published('d1', 'networks').length === 2)
  endpoint.cut('d1')
  const again = await endpoint.until('a report again', () => endpoint.reports('g1')[2])
  assert.equal(again.state, 'sent')
  endpoint.command('d1', { type: 'ack', guid: 'g1', attempt: 1, state: 'sent' })
  endpoint.command('d1', { type: 'networks' })
  await endpoint.until('they are read', () => endpoint.published('d1', 'networks').length === 4)
  endpoint.cut('d1')
  await endpoint.until('a third connection', () => endpoint.published('d1', 'status').length === 3)
  endpoint.command('d1', sendCommand('g2'))
  await endpoint.until('the next message', () => endpoint.reports('g2').length > 0)
  assert.equal(endpoint.reports('g1').length, 3)
})
