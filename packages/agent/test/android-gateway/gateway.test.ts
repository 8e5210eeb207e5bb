import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { test, type TestContext } from 'node:test'
import { openApi } from '#agent/android-gateway/api.ts'
import { openGatewayDriver } from '#agent/android-gateway/gateway.ts'
import { gatewayKind } from '#agent/android-gateway/kind.ts'
import { type Clock, machineClock } from '#agent/clock.ts'
import { eventually } from '#test/agents.ts'
import { freePort } from '../../../../scripts/free-port.ts'
import { outgoing, takeNotes } from '#test/notes.ts'
import { type GatewayPhone, openGatewayPhone } from './stand-in.ts'

/** A hundred times as fast as the machine's clock. */
const FAST: Clock = {
  now: () => START + (Date.now() - START) * 100,
  uptime: () => performance.now() * 100,
  after: (ms, run) => machineClock.after(ms / 100, run),
}
const START = Date.now()

type Options = {
  simNumber?: number
  webhook?: { url: string; port: number }
  refuses?: boolean
  password?: string
  /** When the device was linked, before the start of the test. */
  linked_ms?: number
}

function openDriver(t: TestContext, phone: GatewayPhone, options: Options = {}) {
  const notes = takeNotes(options)
  const said: string[] = []
  const driver = openGatewayDriver({
    api: openApi(phone.url, 'sms', options.password ?? 'secret'),
    keeper: notes.keeper,
    clock: FAST,
    say: (line) => said.push(line),
    where: new URL(phone.url).host,
    simNumber: options.simNumber,
    webhook: options.webhook,
    since: new Date(START - (options.linked_ms ?? 60_000)).toISOString(),
  })
  t.after(() => driver.close())
  return { driver, said, ...notes }
}

test('a message is sent by the app and its delivery is reported', async (t) => {
  const phone = await openGatewayPhone(t)
  phone.follow(['Processed'], ['Sent'], ['Delivered'])
  const { driver, progress, steps, deliveries } = openDriver(t, phone)
  const text = 'x'.repeat(300)
  assert.deepEqual(await driver.send(outgoing({ text }), progress), { state: 'sent', parts: 2 })
  const [message] = phone.messages
  assert.deepEqual(message?.asked, {
    id: message?.id,
    textMessage: { text },
    phoneNumbers: ['+34600111222'],
    withDeliveryReport: true,
    ttl: 300,
  })
  assert.deepEqual(steps, ['on air', `part 1/1 ${message?.id}`])
  await eventually('delivered', () => deliveries.length === 1)
  const { state, reference, to } = deliveries[0]!
  assert.deepEqual(
    { state, reference, to },
    { state: 'delivered', reference: message?.id, to: '+34600111222' },
  )
  assert.ok(driver.radio().last_sent_at)
})

test('a short code is accepted, a silent message asks for no report, and the SIM is chosen by its number', async (t) => {
  const phone = await openGatewayPhone(t)
  phone.follow(['Sent'])
  const { driver, progress, steps } = openDriver(t, phone, { simNumber: 1 })
  await eventually('its SIMs are known', () => driver.radio().ready)
  await driver.send(outgoing({ to: '7722', silent: true, from: '622000222' }), progress)
  const { withDeliveryReport, simNumber } = phone.messages[0]!.asked
  assert.deepEqual({ withDeliveryReport, simNumber }, { withDeliveryReport: false, simNumber: 2 })
  assert.deepEqual(steps, ['on air', 'part 1/1 null'])
  await driver.send(outgoing({ guid: 'g2' }), progress)
  assert.equal(phone.messages[0]!.asked['simNumber'], 1)
  // An order changes the SIM for the next message.
  for (const [sim, guid] of [
    ['2', 'g3'],
    [undefined, 'g4'],
  ] as const) {
    driver.configure!(sim === undefined ? {} : { sim })
    await driver.send(outgoing({ guid }), progress)
    assert.equal(phone.messages[0]!.asked['simNumber'], sim && Number(sim))
  }
})

test('an outcome names the SIM that the app was told to use, and none if the app chose it', async (t) => {
  const phone = await openGatewayPhone(t)
  phone.follow(['Sent'])
  const { driver, progress } = openDriver(t, phone, { simNumber: 1 })
  await eventually('its SIMs are known', () => driver.radio().ready)
  // The phone tells no ICCID of the first SIM, and only a part of the second.
  assert.equal((await driver.send(outgoing(), progress)).sim, '+34611000111')
  driver.configure!({ sim: '2' })
  phone.follow(['Failed', 'Send result: RESULT_ERROR_GENERIC_FAILURE'])
  const failed = await driver.send(outgoing({ guid: 'g2' }), progress)
  assert.deepEqual([failed.state, failed.sim], ['failed', '+34622000222'])
  driver.configure!({})
  assert.equal((await driver.send(outgoing({ guid: 'g3' }), progress)).sim, undefined)
})

test('a message leaves with the SIM that it names by ICCID, and fails if the phone has another', async (t) => {
  const phone = await openGatewayPhone(t)
  phone.follow(['Sent'])
  phone.haveSims('8934071100000000011', '8934 0711 0000 0000 022F')
  const { driver, progress, steps } = openDriver(t, phone, { simNumber: 1 })
  await eventually('its SIMs are known', () => driver.radio().ready)
  const named = await driver.send(outgoing({ iccid: '8934071100000000022' }), progress)
  assert.equal(phone.messages[0]!.asked['simNumber'], 2)
  assert.equal(named.sim, '8934071100000000022')
  steps.length = 0
  const other = await driver.send(outgoing({ guid: 'g2', iccid: '8934071100000000033' }), progress)
  assert.deepEqual(other, {
    state: 'failed',
    code: 'modem_error',
    detail: 'This device does not have the SIM 8934071100000000033',
    block: false,
    parts: 0,
  })
  assert.deepEqual([phone.messages.length, steps], [1, []])
})

test('a message that names an ICCID is sent by a phone that does not tell all of its own', async (t) => {
  const phone = await openGatewayPhone(t)
  phone.follow(['Sent'])
  const { driver, progress } = openDriver(t, phone)
  await eventually('its SIMs are known', () => driver.radio().ready)
  assert.equal((await driver.send(outgoing({ iccid: '8934071100000000033' }), progress)).state, 'sent')
})

test("a message that Android refuses fails with Android's reason", async (t) => {
  const phone = await openGatewayPhone(t)
  const { driver, progress } = openDriver(t, phone)
  const refusals: [string, string, boolean][] = [
    [
      'Send result: RESULT_ERROR_NO_SERVICE (Failed because service is currently unavailable)',
      'no_network',
      false,
    ],
    ['Send result: RESULT_ERROR_GENERIC_FAILURE (Generic failure cause)', 'modem_error', false],
    ['Send result: RESULT_ERROR_FDN_CHECK_FAILURE (Failed because FDN is enabled)', 'modem_error', true],
    ['TTL expired', 'no_network', false],
  ]
  for (const [i, [said, code, block]] of refusals.entries()) {
    phone.follow(['Processed'], ['Failed', said])
    const outcome = await driver.send(outgoing({ guid: `g${i}` }), progress)
    assert.deepEqual(outcome, { state: 'failed', code, detail: said, block, parts: 0 })
  }
  phone.follow(['Failed', 'Send result: RESULT_NETWORK_REJECT'])
  const long = await driver.send(outgoing({ guid: 'long', text: 'x'.repeat(300) }), progress)
  assert.equal(long.state === 'failed' && long.code, 'unknown_outcome')
})

test('a lost answer does not cause a second SMS', async (t) => {
  const phone = await openGatewayPhone(t)
  phone.follow(['Sent'])
  phone.loseAnswers(1)
  const { driver, progress } = openDriver(t, phone)
  assert.equal((await driver.send(outgoing(), progress)).state, 'sent')
  assert.equal(phone.messages.length, 1)
  const again = await driver.send(outgoing(), progress)
  assert.equal(again.state, 'sent')
  assert.equal(phone.messages.length, 1)
})

test('an unreachable phone has certainly sent nothing', async (t) => {
  const phone = await openGatewayPhone(t)
  await phone.stop()
  const { driver, progress } = openDriver(t, phone)
  const outcome = await driver.send(outgoing(), progress)
  assert.ok(outcome.state === 'failed' && outcome.code === 'no_network' && !outcome.block)
  assert.match(
    outcome.detail,
    /^Not sent: the app does not answer at 127\.0\.0\.1:\d+ \(ECONNREFUSED\): is it on/,
  )
  await eventually('it says so', () => driver.radio().says.startsWith('the app does not answer'))
})

test('a message that waits too long in the app is cancelled; one that it has begun has an unknown outcome', async (t) => {
  const phone = await openGatewayPhone(t)
  const { driver, progress } = openDriver(t, phone)
  const waiting = await driver.send(outgoing(), progress)
  assert.equal(waiting.state === 'failed' && waiting.code, 'timeout')
  assert.equal(phone.messages[0]?.state, 'Cancelled')
  phone.follow(['Processed'])
  const begun = await driver.send(outgoing({ guid: 'g2' }), progress)
  assert.equal(begun.state === 'failed' && begun.code, 'unknown_outcome')
})

test('a message that could not be stored first is not handed to the app', async (t) => {
  const phone = await openGatewayPhone(t)
  const { driver, progress } = openDriver(t, phone, { refuses: true })
  assert.equal((await driver.send(outgoing(), progress)).state, 'failed')
  assert.deepEqual(phone.messages, [])
})

test('after a restart it reports deliveries of messages from an earlier run, and of no other messages', async (t) => {
  const phone = await openGatewayPhone(t)
  phone.follow(['Sent'])
  const first = openDriver(t, phone)
  for (const guid of ['g1', 'g2']) await first.driver.send(outgoing({ guid }), first.progress)
  await first.driver.close()
  const [second, one] = phone.messages
  await phone.become(one!, 'Delivered')
  phone.messages.push({ ...one!, id: 'of-another-program' })
  const { deliveries } = openDriver(t, phone)
  await eventually('the first', () => deliveries.length === 1)
  await phone.become(second!, 'Failed', 'Delivery result from SC +34609090909: 70')
  await eventually('the second', () => deliveries.length === 2)
  assert.deepEqual(
    deliveries.map(({ reference, state, detail }) => [reference, state, detail]),
    [
      [one!.id, 'delivered', undefined],
      [second!.id, 'undelivered', 'Delivery result from SC +34609090909: 70'],
    ],
  )
})

test('of two devices on one phone, each reports the deliveries of its own messages', async (t) => {
  const phone = await openGatewayPhone(t)
  phone.follow(['Sent'], ['Delivered'])
  const first = openDriver(t, phone, { simNumber: 1 })
  await first.driver.send(outgoing(), first.progress)
  await eventually('the first', () => first.deliveries.length === 1)
  const second = openDriver(t, phone, { simNumber: 2, linked_ms: 50_000 })
  await second.driver.send(outgoing({ guid: 'g2' }), second.progress)
  await eventually('the second', () =>
    second.deliveries.some(({ reference }) => reference === phone.messages[0]!.id),
  )
  assert.deepEqual([first.deliveries.length, second.deliveries.length], [1, 1])
  assert.ok(phone.messages.every(({ id }) => id.length === 36))
})

test('SMS that arrived since the device was linked are handed on once, oldest first', async (t) => {
  const phone = await openGatewayPhone(t)
  const at = (secs: number) => new Date(START + secs * 1_000).toISOString()
  await phone.receive({ from: '+34600333444', text: 'long before', at: at(-3_600) })
  for (let i = 0; i < 120; i++)
    await phone.receive({ from: '+34600333444', text: `SMS ${i}`, at: at(i / 10) })
  const { received } = openDriver(t, phone)
  await eventually('all', () => received.length === 120)
  assert.deepEqual(
    received.map(({ text }) => text),
    Array.from({ length: 120 }, (_, i) => `SMS ${i}`),
  )
  assert.equal(received[0]?.sim, '1')
  await phone.receive({ from: '+34600333444', text: 'one that was delayed', at: at(-10) })
  await eventually('the late one', () => received.length === 121)
  assert.equal(new Set(received.map(({ id }) => id)).size, 121)
})

test('webhooks report events at once, received SMS too, and only at their secret path', async (t) => {
  const phone = await openGatewayPhone(t)
  phone.withoutInbox()
  const port = Number(await freePort())
  const { driver, received } = openDriver(t, phone, { webhook: { url: `http://127.0.0.1:${port}`, port } })
  await eventually('four webhooks', () => phone.webhooks.size === 4)
  const sms = { from: '+34600333444', text: 'Sí', at: new Date(START).toISOString() }
  assert.deepEqual(await phone.receive(sms), [204])
  assert.deepEqual(
    received.map(({ from, text }) => [from, text]),
    [['+34600333444', 'Sí']],
  )
  const guess = await fetch(`http://127.0.0.1:${port}/guess`, { method: 'POST', body: '{}' })
  assert.equal(guess.status, 404)
  await driver.close()
  assert.equal(phone.webhooks.size, 0)
})

test('webhooks that the app refuses at first are registered later', async (t) => {
  const phone = await openGatewayPhone(t)
  phone.withoutInbox()
  phone.refuseWebhooks(2)
  const port = Number(await freePort())
  const { received, said } = openDriver(t, phone, { webhook: { url: `http://127.0.0.1:${port}`, port } })
  await eventually('four webhooks', () => phone.webhooks.size === 4)
  assert.match(said[0]!, /^webhooks do not work, so the phone is polled instead: .*the settings are locked$/)
  await phone.receive({ from: '+34600333444', text: 'Sí', at: new Date(START).toISOString() })
  assert.equal(received.length, 1)
})

test('a body that is too large is refused, with or without a Content-Length', async (t) => {
  const phone = await openGatewayPhone(t)
  const port = Number(await freePort())
  openDriver(t, phone, { webhook: { url: `http://127.0.0.1:${port}`, port } })
  await eventually('four webhooks', () => phone.webhooks.size === 4)
  const { url } = phone.webhooks.values().next().value!
  const post = request(url, { method: 'POST' })
  const answered = once(post, 'response') as Promise<[IncomingMessage]>
  const block = Buffer.alloc(64 * 1024, 0x20)
  // In chunks, and without a length.
  post.on('error', () => {})
  for (let sent = 0; sent <= 1024 * 1024; sent += block.length) post.write(block)
  const [{ statusCode }] = await answered
  assert.equal(statusCode, 413)
  post.destroy()
  const said = await fetch(url, { method: 'POST', body: Buffer.alloc(1024 * 1024 + 1) }).catch(
    () => undefined,
  )
  assert.ok(said === undefined || said.status === 413)
})

test('an SMS that is both reported and listed is handed on under one id', async (t) => {
  const phone = await openGatewayPhone(t)
  const port = Number(await freePort())
  const { received } = openDriver(t, phone, { webhook: { url: `http://127.0.0.1:${port}`, port } })
  await eventually('four webhooks', () => phone.webhooks.size === 4)
  await phone.receive({ from: '+34600333444', text: 'Sí', at: new Date().toISOString() })
  const seen = phone.calls.length
  await eventually(
    'it was listed',
    () => phone.calls.slice(seen).filter((call) => call === 'GET /inbox').length >= 2,
  )
  assert.equal(new Set(received.map(({ id }) => id)).size, 1)
})

test('its networks are those that the app reports, and null for the rest', async (t) => {
  const phone = await openGatewayPhone(t)
  const { driver } = openDriver(t, phone)
  await eventually('ready', () => driver.radio().ready)
  assert.equal(driver.radio().says, 'Pixel 6 answers, SIM of Movistar and Vodafone')
  assert.deepEqual(await driver.telemetry!(), { battery: 94, charging: true })
  const { wifi, mobile } = await driver.networks()
  assert.equal(wifi, null)
  assert.deepEqual(
    mobile?.sims.map(({ id, slot, carrier, phone_number, iccid, roaming }) => [
      id,
      slot,
      carrier,
      phone_number,
      iccid,
      roaming,
    ]),
    [
      [1, 0, 'Movistar', '+34611000111', null, null],
      [2, 1, 'Vodafone', '+34622000222', '8934', null],
    ],
  )
})

test('it does not say that the phone has no SIM before the phone has answered', async (t) => {
  const phone = await openGatewayPhone(t)
  await phone.stop()
  const { driver } = openDriver(t, phone)
  assert.deepEqual(await driver.networks(), { wifi: null, mobile: null })
  await eventually('it asked', () => driver.radio().says.startsWith('the app does not answer'))
  assert.deepEqual(await driver.networks(), { wifi: null, mobile: null })
})

test('a wrong password, and an app that is too old, get helpful errors', async (t) => {
  const phone = await openGatewayPhone(t)
  const { driver } = openDriver(t, phone, { password: 'wrong' })
  await eventually('refused', () => /refuses the user name or the password/.test(driver.radio().says))
  phone.withoutInbox()
  const old = openDriver(t, phone)
  await eventually('it says so', () => old.said.some((line) => line.includes('does not list received SMS')))
  const findings = await Array.fromAsync(
    gatewayKind.examine({ url: phone.url, username: 'sms', password: 'secret' }),
  )
  assert.deepEqual(
    findings.map(({ level, says }) => `${level} ${says}`),
    [
      'good Pixel 6 answers',
      'good SIM 1: Movistar, number +34611000111',
      'good SIM 2: Vodafone, number +34622000222',
      'fault received SMS cannot be read: this version of the app does not list them',
      'note the app does not report signal, network type or WiFi',
    ],
  )
})

test('options that the app could not use are refused by name', async () => {
  const given = { url: 'http://192.168.1.20:8080', username: 'sms', password: 'secret' }
  assert.deepEqual(await gatewayKind.check(given), given)
  const wrong: [object, RegExp][] = [
    [{ url: undefined }, /^Error: --url is missing/],
    [{ url: '192.168.1.20:8080' }, /^Error: --url 192\.168\.1\.20:8080 is not an address/],
    [{ password: undefined }, /^Error: --password is missing: the app shows it/],
    [{ sim: '4' }, /^Error: --sim 4 is not a SIM/],
    [
      { webhook: 'http://192.168.1.5:8765' },
      /is refused by the app: it must begin with https:\/\/ or http:\/\/127/,
    ],
  ]
  for (const [fields, complaint] of wrong) {
    await assert.rejects(gatewayKind.check({ ...given, ...fields } as never), complaint)
  }
})
