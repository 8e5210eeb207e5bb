import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Networks } from '@sdd/contract/fleet/devices.ts'
import { Presence } from '@sdd/contract/fleet/device-protocol.ts'
import { readText } from '@sdd/mqtt/codec/text.ts'
import { openRadios } from '#simulator/networks.ts'
import { eventually, openScene, sendCommand } from '#test/fleet.ts'

const SLOW = { send_ms: [60_000, 60_000] as const }

test('a device subscribes its commands, publishes connected, then its networks', async (t) => {
  const { endpoint, start } = await openScene(t)
  await start()
  const [connect, subscribe, status, networks] = await endpoint.until(
    'networks',
    () => endpoint.events.length > 3 && endpoint.events,
  )
  assert.ok(connect?.kind === 'connect')
  const { client_id, username, password, clean, keep_alive_secs, will } = connect.packet
  assert.deepEqual([client_id, username, readText(password!), clean], ['d1', 'd1', 'secret 1', true])
  assert.ok(keep_alive_secs >= 1 && keep_alive_secs <= 120)

  assert.ok(subscribe?.kind === 'subscribe')
  assert.deepEqual([subscribe.topic, subscribe.qos], ['devices/d1/commands', 1])

  assert.ok(status?.kind === 'publish')
  const { abilities, ...said } = Presence.parse(status.payload)
  assert.deepEqual([status.topic, status.qos, status.retain], ['devices/d1/status', 1, false])
  assert.equal(said.status, 'connected')
  assert.match(said.agent!, /^sdd-simulator\//)
  assert.deepEqual(abilities, ['ussd', 'restart_radio', 'doctor', 'logs', 'configure'])
  assert.equal(will?.topic, 'devices/d1/status')
  assert.deepEqual(JSON.parse(readText(will!.payload)), { ...said, status: 'disconnected' })

  assert.ok(networks?.kind === 'publish')
  assert.equal(networks.topic, 'devices/d1/networks')
  assert.ok(Networks.parse(networks.payload).mobile!.sims.length > 0)
})

test('each connection has its own session', async (t) => {
  const { endpoint, start } = await openScene(t)
  await start()
  endpoint.cut('d1')
  const [first, second] = await endpoint.until('a second status', () => {
    const said = endpoint.published('d1', 'status')
    return said.length > 1 && said
  })
  assert.notEqual(Presence.parse(first?.payload).session, Presence.parse(second?.payload).session)
})

test('a message is accepted, sent and delivered, in that order', async (t) => {
  const { endpoint, start } = await openScene(t)
  const fleet = await start()
  endpoint.command('d1', sendCommand('g1', { text: '€'.repeat(81) }))
  await endpoint.until('delivered', () => endpoint.reports('g1').length === 3)
  const reports = endpoint.reports('g1')
  assert.deepEqual(
    reports.map(({ state, attempt }) => `${state} ${attempt}`),
    ['accepted 1', 'sent 1', 'delivered 1'],
  )
  assert.equal(reports[1]?.parts, 2)
  assert.equal(reports[1]?.sim, fleet.devices.get('d1')?.numbers[0])
  assert.deepEqual([...fleet.onAir()], [['g1', 1]])
  assert.deepEqual(fleet.breaches(), [])
})

test('a command is acknowledged once the ledger has it', async (t) => {
  const { endpoint, ledger_path, start } = await openScene(t)
  await start()
  const message_id = endpoint.command('d1', sendCommand('g1'))
  await endpoint.until('PUBACK', () => endpoint.events.find((event) => event.kind === 'puback'))
  const puback = endpoint.events.find((event) => event.kind === 'puback')
  assert.equal(puback?.message_id, message_id)
  assert.match(readFileSync(ledger_path, 'utf8'), /"kind":"seen".*"guid":"g1"/)
})

test('a command is sent from the SIM that it names', async (t) => {
  const { endpoint, start } = await openScene(t)
  const fleet = await start({ count: 12 })
  const dual = [...fleet.devices.values()].find(({ numbers }) => numbers.length === 2)!
  endpoint.command(dual.uid, sendCommand('g1', { from: dual.numbers[1] }))
  const sent = await endpoint.until('sent', () =>
    endpoint.reports('g1').find(({ state }) => state === 'sent'),
  )
  assert.equal(sent.sim, dual.numbers[1])
  const { sims } = openRadios(dual.uid)
  endpoint.command(dual.uid, sendCommand('g2', { iccid: sims[1]!.iccid! }))
  const named = await endpoint.until('sent', () =>
    endpoint.reports('g2').find(({ state }) => state === 'sent'),
  )
  assert.equal(named.sim, dual.numbers[1])
  endpoint.command(dual.uid, sendCommand('g3', { iccid: '8934071100000000011' }))
  const missing = await endpoint.until('failed', () =>
    endpoint.reports('g3').find(({ state }) => state === 'failed'),
  )
  assert.deepEqual([missing.code, missing.parts], ['modem_error', 0])
})

test('a silent message brings no delivery report', async (t) => {
  const { endpoint, start } = await openScene(t)
  await start()
  endpoint.command('d1', sendCommand('quiet', { silent: true }))
  await endpoint.until('sent', () => endpoint.reports('quiet').length === 2)
  endpoint.command('d1', sendCommand('loud'))
  await endpoint.until('delivered', () => endpoint.reports('loud').length === 3)
  assert.deepEqual(
    endpoint.reports('quiet').map(({ state }) => state),
    ['accepted', 'sent'],
  )
})

test('the recipient replies through the inbox', async (t) => {
  const { endpoint, start } = await openScene(t)
  await start({ behaviour: { replying: 1 } })
  endpoint.command('d1', sendCommand('g1', { to: '+34699000111' }))
  const { payload } = await endpoint.until('a reply', () => endpoint.published('d1', 'inbox')[0])
  const { from, id, text } = payload as { from: string; id: string; text: string }
  assert.equal(from, '+34699000111')
  assert.ok(id && text)
})

test('a cancel drops a message that is not on air yet', async (t) => {
  const { endpoint, start } = await openScene(t)
  const fleet = await start({ behaviour: SLOW })
  endpoint.command('d1', sendCommand('first'))
  endpoint.command('d1', sendCommand('second'))
  await endpoint.until('accepted', () => endpoint.reports('second').length === 1)
  endpoint.command('d1', { type: 'cancel', guid: 'second' })
  const dropped = await endpoint.until('the outcome', () => endpoint.reports('second')[1])
  assert.deepEqual([dropped.state, dropped.code, dropped.attempt], ['failed', 'cancelled', 1])
  fleet.crash()
  const restarted = await start()
  await endpoint.until('the first', () => endpoint.reports('first').some(({ state }) => state === 'failed'))
  assert.equal(restarted.onAir().size, 0)
})

test('a cancel is too late once the radio has begun', async (t) => {
  const { endpoint, ledger_path, start } = await openScene(t)
  await start({ behaviour: { send_ms: [400, 400] } })
  endpoint.command('d1', sendCommand('g1'))
  await endpoint.until('accepted', () => endpoint.reports('g1').length === 1)
  await eventually('sending', () => readFileSync(ledger_path, 'utf8').includes('"kind":"sending"'))
  endpoint.command('d1', { type: 'cancel', guid: 'g1' })
  await endpoint.until('delivered', () => endpoint.reports('g1').length === 4)
  assert.deepEqual(
    endpoint.reports('g1').map(({ state }) => state),
    ['accepted', 'accepted', 'sent', 'delivered'],
  )
})

test('a message cancelled before its command arrived is not sent when it arrives', async (t) => {
  const { endpoint, start } = await openScene(t)
  const fleet = await start()
  endpoint.command('d1', { type: 'cancel', guid: 'g1' })
  const dropped = await endpoint.until('the answer', () => endpoint.reports('g1')[0])
  assert.deepEqual([dropped.state, dropped.code], ['failed', 'cancelled'])
  endpoint.command('d1', sendCommand('g1'))
  await endpoint.until('the outcome', () => endpoint.reports('g1').length === 3)
  assert.equal(endpoint.reports('g1')[2]?.code, 'cancelled')
  assert.equal(fleet.onAir().size, 0)
})

test('a message that expires before its turn is not sent', async (t) => {
  const { endpoint, start } = await openScene(t)
  const fleet = await start()
  endpoint.command('d1', sendCommand('g1', { expires_at: new Date(Date.now() - 10).toISOString() }))
  const failed = await endpoint.until('the outcome', () => endpoint.reports('g1')[1])
  assert.deepEqual([failed.state, failed.code], ['failed', 'expired'])
  assert.equal(fleet.onAir().size, 0)
})

test('a new snapshot is published on request, and when the signal changes', async (t) => {
  const { endpoint, start } = await openScene(t)
  await start({ behaviour: { wobble_secs: 0.02 } })
  await endpoint.until('changes', () => endpoint.published('d1', 'networks').length > 3)
  const intensities = endpoint
    .published('d1', 'networks')
    .map(({ payload }) => Networks.parse(payload).mobile?.intensity)
  assert.ok(new Set(intensities).size > 1)
})

test('the networks command triggers a new snapshot', async (t) => {
  const { endpoint, start } = await openScene(t)
  await start()
  await endpoint.until('the first', () => endpoint.published('d1', 'networks').length === 1)
  endpoint.command('d1', { type: 'networks' })
  await endpoint.until('another', () => endpoint.published('d1', 'networks').length === 2)
})

test('a modem without an answer is reported as unknown_outcome, which a delivery report may settle', async (t) => {
  const { endpoint, start } = await openScene(t)
  const fleet = await start({ behaviour: { unanswered: 1 } })
  for (let i = 0; i < 12; i++) endpoint.command('d1', sendCommand(`g${i}`))
  await eventually('outcomes', () => fleet.stats().uncertain === 12)
  assert.ok(fleet.onAir().size > 0 && fleet.onAir().size < 12)
  for (const guid of fleet.onAir().keys()) {
    await endpoint.until(`delivery of ${guid}`, () => endpoint.reports(guid).at(-1)?.state === 'delivered')
  }
})

test('a clean stop finishes the message on the radio, publishes disconnected and disconnects', async (t) => {
  const { endpoint, start } = await openScene(t)
  const fleet = await start({ behaviour: { send_ms: [300, 300], unreported: 1 } })
  endpoint.command('d1', sendCommand('on-the-radio'))
  endpoint.command('d1', sendCommand('waits'))
  await endpoint.until('accepted', () => endpoint.reports('waits').length === 1)
  await fleet.stop()
  await endpoint.until('the end', () => endpoint.events.find(({ kind }) => kind === 'close'))
  const last = endpoint.events.slice(-3)
  assert.deepEqual(
    last.map(({ kind }) => kind),
    ['publish', 'disconnect', 'close'],
  )
  assert.equal(Presence.parse(endpoint.published('d1', 'status').at(-1)?.payload).status, 'disconnected')
  assert.equal(endpoint.reports('on-the-radio').at(-1)?.state, 'sent')
  assert.deepEqual(
    endpoint.reports('waits').map(({ state }) => state),
    ['accepted'],
  )
})

test('a refused device keeps trying, with growing pauses', async (t) => {
  const { endpoint, start } = await openScene(t)
  endpoint.refuse(5)
  const starting = start({ behaviour: { reconnect_ms: [20, 10_000] } })
  const tries = await endpoint.until('five tries', () => {
    const connects = endpoint.events.filter(({ kind }) => kind === 'connect')
    return connects.length === 5 && connects
  })
  endpoint.refuse(0)
  const fleet = await starting
  const [first = 0, , , fourth = 0, fifth = 0] = tries.map(({ at }) => at)
  assert.ok(fifth - fourth >= 80 && fourth - first >= 70)
  assert.equal(fleet.stats().refused, 5)
})
