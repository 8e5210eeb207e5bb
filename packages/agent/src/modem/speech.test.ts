import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Dialect } from '#agent/emulator/options.ts'
import { openTestModem, type TestModem } from '#test/modem.ts'

/** The line formats of real modems: a message gets through each of them, once. */

test('echoed commands, doubled, and an echo that stays on through PDU and Ctrl-Z, do not matter', async () => {
  for (const echo of [1, 2] as const) {
    await sendsOnce({ echo })
    await sendsOnce({ echo, lacks: ['E', '^CURC'] })
  }
})

test('unsolicited lines before the echo of a command are not its answer', async () => {
  await sendsOnce({ before_echo: ['^SRVST:2', '+CMTI: "SM",1'], lacks: ['E'] })
})

test('unsolicited lines between the prompt and the PDU, and inside the answer, are tolerated', async () => {
  const lines = ['+CMTI: "SM",3', '^RSSI:17', '+CREG: 1']
  const modem = openTestModem({ faults: () => ({ kind: 'unsolicited', lines }) })
  await sentOnce(modem)
})

test('calls and USSD during a message do not end it', async () => {
  const lines = ['RING', '+CLIP: "+34600999888",145,,,,0', '+CUSD: 0,"Saldo 3 EUR",15', 'NO CARRIER']
  const modem = openTestModem({ faults: () => ({ kind: 'unsolicited', lines }) })
  await sentOnce(modem)
})

test('the chatter of Huawei sticks is switched off if possible, and ignored otherwise', async () => {
  const lines = [
    '^RSSI:18',
    '^MODE:5,4',
    '^DSFLOWRPT:0000,0000',
    '^HCSQ:"LTE",41,33,77,0',
    '^BOOT:12345,0,0,0,20',
  ]
  const modem = openTestModem({ dialect: { chatter: { every_ms: 700, lines } } })
  await sentOnce(modem)
  assert.ok(modem.emulator.heard().includes('AT^CURC=0'))
  // The sticks print ^BOOT all the time, which is not a start.
  assert.equal(modem.emulator.heard().filter((command) => command === 'AT+CSMS=0').length, 1)
})

test('a prompt without its space, or without the line end before it, is a prompt', async () => {
  await sendsOnce({ prompt: '>' })
  await sendsOnce({ prompt: '\r\n>' })
})

test('a prompt that arrives after 29 s is accepted', async () => {
  const modem = openTestModem({ faults: () => ({ kind: 'late_prompt', after_ms: 29_000 }) })
  await sentOnce(modem)
})

test('a modem that answers the prompt with ERROR is asked again until it takes the message', async () => {
  for (const errors of [1, 10, 39]) {
    const modem = openTestModem({
      faults: (nth) => (nth <= errors ? { kind: 'error_at_prompt' } : undefined),
    })
    await sentOnce(modem)
  }
})

test('after 40 answers of ERROR at the prompt the message fails, certainly not on air', async () => {
  const modem = openTestModem({ faults: () => ({ kind: 'error_at_prompt' }) })
  await modem.ready()
  const outcome = await modem.send('Hola')
  assert.ok(outcome.state === 'failed' && outcome.code === 'modem_error' && !outcome.block)
  assert.deepEqual([outcome.parts, modem.aired.length], [0, 0])
  await modem.close()
})

test('a missing prompt is requested again; if it never arrives, the message times out and the modem restarts', async () => {
  await sentOnce(openTestModem({ faults: (nth) => (nth === 1 ? { kind: 'no_prompt' } : undefined) }))

  const modem = openTestModem({ faults: (nth) => (nth <= 2 ? { kind: 'no_prompt' } : undefined) })
  await modem.ready()
  const outcome = await modem.send('Hola')
  assert.ok(outcome.state === 'failed' && outcome.code === 'timeout')
  assert.ok(modem.emulator.heard().includes('AT+CFUN=1,1'))
  assert.equal(modem.aired.length, 0)
  await modem.ready()
  assert.equal((await modem.send('Otra vez')).state, 'sent')
  await modem.close()
})

test('a modem that loses input within 100 ms of the prompt, or of the PDU, gets it later', async () => {
  await sendsOnce({ settle_ms: 100 })
})

test('the pause before the PDU can be set for a modem that needs a longer one', async () => {
  const slow = { dialect: { settle_ms: 450 } }
  await sentOnce(openTestModem({ ...slow, settings: { gap_ms: 500 } }))
  const modem = openTestModem(slow)
  await modem.ready()
  assert.notEqual((await modem.send('Hola')).state, 'sent')
  await modem.close()
})

test('vendor-specific refusals are understood', async () => {
  for (const refusal of [
    'COMMAND NOT SUPPORT',
    'MODEM ERROR: 5',
    '+CME ERROR: 4',
    'ERROR',
    'TOO MANY PARAMETERS',
  ])
    await sendsOnce({ refusal, lacks: ['^CURC', '+CEREG', '+CMEE', '+CCID', '+CSMS'] })
})

test('UNKNOWN COMMAND does not end a command: the next one follows after a time-out', async () => {
  await sendsOnce({ refusal: 'UNKNOWN COMMAND', lacks: ['^CURC'] }, 15_000)
})

test('CR CR LF is a line end, and blank lines are ignored', async () => {
  await sendsOnce({ line_end: '\r\r\n' })
})

test('a CFUN? answered like CFUN=? is ignored; a radio that is off is switched on', async () => {
  const confused = await sendsOnce({ cfun_confused: true })
  assert.ok(!confused.some((command) => command.startsWith('AT+CFUN=')))
  const off = await sendsOnce({ starts_off: true })
  assert.ok(off.includes('AT+CFUN=1'))
})

test('bytes that arrive one at a time, 40 ms apart, are read', async () => {
  await sendsOnce({ byte_ms: 40 }, 120_000)
})

test('binary noise and 100 kB without a line end do not block the line', async () => {
  const modem = openTestModem()
  await modem.ready()
  modem.emulator.noise('\x00\xff\xfe~}#\x80'.repeat(100))
  modem.emulator.noise('x'.repeat(100_000))
  const sent = modem.send('Hola')
  modem.emulator.noise('\r\n+CMGS')
  assert.equal((await sent).state, 'sent')
  assert.equal(modem.aired.length, 1)
  await modem.close()
})

async function sendsOnce(dialect: Partial<Dialect>, within_ms = 10_000): Promise<readonly string[]> {
  const modem = openTestModem({ dialect })
  await sentOnce(modem, within_ms)
  return modem.emulator.heard()
}

/** A long message and a short one get through, and their reports arrive. */
async function sentOnce(modem: TestModem, within_ms = 10_000): Promise<void> {
  await modem.ready()
  assert.ok(modem.time.elapsed() <= within_ms, `ready after ${modem.time.elapsed()} ms`)
  const long = 'señor año '.repeat(20)
  const outcome = await modem.send(long)
  assert.deepEqual(outcome, { state: 'sent', parts: 2, sim: '+34600000001' })
  assert.deepEqual(await modem.send('Adiós'), { state: 'sent', parts: 1, sim: '+34600000001' })
  assert.equal(modem.aired.map(({ text }) => text).join(''), `${long}Adiós`)
  await modem.time.pass(60_000)
  assert.deepEqual(
    modem.deliveries.map(({ reference, state }) => `${reference} ${state}`).sort(),
    modem.aired.map(({ reference }) => `${reference} delivered`).sort(),
  )
  await modem.close()
}
