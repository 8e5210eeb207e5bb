import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { type Clock, machineClock } from '#agent/clock.ts'
import { good } from '#agent/findings.ts'
import { openDiskRetry } from '#agent/device/disk-retry.ts'
import { openKeeper } from '#agent/device/keeper.ts'
import { openTermux } from '#agent/termux/commands.ts'
import { examine } from '#agent/termux/kind.ts'
import { openTermuxDriver } from '#agent/termux/termux.ts'
import { eventually } from '#test/agents.ts'
import { openBench } from '#test/ledgers.ts'
import { outgoing, takeNotes } from '#test/notes.ts'
import { usePhone } from './phone.ts'

/** A clock that runs `times` as fast; the time limits of commands shrink by the same factor. */
const fasterBy = (times: number): Clock => ({
  now: () => Date.now() * times,
  uptime: () => performance.now() * times,
  after: (ms, run) => machineClock.after(ms / times, run),
})
const FAST = fasterBy(100)

function openDriver(
  t: TestContext,
  options: { slot?: string; refuses?: boolean; clock?: Clock; within_ms?: number } = {},
) {
  const notes = takeNotes(options)
  const said: string[] = []
  const driver = openTermuxDriver({
    termux: openTermux(options),
    keeper: notes.keeper,
    clock: options.clock ?? machineClock,
    say: (line) => said.push(line),
    slot: options.slot,
    number: '+34611000111',
    since: '2026-03-01T00:00:00.000Z',
  })
  t.after(() => driver.close())
  return { driver, said, ...notes }
}

test('a message is sent when Android lists it as sent, and each part is reported', async (t) => {
  const phone = usePhone(t)
  const { driver, progress, steps } = openDriver(t, { slot: '1' })
  const text = `"Hola" $HOME \\n 'té' ${'x'.repeat(200)}`
  assert.deepEqual(await driver.send(outgoing({ text }), progress), { state: 'sent', parts: 2 })
  assert.deepEqual(phone.air(), [{ to: '+34600111222', slot: '1', body: text }])
  assert.deepEqual(steps, ['on air', 'part 1/2 null', 'part 2/2 null'])
  assert.ok(driver.radio().last_sent_at)
})

test('a slot and a number from an order are used for the next message and snapshot', async (t) => {
  const phone = usePhone(t)
  const { driver, progress } = openDriver(t, { slot: '1' })
  driver.configure!({ sim: '0', number: '+34622000222' })
  await driver.send(outgoing(), progress)
  assert.equal(phone.air()[0]?.slot, '0')
  assert.equal((await driver.networks()).mobile?.sims[0]?.phone_number, '+34622000222')
})

test('a message that names another SIM than the phone tells is not sent', async (t) => {
  const phone = usePhone(t)
  const { driver, progress, steps } = openDriver(t)
  const iccid = '8934071100000000011'
  await driver.send(outgoing({ iccid }), progress)
  phone.beSim(`${iccid}F`)
  await driver.send(outgoing({ guid: 'g2', iccid }), progress)
  assert.equal(phone.air().length, 2)
  steps.length = 0
  phone.beSim('8934071100000000022')
  const outcome = await driver.send(outgoing({ guid: 'g3', iccid }), progress)
  assert.deepEqual(outcome.state === 'failed' && [outcome.code, outcome.parts], ['modem_error', 0])
  assert.deepEqual([phone.air().length, steps], [2, []])
})

test('a message that Android lists as failed fails, and may be retried', async (t) => {
  usePhone(t).be({ lists: 'failed' })
  const { driver, progress } = openDriver(t)
  const outcome = await driver.send(outgoing(), progress)
  assert.deepEqual(outcome, {
    state: 'failed',
    code: 'modem_error',
    detail: 'Android could not send it, and does not say why',
    block: false,
    parts: 0,
  })
})

test('a long message that failed may have gone out in part: its outcome is unknown', async (t) => {
  usePhone(t).be({ lists: 'failed' })
  const { driver, progress } = openDriver(t)
  const outcome = await driver.send(outgoing({ text: 'x'.repeat(300) }), progress)
  assert.equal(outcome.state === 'failed' && outcome.code, 'unknown_outcome')
})

test('a message that Android never lists has an unknown outcome', async (t) => {
  const phone = usePhone(t)
  phone.be({ lists: undefined as never })
  phone.store([
    { _id: 1, type: 'sent', address: '+34600111222', received: '2026-03-01 09:00:00', body: 'Hola' },
  ])
  const { driver, progress } = openDriver(t, { clock: fasterBy(25) })
  const outcome = await driver.send(outgoing(), progress)
  assert.ok(outcome.state === 'failed' && outcome.code === 'unknown_outcome')
  assert.match(outcome.detail, /^Android took it, and in 120 s listed it neither as sent nor as failed$/)
  assert.equal(phone.air().length, 1)
})

test('without the permission to see the outcome nothing is sent', async (t) => {
  const phone = usePhone(t)
  phone.be({ denied: ['termux-sms-list'] })
  const { driver, progress, steps } = openDriver(t)
  const outcome = await driver.send(outgoing(), progress)
  assert.ok(outcome.state === 'failed' && outcome.code === 'modem_error' && outcome.parts === 0)
  assert.match(outcome.detail, /Please grant the following permission.*READ_SMS/)
  assert.deepEqual([phone.air(), steps], [[], []])
})

test('without the permission to send, the failure is certain and nothing is on air', async (t) => {
  const phone = usePhone(t)
  phone.be({ denied: ['termux-sms-send'] })
  const { driver, progress } = openDriver(t)
  const outcome = await driver.send(outgoing(), progress)
  assert.equal(outcome.state === 'failed' && outcome.code, 'modem_error')
  assert.deepEqual(phone.air(), [])
})

test('nothing is sent if it could not be stored first, or if the number is invalid', async (t) => {
  const phone = usePhone(t)
  const { driver, progress } = openDriver(t, { refuses: true })
  assert.equal((await driver.send(outgoing(), progress)).state, 'failed')
  const odd = await driver.send(outgoing({ to: '+34600 -s 1' }), progress)
  assert.deepEqual(odd.state === 'failed' && [odd.code, odd.block], ['invalid_number', true])
  assert.deepEqual(phone.air(), [])
})

test('a hanging command, as without the app, is killed with its child processes', async (t) => {
  usePhone(t).be({ hangs: ['termux-sms-send', 'termux-telephony-deviceinfo'] })
  const { driver, progress } = openDriver(t, { within_ms: 1_500 })
  const outcome = await driver.send(outgoing(), progress)
  assert.ok(outcome.state === 'failed' && outcome.code === 'unknown_outcome')
  assert.match(
    outcome.detail,
    /termux-sms-send did not answer within 1\.5 s: is the app Termux:API installed/,
  )
  await eventually('the radio says so', () => driver.radio().says.includes('did not answer'))
  assert.equal(driver.radio().ready, false)
})

test('SMS that arrived since the device was linked are handed on once, oldest first, in any number', async (t) => {
  const phone = usePhone(t)
  const at = (n: number) => `2026-03-0${1 + Math.floor(n / 60)} 10:${String(n % 60).padStart(2, '0')}:00`
  const come = (n: number) => ({
    _id: n,
    type: 'inbox',
    address: '+34600333444',
    received: at(n),
    body: `SMS ${n}`,
  })
  const old = { ...come(1), _id: 999, received: '2025-01-01 10:00:00', body: 'before it was linked' }
  const own = { ...come(1), _id: 998, type: 'sent', body: 'what we sent' }
  phone.store([old, own, ...Array.from({ length: 75 }, (_, i) => come(i + 1))])
  const clock: Clock = { ...FAST, now: () => Date.parse('2026-03-03T00:00:00Z') }
  const { received } = openDriver(t, { clock })
  await eventually('all of them', () => received.length === 75)
  assert.deepEqual(
    received.map(({ text }) => text),
    Array.from({ length: 75 }, (_, i) => `SMS ${i + 1}`),
  )
  assert.equal(received[0]?.from, '+34600333444')
  assert.equal(received[0]?.at, new Date('2026-03-01T10:01:00').toISOString())
  phone.store([come(76), ...Array.from({ length: 75 }, (_, i) => come(i + 1))])
  await eventually('the next', () => received.length === 76)
  assert.equal(new Set(received.map(({ id }) => id)).size, 76)
})

test('an SMS typed on the phone is handed on once, and those that the agent sent never', async (t) => {
  const phone = usePhone(t)
  const bench = openBench()
  const clock: Clock = { ...FAST, now: () => Date.parse(bench.now()) }
  const kept: string[] = []
  const keeping = { ledger: bench, clock, kept: () => undefined, changed: () => undefined }
  const keeper = openKeeper({
    ...keeping,
    say: (line) => kept.push(line),
    diskRetry: openDiskRetry({ clock, say: (line) => kept.push(line) }),
  })
  const row = (_id: number, received: string, body: string) => ({
    _id,
    type: 'sent',
    address: '600111222',
    received,
    body,
  })
  phone.store([row(1, '2026-02-27 10:00:00', 'before the agent knew of this')])
  const open = () =>
    openTermuxDriver({
      termux: openTermux(),
      keeper,
      clock,
      say: (line) => kept.push(line),
      slot: undefined,
      number: undefined,
      since: '2026-01-01T00:00:00.000Z',
    })
  const driver = open()
  const entry = bench.onAir('g1', { text: 'from the console' })
  const { progress } = takeNotes()
  const outcome = await driver.send(entry, progress)
  bench.commands.end(entry, outcome, bench.now())
  phone.store([...phone.stored(), row(50, '2026-03-02 10:00:00', 'by hand')])
  await eventually('it', () => bench.outgoing().includes('sms by hand'))
  await driver.close()
  const again = open()
  t.after(() => again.close())
  phone.store([...phone.stored(), row(51, '2026-03-02 10:01:00', 'by hand again')])
  await eventually('the next', () => bench.outgoing().includes('sms by hand again'))
  assert.deepEqual(
    bench.outgoing().filter((line) => line.startsWith('sms')),
    ['sms by hand', 'sms by hand again'],
  )
  const payload = JSON.parse(bench.outbox.after(0, 100).find(({ kind }) => kind === 'sms')!.payload) as {
    id: string
  }
  assert.match(payload.id, /^android-50-[0-9a-f]{16}$/)
  assert.deepEqual(payload, {
    id: payload.id,
    to: '600111222',
    text: 'by hand',
    at: new Date('2026-03-02T10:00:00').toISOString(),
  })
})

test("an SMS is handed on once, also after a change of the phone's time zone or language", async (t) => {
  const phone = usePhone(t)
  const clock: Clock = { ...FAST, now: () => Date.parse('2026-03-03T00:00:00Z') }
  const { received, typed } = openDriver(t, { clock })
  const row = (_id: number, type: string, received: string) => {
    return { _id, type, address: '600111222', received, body: `SMS ${_id}` }
  }
  for (const [i, time] of ['2026-03-02 10:27:00', '2026-03-02 11:27:00', '٢٠٢٦-٠٣-٠٢ ١٠:٢٧:٠٠'].entries()) {
    const next = 10 + i
    phone.store([
      row(1, 'inbox', time),
      row(2, 'sent', time),
      row(next, 'inbox', '2026-03-02 12:00:00'),
      row(next, 'sent', '2026-03-02 12:00:00'),
    ])
    await eventually('the next', () => typed.some(({ text }) => text === `SMS ${next}`))
  }
  const texts = (list: { text: string }[]) => list.map(({ text }) => text)
  assert.deepEqual(texts(received), ['SMS 1', 'SMS 10', 'SMS 11', 'SMS 12'])
  assert.deepEqual(texts(typed), ['SMS 2', 'SMS 10', 'SMS 11', 'SMS 12'])
})

test("dates in the digits of the phone's language are read", async (t) => {
  const phone = usePhone(t)
  phone.store([{ _id: 1, type: 'inbox', address: '1', received: '٢٠٢٦-٠٣-٠٢ ١٠:٢٧:٠٠', body: 'مرحبا' }])
  const clock: Clock = { ...FAST, now: () => Date.parse('2026-03-03T00:00:00Z') }
  const { received } = openDriver(t, { clock })
  await eventually('it', () => received.length === 1)
  assert.equal(received[0]?.at, new Date('2026-03-02T10:27:00').toISOString())
})

test('its networks are those that the phone reveals to an app, and null for the rest', async (t) => {
  const phone = usePhone(t)
  const { driver } = openDriver(t, { slot: '0' })
  const { wifi, mobile } = await driver.networks()
  const captured_at = mobile!.captured_at
  assert.deepEqual(mobile, {
    intensity: -105,
    captured_at,
    sims: [
      {
        id: null,
        slot: '0',
        carrier: 'O2',
        operator_name: 'Movistar',
        phone_number: '+34611000111',
        iccid: null,
        roaming: false,
        network_type_label: 'LTE',
      },
    ],
  })
  assert.deepEqual(wifi, {
    ssid: 'Oficina',
    intensity: -58,
    band: '5 GHz',
    frequency: 5180,
    link_speed: 433,
    bssid: 'aa:bb:cc:dd:ee:ff',
    ip_address: '192.168.1.20',
    captured_at,
  })
  const told = { battery: 85, charging: false, temperature: 22.3, signal_dbm: -105 }
  assert.deepEqual(await driver.telemetry!(), told)
  phone.be({ battery: { percentage: 100, status: 'FULL', temperature: 30 } })
  assert.deepEqual(await driver.telemetry!(), {
    battery: 100,
    charging: true,
    temperature: 30,
    signal_dbm: -105,
  })
  phone.be({
    battery: 'none',
    wifi: { API_ERROR: 'No current connection' },
    denied: ['termux-telephony-cellinfo'],
  })
  const poor = await driver.networks()
  assert.deepEqual(await driver.telemetry!(), {})
  assert.deepEqual([poor.wifi, poor.mobile?.intensity], [null, null])
})

test('a SIM that needs its PIN, and a phone without a network, are not ready', async (t) => {
  const phone = usePhone(t)
  const { driver } = openDriver(t, { clock: FAST })
  await eventually('ready', () => driver.radio().ready)
  assert.equal(driver.radio().says, 'registered on Movistar')
  phone.be({ device: { sim_state: 'pin_required' } })
  await eventually('PIN', () => driver.radio().says === 'the SIM wants its PIN: enter it on the phone')
  phone.be({ device: { sim_state: 'ready', network_operator_name: '' } })
  await eventually('no network', () => driver.radio().says === 'the phone has no network')
  assert.equal(driver.radio().ready, false)
})

test("doctor reports the phone's state, and its missing features", async (t) => {
  const phone = usePhone(t)
  const found = async () => Array.fromAsync(examine(openTermux({ within_ms: 10_000 }), {}))
  const well = await found()
  assert.deepEqual(well.slice(0, 3), [
    good('registered on Movistar'),
    good('signal -105 dBm'),
    good("the phone's SMS can be read"),
  ])
  assert.match(well[3]!.says, /^no delivery reports: Termux:API requests none from Android/)
  phone.be({ denied: ['termux-sms-list'], device: { sim_state: 'absent' } })
  assert.deepEqual(
    (await found()).filter(({ level }) => level === 'fault').map(({ says }) => says.split(':')[0]),
    ['there is no SIM in the phone', "the phone's SMS cannot be read"],
  )
})
