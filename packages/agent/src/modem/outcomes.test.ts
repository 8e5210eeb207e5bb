import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Fault } from '#agent/emulator/options.ts'
import { answer, block, code, openTestModem, sendOn } from '#test/modem.ts'

/** The outcome of a message that the modem did not simply accept, and how often it went on air. */

test('CMS 500 after Ctrl-Z leaves the outcome open, whether it went out or not, and the message is not sent again', async () => {
  for (const on_air of [true, false]) {
    const { outcome, aired } = await outcomeOf(answer('+CMS ERROR: 500', on_air))
    assert.equal(code(outcome), 'unknown_outcome')
    assert.equal(aired, on_air ? 1 : 0)
  }
})

test('CMS 350 after 135 s, and CMS 332, leave the outcome open', async () => {
  const late = await outcomeOf({ kind: 'answer', says: '+CMS ERROR: 350', on_air: true, after_ms: 135_000 })
  assert.deepEqual([code(late.outcome), late.aired], ['unknown_outcome', 1])
  const { outcome, aired } = await outcomeOf(answer('+CMS ERROR: 332', true))
  assert.deepEqual([code(outcome), aired], ['unknown_outcome', 1])
})

test('without a clear refusal the outcome is open: silence, bare ERROR, blank or unknown code, unknown text', async () => {
  const says = [
    'ERROR',
    '+CMS ERROR: ',
    '+CMS ERROR: bananas',
    '+CMS ERROR: 999',
    '+CMS ERROR: 300',
    '+CME ERROR: 100',
    'MODEM ERROR: 5',
  ]
  const faults: Fault[] = [{ kind: 'silence', on_air: true }, ...says.map((line) => answer(line, true))]
  for (const fault of faults) {
    const { outcome, aired } = await outcomeOf(fault)
    assert.deepEqual([code(outcome), aired], ['unknown_outcome', 1], JSON.stringify(fault))
  }
})

test('an answer that comes after 179 s counts as one', async () => {
  const { outcome, aired } = await outcomeOf(
    { kind: 'answer', says: '+CMGS: 5\r\n\r\nOK', on_air: true, after_ms: 178_000 },
    { network: { send_ms: [500, 500] } },
  )
  assert.deepEqual([outcome.state, aired], ['sent', 1])
})

test('+CMGS without OK, and OK without +CMGS, mean that the message was sent', async () => {
  for (const kind of ['no_ok', 'no_reference'] as const) {
    const { outcome, aired } = await outcomeOf({ kind })
    assert.deepEqual([outcome.state, aired], ['sent', 1])
  }
})

test('a temporary refusal of the network is retried, and the message goes out once', async () => {
  for (const cms of [38, 41, 42, 47, 331]) {
    const { outcome, aired, nth } = await outcomeOf(answer(`+CMS ERROR: ${cms}`, false), {}, 1)
    assert.deepEqual([outcome.state, aired, nth], ['sent', 1, 2])
  }
})

test('a refusal as text is treated like the same refusal as a code', async () => {
  const { outcome, aired } = await outcomeOf(answer('+CMS ERROR: no network service', false), {}, 1)
  assert.deepEqual([outcome.state, aired], ['sent', 1])
})

test('a message that the network keeps refusing fails as no_network after three tries, and may be retried elsewhere', async () => {
  const { outcome, aired, nth } = await outcomeOf(answer('+CMS ERROR: 331', false))
  assert.deepEqual([code(outcome), block(outcome), aired, nth], ['no_network', false, 0, 3])
})

test('an unassigned number blocks the message', async () => {
  const { outcome, nth } = await outcomeOf(answer('+CMS ERROR: 1', false))
  assert.deepEqual([code(outcome), block(outcome), nth], ['invalid_number', true, 1])
})

test('a refusal means that the SIM has no credit if the operator is known for its code, or the network says so', async () => {
  const refusal = answer('+CMS ERROR: 21', false)
  assert.equal(code((await outcomeOf(refusal)).outcome), 'sim_barred')
  const told = answer('+CMS ERROR: Saldo insuficiente', false)
  for (const [fault, no_credit] of [
    [refusal, [50, 21]],
    [answer('+CMS ERROR: 38', false), [38]],
    [told, undefined],
  ] as const) {
    const { outcome, aired, nth } = await outcomeOf(fault, { settings: { no_credit } })
    assert.deepEqual([code(outcome), block(outcome), aired, nth], ['no_credit', true, 0, 1])
  }
})

test('a message that cannot be written as an SMS is not tried', async () => {
  const modem = openTestModem()
  await modem.ready()
  const wrong = await modem.send('Hola', { to: 'nobody' })
  assert.deepEqual([code(wrong), block(wrong)], ['invalid_number', true])
  assert.deepEqual([code(await modem.send('')), modem.aired.length], ['invalid_text', 0])
  await modem.close()
})

test('a modem out of resources is restarted, set up again, and sends the message', async () => {
  const { outcome, aired, heard } = await outcomeOf(answer('+CMS ERROR: 3870', false), {}, 1)
  assert.deepEqual([outcome.state, aired], ['sent', 1])
  assert.ok(heard.includes('AT+CFUN=1,1'))
  assert.equal(heard.filter((command) => command === 'AT+CPMS=?').length, 2)
})

test('a modem that refuses three valid PDUs in a row, or answers with vendor codes, is restarted', async () => {
  for (const cms of [304, 513]) {
    const modem = openTestModem({
      faults: (nth) => (nth > 5 && nth <= 8 ? answer(`+CMS ERROR: ${cms}`, false) : undefined),
    })
    await modem.ready()
    for (let i = 0; i < 5; i++) assert.equal((await modem.send(`uno ${i}`)).state, 'sent')
    const failed = await modem.send('dos')
    assert.deepEqual([code(failed), block(failed)], ['modem_error', false])
    assert.equal((await modem.send('tres')).state, 'sent')
    assert.ok(modem.emulator.heard().includes('AT+CFUN=1,1'))
    assert.equal(modem.aired.length, 6)
    await modem.close()
  }
})

test('a full memory is emptied, and the message sent', async () => {
  const modem = openTestModem({
    faults: (nth) => (nth === 1 ? answer('+CMS ERROR: 322', false) : undefined),
    dialect: { cmti_times: 0 },
  })
  await modem.ready()
  await modem.time.pass(1_000)
  modem.emulator.receive({ from: '+34600333444', text: 'Sí' })
  assert.equal((await modem.send('Hola')).state, 'sent')
  assert.equal(modem.received.length, 1)
  await modem.close()
})

test('CMS 330: the SMS centre that the modem lost is set again, and the message is sent', async () => {
  const modem = openTestModem()
  await modem.ready()
  modem.emulator.setSim({ smsc: null })
  assert.equal((await modem.send('Hola')).state, 'sent')
  assert.ok(modem.emulator.heard().includes('AT+CSCA="+34609090909",145'))
  await modem.close()
})

test('a restart after Ctrl-Z leaves the outcome open, with every banner; the next message goes out', async () => {
  const banners = [
    ['RDY', '+CFUN: 1', '+CPIN: READY', 'Call Ready', 'SMS Ready'],
    ['RDY', '+QIND: SMS DONE', '+QIND: PB DONE'],
    ['Call Ready', 'SMS Ready'],
    ['^SYSSTART'],
  ]
  for (const banner of banners) {
    for (const on_air of [true, false]) {
      const { outcome, aired, next } = await outcomeOf(
        { kind: 'restart', on_air },
        { dialect: { banner } },
        1,
      )
      assert.deepEqual([code(outcome), aired], ['unknown_outcome', on_air ? 1 : 0])
      assert.equal(next.state, 'sent')
    }
  }
})

test('a modem that switches itself off after Ctrl-Z leaves the outcome open at once, and nothing is sent twice', async () => {
  const modem = openTestModem()
  await modem.ready()
  const sent = sendOn(modem.driver, 'Hola')
  await modem.time.pass(500)
  modem.emulator.powerDown('NORMAL POWER DOWN')
  const before = modem.time.uptime()
  assert.equal(code(await modem.time.until(sent)), 'unknown_outcome')
  assert.ok(modem.time.uptime() - before < 5_000, 'it does not wait for an answer')
  modem.emulator.powerUp()
  await modem.ready()
  assert.equal((await modem.send('otra')).state, 'sent')
  assert.deepEqual(
    modem.aired.map(({ text }) => text),
    ['otra'],
  )
  await modem.close()
})

test('after a restart or unplugging before Ctrl-Z the message goes out once the modem is back', async () => {
  const restarted = await outcomeOf(
    { kind: 'restart', on_air: false, at: 'prompt' },
    { dialect: { start_ms: 50 } },
    1,
  )
  assert.deepEqual([restarted.outcome.state, restarted.aired], ['sent', 1])

  const modem = openTestModem({
    faults: (nth) => (nth === 1 ? { kind: 'unplugged', on_air: false, at: 'prompt' } : undefined),
  })
  await modem.ready()
  const sent = sendOn(modem.driver, 'Hola')
  await modem.time.pass(5_000)
  modem.emulator.plug()
  assert.equal((await modem.time.until(sent)).state, 'sent')
  assert.equal(modem.aired.length, 1)
  await modem.close()
})

test('unplugged after Ctrl-Z: the outcome is open, and the next message goes out once the modem is back', async () => {
  for (const on_air of [true, false]) {
    const modem = openTestModem({
      faults: (nth) => (nth === 1 ? { kind: 'unplugged', on_air } : undefined),
    })
    await modem.ready()
    assert.equal(code(await modem.send('Hola')), 'unknown_outcome')
    modem.emulator.plug()
    assert.equal((await modem.send('Otra vez')).state, 'sent')
    assert.equal(modem.aired.length, on_air ? 2 : 1)
    await modem.close()
  }
})

/** Sends a message that meets the fault the first `times` times, and then one more. */
async function outcomeOf(fault: Fault, options: Parameters<typeof openTestModem>[0] = {}, times = Infinity) {
  let handed = 0
  const modem = openTestModem({
    ...options,
    faults(nth) {
      handed = nth
      return nth <= times ? fault : undefined
    },
  })
  await modem.ready()
  const outcome = await modem.send('Hola')
  const [aired, nth] = [modem.aired.length, handed]
  const next = times === Infinity ? outcome : await modem.send('Otra')
  await modem.close()
  return { outcome, aired, nth, next, heard: [...modem.emulator.heard()] }
}
