import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestModem, sendOn, type TestModem } from '#test/modem.ts'

/** The life of a modem: networks come and go; it restarts, is unplugged, hangs. */

test('registered at home, abroad, or for SMS only: ready to send', async () => {
  for (const [registration, says] of [
    [1, 'registered at home on Movistar'],
    [5, 'registered abroad on Movistar'],
    [6, 'registered at home on Movistar'],
    [7, 'registered abroad on Movistar'],
  ] as const) {
    const modem = openTestModem({ network: { registration } })
    await modem.ready()
    assert.deepEqual([modem.driver.radio().ready, modem.driver.radio().says], [true, says])
    assert.equal((await modem.send('Hola')).state, 'sent')
    await modem.close()
  }
})

test('without a network no message is handed over, and the radio says why', async () => {
  for (const [registration, says] of [
    [0, /^no network \(not registered\)/],
    [2, /^searching for a network/],
    [3, /^the network denies this SIM/],
    [11, /^no network \(attached for emergency only\)/],
  ] as const) {
    const modem = openTestModem({ network: { registration, signal: 99 } })
    await modem.time.pass(5_000)
    assert.equal(modem.driver.radio().ready, false)
    assert.match(modem.driver.radio().says, says)
    const outcome = await modem.send('Hola', {
      progress: { onAir: () => assert.fail('nothing may go on air') },
    })
    assert.ok(outcome.state === 'failed' && outcome.code === 'no_network' && !outcome.block)
    assert.ok(!modem.emulator.heard().some((command) => command.startsWith('AT+CMGS')))
    await modem.close()
  }
})

test('a message that waits for the network is sent once there is one', async () => {
  const modem = openTestModem({ network: { registration: 2 } })
  await modem.time.pass(5_000)
  const sent = sendOn(modem.driver, 'Hola')
  await modem.time.pass(30_000)
  assert.equal(modem.aired.length, 0)
  modem.emulator.setNetwork({ registration: 1 })
  assert.equal((await modem.time.until(sent)).state, 'sent')
  await modem.close()
})

test('an LTE registration is enough if the modem has no other', async () => {
  const modem = openTestModem({ dialect: { lacks: ['+CREG', '^CURC'] } })
  await modem.ready()
  assert.equal(modem.driver.radio().ready, true)
  await modem.close()
})

test('a change of operator during a message does not affect it, and is reported', async () => {
  const modem = openTestModem({ network: { send_ms: [5_000, 5_000] } })
  await modem.ready()
  const sent = sendOn(modem.driver, 'Hola')
  await modem.time.pass(2_000)
  modem.emulator.setNetwork({ registration: 5, operator: 'Orange F' })
  assert.equal((await modem.time.until(sent)).state, 'sent')
  await modem.time.pass(5_000)
  assert.equal(modem.driver.radio().says, 'registered abroad on Orange F')
  assert.equal(modem.changes.at(-1), 'registered abroad on Orange F')
  const { mobile } = await modem.time.until(modem.driver.networks())
  assert.deepEqual([mobile?.sims[0]?.roaming, mobile?.sims[0]?.carrier], [true, null])
  await modem.close()
})

test('a weaker signal is reported, a small change is not', async () => {
  const modem = openTestModem()
  await modem.ready()
  await modem.time.pass(1_000)
  const told = modem.changes.length
  modem.emulator.setNetwork({ signal: 17 })
  await modem.time.pass(2 * 60_000)
  assert.equal(modem.changes.length, told)
  modem.emulator.setNetwork({ signal: 5 })
  await modem.time.pass(2 * 60_000)
  assert.equal(modem.changes.length, told + 1)
  await modem.close()
})

test('after any line of a start, the modem is set up again once it is quiet', async () => {
  for (const banner of [
    ['RDY'],
    ['Call Ready'],
    ['SMS Ready'],
    ['+QIND: SMS DONE', '+QIND: PB DONE'],
    ['SMS DONE', 'PB DONE'],
    ['^SYSSTART'],
  ]) {
    const modem = openTestModem({ dialect: { banner } })
    await modem.ready()
    await modem.time.pass(1_000)
    modem.emulator.restart()
    await modem.time.pass(2_000)
    assert.equal(modem.driver.radio().ready, false)
    await modem.ready()
    for (const command of ['AT+CMGF=0', 'AT+CNMI=2,1,0,1', 'AT+CPMS=?', 'ATE0', 'AT+CREG=1'])
      assert.equal(count(modem, command), 2, `${command} after ${banner.join()}`)
    await works(modem)
    await modem.close()
  }
})

test('a silent restart is noticed by the lost settings, and the modem is set up again', async () => {
  const modem = openTestModem({ dialect: { banner: [] } })
  await modem.ready()
  await modem.time.pass(1_000)
  modem.emulator.restart()
  await modem.time.pass(70_000)
  assert.equal(count(modem, 'AT+CNMI=2,1,0,1'), 2)
  await works(modem)
  await modem.close()
})

test('after a silent restart into text mode, the PDU length is not taken for a number', async () => {
  const modem = openTestModem({ dialect: { banner: [], starts_in_text: true } })
  await modem.ready()
  await modem.time.pass(1_000)
  modem.emulator.restart()
  await modem.time.pass(600)
  assert.equal((await modem.send('Hola')).state, 'sent')
  assert.deepEqual(
    modem.aired.map(({ to, text }) => [to, text]),
    [['+34600111222', 'Hola']],
  )
  await modem.close()
})

test('a hanging modem is noticed, reported, and used again when it is back', async () => {
  const modem = openTestModem()
  await modem.ready()
  modem.emulator.hang()
  await modem.time.pass(3 * 60_000)
  assert.equal(modem.driver.radio().ready, false)
  assert.match(modem.driver.radio().says, /does not answer/)
  modem.emulator.unplug()
  await modem.time.pass(10_000)
  modem.emulator.plug()
  await modem.ready()
  await works(modem)
  await modem.close()
})

test('a modem that is sometimes silent for a few seconds is waited for', async () => {
  const modem = openTestModem()
  await modem.ready()
  for (let times = 0; times < 4; times++) {
    const heard = modem.emulator.heard().length
    while (modem.emulator.heard().length === heard) await modem.time.pass(100)
    // The modem is polled every minute. This silence is longer than one poll waits for an answer, and shorter than two.
    await modem.time.pass(59_000)
    modem.emulator.hang(31_000)
    await modem.time.pass(60_000)
  }
  assert.equal(count(modem, 'AT+CPMS=?'), 1)
  await works(modem)
  await modem.close()
})

test('an unplugged modem is reported as gone, and found again each time it is back', async () => {
  const modem = openTestModem()
  for (let times = 0; times < 5; times++) {
    await modem.ready()
    await works(modem)
    modem.emulator.unplug()
    await modem.time.pass(1)
    assert.match(modem.driver.radio().says, /the port is gone \(EIO/)
    await modem.time.pass(5 * 60_000)
    assert.match(modem.driver.radio().says, /ENOENT/)
    modem.emulator.plug()
  }
  await modem.ready()
  await works(modem)
  await modem.close()
})

test('an agent that starts before its modem is plugged in waits for it', async () => {
  const modem = openTestModem()
  modem.emulator.unplug()
  await modem.time.pass(60 * 60_000)
  assert.equal(modem.driver.radio().ready, false)
  modem.emulator.plug()
  await modem.ready()
  await works(modem)
  await modem.close()
})

test('a device that is not a modem is reported as silent, and asked again', async () => {
  const modem = openTestModem()
  modem.emulator.hang()
  await modem.time.pass(2 * 60_000)
  assert.match(modem.driver.radio().says, /the modem does not answer: is this the right one of its ports\?/)
  await modem.close()
})

test('a modem that switches itself off is reported with the reason until it works again', async () => {
  for (const [line, says] of [
    ['NORMAL POWER DOWN', 'was switched off (NORMAL POWER DOWN): switch its power on again'],
    ['UNDER-VOLTAGE POWER DOWN', 'lost its power (UNDER-VOLTAGE POWER DOWN): check its power supply'],
  ] as const) {
    const modem = openTestModem()
    await modem.ready()
    modem.emulator.powerDown(line)
    await modem.time.pass(60_000)
    assert.deepEqual(modem.driver.radio(), { ready: false, says: `the modem ${says}`, last_sent_at: null })
    modem.emulator.powerUp()
    await modem.ready()
    await works(modem)
    await modem.close()
  }
})

test('two modems are two devices: a fault of one does not affect the other', async () => {
  const one = openTestModem()
  const other = openTestModem({ sim: { number: '+34600000002' } })
  await one.ready()
  await other.ready()
  one.emulator.unplug()
  assert.deepEqual(await other.send('Hola'), { state: 'sent', parts: 1, sim: '+34600000002' })
  assert.deepEqual([one.aired.length, other.aired.length], [0, 1])
  await one.close()
  await other.close()
})

test('the time of the last sent message is reported', async () => {
  const modem = openTestModem()
  await modem.ready()
  assert.equal(modem.driver.radio().last_sent_at, null)
  await modem.send('Hola')
  assert.equal(modem.driver.radio().last_sent_at, new Date(modem.time.now()).toISOString())
  await modem.close()
})

async function works(modem: TestModem): Promise<void> {
  assert.equal((await modem.send('Hola')).state, 'sent')
  const [sent, came] = [modem.deliveries.length, modem.received.length]
  modem.emulator.receive({ from: '+34600333444', text: `Sí, ${came}` })
  await modem.time.pass(30_000)
  assert.deepEqual([modem.deliveries.length - sent, modem.received.length - came], [1, 1])
}

function count({ emulator }: TestModem, command: string): number {
  return emulator.heard().filter((heard) => heard === command).length
}
