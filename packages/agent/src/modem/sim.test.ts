import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestModem, type TestModem } from '#test/modem.ts'

/** PIN, SIM and SMS centre: what the agent does itself, and what it asks of a person. */

test('a PIN is entered once, followed by a pause', async () => {
  for (const pin_quiet_ms of [0, 2_900]) {
    const modem = openTestModem({
      sim: { pin: '1234' },
      dialect: { pin_quiet_ms },
      settings: { pin: '1234' },
    })
    await modem.ready()
    assert.equal(modem.driver.radio().ready, true)
    assert.equal(pins(modem), 1)
    assert.equal((await modem.send('Hola')).state, 'sent')
    await modem.close()
  }
})

test('a SIM state that arrives as an error is read as the same state', async () => {
  const dialect = { cpin_errors: true }
  for (const errors of ['codes', 'texts'] as const) {
    const right = openTestModem({
      sim: { pin: '1234' },
      dialect: { ...dialect, errors },
      settings: { pin: '1234' },
    })
    await right.ready()
    assert.equal(right.driver.radio().ready, true)
    await right.close()
    const puk = openTestModem({ sim: { pin: '1234', pin_tries: 0 }, dialect: { ...dialect, errors } })
    await puk.time.pass(60_000)
    assert.match(puk.driver.radio().says, /wants its PUK/)
    await puk.close()
  }
})

test('a wrong PIN is tried once, even if the modem is polled, unplugged or restarted', async () => {
  for (const errors of ['codes', 'texts', 'blank'] as const) {
    const modem = openTestModem({
      sim: { pin: '1234' },
      dialect: { errors, cpinr: errors === 'codes' },
      settings: { pin: '4321' },
    })
    await modem.time.pass(60 * 60_000)
    assert.equal(pins(modem), 1)
    assert.match(modem.driver.radio().says, /the SIM refused its PIN, which is not tried again/)
    modem.emulator.restart()
    await modem.time.pass(60 * 60_000)
    modem.emulator.unplug()
    await modem.time.pass(60_000)
    modem.emulator.plug()
    await modem.time.pass(60 * 60_000)
    assert.equal(pins(modem), 1)
    assert.equal(modem.driver.radio().ready, false)
    await modem.close()
  }
})

test('a wrong PIN is not tried again if the modem tells the ICCID only at one of two starts', async () => {
  for (const told_first of [true, false]) {
    const lacks = ['^CURC']
    const modem = openTestModem({ sim: { pin: '1234' }, dialect: { lacks }, settings: { pin: '4321' } })
    for (const told of [told_first, !told_first, told_first]) {
      if (told) lacks.length = 1
      else lacks.push('+CCID')
      modem.emulator.restart()
      await modem.time.pass(60_000)
    }
    assert.equal(pins(modem), 1)
    assert.match(modem.driver.radio().says, /refused its PIN, which is not tried again/)
    await modem.close()
  }
})

test('each of two SIMs gets one try of a wrong PIN, also if the first one comes back', async () => {
  const modem = openTestModem({ sim: { pin: '1234', pin_tries: 9 }, settings: { pin: '4321' } })
  await modem.time.pass(60_000)
  for (const iccid of ['8934561100000000022', '8934071100000000019', '8934561100000000022']) {
    modem.emulator.setSim({ iccid })
    modem.emulator.restart()
    await modem.time.pass(60_000)
  }
  assert.equal(pins(modem), 2)
  await modem.close()
})

test('the last try before the PUK is left to a person', async () => {
  const modem = openTestModem({ sim: { pin: '1234', pin_tries: 1 }, settings: { pin: '1234' } })
  await modem.time.pass(60_000)
  assert.equal(pins(modem), 0)
  assert.match(modem.driver.radio().says, /one try left before it wants its PUK/)
  await modem.close()
})

test('a SIM that needs its PUK, or a PIN that is not set, says what to do; nothing is tried', async () => {
  const without = openTestModem({ sim: { pin: '1234' } })
  await without.time.pass(60_000)
  assert.match(without.driver.radio().says, /the SIM wants its PIN: set `pin`/)
  assert.equal(pins(without), 0)
  await without.close()

  const puk = openTestModem({ sim: { pin: '1234', pin_tries: 0 }, settings: { pin: '1234' } })
  await puk.time.pass(60_000)
  assert.match(puk.driver.radio().says, /wants its PUK/)
  assert.equal(pins(puk), 0)
  await puk.close()
})

test('a message for a SIM without its PIN waits two minutes, and fails with the reason', async () => {
  const modem = openTestModem({ sim: { pin: '1234' } })
  await modem.time.pass(10_000)
  const outcome = await modem.send('Hola')
  assert.ok(outcome.state === 'failed' && outcome.code === 'no_network' && outcome.parts === 0)
  assert.match(outcome.detail, /the SIM wants its PIN/)
  await modem.close()
})

test('+CPIN: READY without OK is an answer', async () => {
  const modem = openTestModem({ dialect: { cpin_ok: false } })
  await modem.ready()
  assert.ok(modem.driver.radio().ready && modem.time.elapsed() < 5_000)
  await modem.close()
})

test('a SIM that is busy after the start is asked again until it answers', async () => {
  for (const sim_busy_code of [14, 515]) {
    const modem = openTestModem({ dialect: { sim_busy_ms: 10_000, sim_busy_code } })
    await modem.ready()
    assert.ok(modem.driver.radio().ready)
    assert.ok(modem.time.elapsed() >= 10_000 && modem.time.elapsed() < 15_000)
    await modem.close()
  }
})

test('a SIM that stays busy is asked for 30 s at a time, until it is ready', async () => {
  const modem = openTestModem({ dialect: { sim_busy_ms: 100_000 } })
  await modem.time.pass(40_000)
  assert.match(modem.driver.radio().says, /CME ERROR: 14/)
  await modem.time.pass(120_000)
  assert.equal(modem.driver.radio().ready, true)
  await modem.close()
})

test('errors that arrive as texts, or without a code, are read', async () => {
  for (const errors of ['texts', 'blank'] as const) {
    const modem = openTestModem({ dialect: { errors, lacks: ['^CURC', '+CEREG'] } })
    await modem.ready()
    assert.equal((await modem.send('Hola')).state, 'sent')
    await modem.close()
  }
  const busy = openTestModem({ dialect: { errors: 'texts', sim_busy_ms: 10_000 } })
  await busy.ready()
  assert.ok(busy.time.elapsed() < 15_000)
  await busy.close()
})

test('a modem that another program left in UCS2 is set to the alphabet in which its numbers can be read', async () => {
  const modem = openTestModem({ dialect: { alphabet: 'UCS2' } })
  for (let starts = 0; starts < 2; starts++) {
    await modem.ready()
    assert.equal(modem.driver.radio().says, 'registered at home on Movistar')
    assert.equal((await modem.send('Hola', { from: '+34600000001' })).state, 'sent')
    modem.emulator.restart()
    await modem.time.pass(1_000)
  }
  await modem.close()
})

test('a modem without a choice of alphabets is used as it is', async () => {
  const modem = openTestModem({ dialect: { lacks: ['+CSCS', '^CURC'] } })
  await modem.ready()
  assert.equal((await modem.send('Hola')).state, 'sent')
  await modem.close()
})

test('a SIM without an SMS centre says what to ask for; nothing is sent until there is one', async () => {
  const modem = openTestModem({ sim: { smsc: null } })
  await modem.time.pass(10_000)
  assert.match(modem.driver.radio().says, /no SMS centre number: ask its operator, and set `smsc`/)
  assert.equal(modem.driver.radio().ready, false)
  await modem.close()

  const set = openTestModem({ sim: { smsc: null }, settings: { smsc: '+34609090909' } })
  await set.ready()
  assert.ok(set.emulator.heard().includes('AT+CSCA="+34609090909",145'))
  assert.equal((await set.send('Hola')).state, 'sent')
  await set.close()
})

test('a modem that loses its SMS centre with another setting gets it set again', async () => {
  const modem = openTestModem({ dialect: { forgets_smsc: true }, settings: { smsc: '+34609090909' } })
  await modem.ready()
  assert.equal((await modem.send('Hola')).state, 'sent')
  await modem.close()

  const again = openTestModem()
  await again.ready()
  again.emulator.setSim({ smsc: null })
  again.emulator.restart()
  await again.time.pass(5_000)
  await again.ready()
  assert.equal((await again.send('Hola')).state, 'sent')
  await again.close()
})

test('the radio reports a SIM that is pulled, and one that is put in again', async () => {
  const modem = openTestModem()
  await modem.ready()
  modem.emulator.setSim({ present: false })
  modem.emulator.say('+CPIN: NOT READY')
  await modem.time.pass(5_000)
  assert.deepEqual(modem.driver.radio(), {
    ready: false,
    says: 'there is no SIM in the modem',
    last_sent_at: null,
  })
  modem.emulator.setSim({ present: true })
  await modem.time.pass(61_000)
  assert.equal(modem.driver.radio().ready, true)
  await modem.close()
})

test("a new SIM replaces the number, the SMS centre and the operator's refusals of the old one", async () => {
  let refusing = true
  const modem = openTestModem({
    faults: () => (refusing ? { kind: 'answer', says: '+CMS ERROR: 28', on_air: false } : undefined),
  })
  await modem.ready()
  for (let i = 0; i < 3; i++) await modem.send('Hola')
  assert.match(modem.driver.radio().says, /refuses every SMS of this SIM/)
  refusing = false
  modem.emulator.say('+CPIN: NOT READY')
  modem.emulator.setSim({ iccid: '8934561100000000022', number: '+34600000002', smsc: null })
  await modem.time.pass(70_000)
  assert.match(modem.driver.radio().says, /no SMS centre number/)
  modem.emulator.setSim({ smsc: '+34607070707' })
  modem.emulator.restart()
  await modem.time.pass(1_000)
  await modem.ready()
  assert.deepEqual(await modem.send('Hola'), { state: 'sent', parts: 1, sim: '+34600000002' })
  const { mobile } = await modem.time.until(modem.driver.networks())
  assert.equal(mobile?.sims[0]?.iccid, '8934561100000000022')
  await modem.close()
})

test('a SIM that is missing when a message is handed over: not on air, and the radio says so', async () => {
  const modem = openTestModem()
  await modem.ready()
  modem.emulator.setSim({ present: false })
  const outcome = await modem.send('Hola')
  assert.ok(outcome.state === 'failed' && outcome.code === 'modem_error' && outcome.parts === 0)
  assert.equal(modem.driver.radio().says, 'there is no SIM in the modem')
  await modem.close()
})

test('the networks snapshot describes the modem and its SIM', async () => {
  const modem = openTestModem({ network: { signal: 20, access: 2 } })
  await modem.ready()
  assert.deepEqual(await modem.time.until(modem.driver.networks()), {
    wifi: null,
    mobile: {
      intensity: -73,
      captured_at: new Date(modem.time.now()).toISOString(),
      sims: [
        {
          id: 1,
          slot: 1,
          carrier: 'Movistar',
          operator_name: 'Movistar',
          phone_number: '+34600000001',
          iccid: '8934071100000000019',
          roaming: false,
          network_type_label: 'UMTS',
        },
      ],
    },
  })
  await modem.close()
})

test('facts that the modem does not know are null: its number, its signal, its ICCID', async () => {
  const modem = openTestModem({
    sim: { number: null },
    network: { signal: 99 },
    dialect: { lacks: ['+CCID', '^CURC', '+COPS'] },
  })
  await modem.ready()
  const { mobile } = await modem.time.until(modem.driver.networks())
  const [sim] = mobile?.sims ?? []
  assert.deepEqual(
    [mobile?.intensity, sim?.phone_number, sim?.iccid, sim?.operator_name],
    [null, null, null, null],
  )
  await modem.close()
})

test('a modem whose port was reopened does not say that it has no SIM before it is set up', async () => {
  const modem = openTestModem()
  await modem.ready()
  modem.emulator.unplug()
  await modem.time.pass(1)
  assert.deepEqual(await modem.driver.telemetry!(), {})
  modem.emulator.plug()
  modem.emulator.hang()
  await modem.time.pass(31_000)
  assert.equal((await modem.time.until(modem.driver.networks())).mobile, null)
  await modem.close()
})

test('a SIM that was taken out is reported, also if its modem was unplugged meanwhile', async () => {
  for (const unplug of [false, true]) {
    const modem = openTestModem()
    await modem.ready()
    if (unplug) modem.emulator.unplug()
    else modem.emulator.say('+CPIN: NOT READY')
    modem.emulator.setSim({ present: false })
    await modem.time.pass(5_000)
    if (unplug) modem.emulator.plug()
    await modem.time.pass(15_000)
    assert.equal(modem.driver.radio().says, 'there is no SIM in the modem')
    const { mobile } = await modem.time.until(modem.driver.networks())
    assert.deepEqual([mobile?.sims, mobile?.intensity], [[], null])
    assert.deepEqual(await modem.driver.telemetry!(), {})
    await modem.close()
  }
})

test('a number that the SIM tells only later is read when the modem is set up again', async () => {
  const modem = openTestModem({ sim: { number: null } })
  await modem.ready()
  const number = async () => (await modem.time.until(modem.driver.networks())).mobile?.sims[0]?.phone_number
  assert.equal(await number(), null)
  modem.emulator.setSim({ number: '+34600000009' })
  modem.emulator.say('PB DONE')
  await modem.time.pass(5_000)
  assert.equal(await number(), '+34600000009')
  const outcome = await modem.send('Hola', { from: '+34600000009' })
  assert.deepEqual(outcome, { state: 'sent', parts: 1, sim: '+34600000009' })
  const asked = modem.emulator.heard().filter((command) => command === 'AT+CNUM').length
  modem.emulator.restart()
  await modem.time.pass(5_000)
  assert.equal(modem.emulator.heard().filter((command) => command === 'AT+CNUM').length, asked)
  await modem.close()
})

test('the number from the settings is used if the SIM does not know its own', async () => {
  const modem = openTestModem({ sim: { number: null }, settings: { number: '+34655444333' } })
  await modem.ready()
  assert.deepEqual(await modem.send('Hola', { from: '+34655444333' }), {
    state: 'sent',
    parts: 1,
    sim: '+34655444333',
  })
  await modem.close()
})

function pins({ emulator }: TestModem): number {
  return emulator.heard().filter((command) => command.startsWith('AT+CPIN=')).length
}
