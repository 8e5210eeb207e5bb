import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Outcome } from '#agent/driver.ts'
import type { EmulatorOptions, Fault } from '#agent/emulator/options.ts'
import { openTestModem, sendOn } from '#test/modem.ts'

/** What the agent makes of a message that the modem did not simply take, and how often it was on air. */

test('CMS 500 after Ctrl-Z leaves it open, whether it went out or not, and it is not sent again', async () => {
  for (const on_air of [true, false]) {
    const { outcome, aired } = await outcomeOf(answer('+CMS ERROR: 500', on_air))
    assert.equal(code(outcome), 'unknown_outcome')
    assert.equal(aired, on_air ? 1 : 0)
  }
})

test('CMS 350 after 135 s, and 332, leave it open', async () => {
  const late = await outcomeOf({ kind: 'answer', says: '+CMS ERROR: 350', on_air: true, after_ms: 135_000 })
  assert.deepEqual([code(late.outcome), late.aired], ['unknown_outcome', 1])
  const { outcome, aired } = await outcomeOf(answer('+CMS ERROR: 332', true))
  assert.deepEqual([code(outcome), aired], ['unknown_outcome', 1])
})

test('no clear refusal leaves it open: silence, a bare ERROR, a blank or unknown code, a text nobody knows', async () => {
  const says = [
    'ERROR',
    '+CMS ERROR: ',
    '+CMS ERROR: bananas',
    '+CMS ERROR: 999',
    '+CMS ERROR: 300',
    '+CME ERROR: 100',
    'MODEM ERROR: 5',
  ]
  const faults: Fault[] = [{ kind: 'silence', on_air: true }, ...says.map((one) => answer(one, true))]
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

test('+CMGS without OK, and OK without +CMGS, mean that it was sent', async () => {
  for (const kind of ['no_ok', 'no_reference'] as const) {
    const { outcome, aired } = await outcomeOf({ kind })
    assert.deepEqual([outcome.state, aired], ['sent', 1])
  }
})

test('what the network refuses for now is tried again, and goes out once', async () => {
  for (const cms of [38, 41, 42, 47, 331]) {
    const { outcome, aired, nth } = await outcomeOf(answer(`+CMS ERROR: ${cms}`, false), {}, 1)
    assert.deepEqual([outcome.state, aired, nth], ['sent', 1, 2])
  }
})

test('the same refusal as a text is the same refusal', async () => {
  const { outcome, aired } = await outcomeOf(answer('+CMS ERROR: no network service', false), {}, 1)
  assert.deepEqual([outcome.state, aired], ['sent', 1])
})

test('what the network keeps refusing fails as no_network after three tries, and may be tried elsewhere', async () => {
  const { outcome, aired, nth } = await outcomeOf(answer('+CMS ERROR: 331', false))
  assert.deepEqual([code(outcome), block(outcome), aired, nth], ['no_network', false, 0, 3])
})

test('a number that nobody has blocks the message', async () => {
  const { outcome, nth } = await outcomeOf(answer('+CMS ERROR: 1', false))
  assert.deepEqual([code(outcome), block(outcome), nth], ['invalid_number', true, 1])
})

test('what cannot be written as an SMS is not tried', async () => {
  const modem = openTestModem()
  await modem.ready()
  const wrong = await modem.send('Hola', { to: 'nobody' })
  assert.deepEqual([code(wrong), block(wrong)], ['invalid_number', true])
  assert.deepEqual([code(await modem.send('')), modem.aired.length], ['invalid_text', 0])
  await modem.close()
})

test('a modem out of resources is started anew, set up again, and sends the message', async () => {
  const { outcome, aired, heard } = await outcomeOf(answer('+CMS ERROR: 3870', false), {}, 1)
  assert.deepEqual([outcome.state, aired], ['sent', 1])
  assert.ok(heard.includes('AT+CFUN=1,1'))
  assert.equal(heard.filter((command) => command === 'AT+CPMS=?').length, 2)
})

test("a modem that finds three PDUs in a row not valid, or says its maker's own codes, is started anew", async () => {
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

test('CMS 330: the SMS centre that the modem lost is set again, and the message sent', async () => {
  const modem = openTestModem()
  await modem.ready()
  modem.emulator.setSim({ smsc: null })
  assert.equal((await modem.send('Hola')).state, 'sent')
  assert.ok(modem.emulator.heard().includes('AT+CSCA="+34609090909",145'))
  await modem.close()
})

test('the operator that refuses this SIM is not asked again and again: the SIM is said to be refused', async () => {
  for (const cms of [21, 28]) {
    const modem = openTestModem({ faults: () => answer(`+CMS ERROR: ${cms}`, false) })
    await modem.ready()
    for (let i = 0; i < 3; i++) {
      const outcome = await modem.send('Hola')
      assert.deepEqual([code(outcome), block(outcome)], ['sim_barred', true])
    }
    const { ready, says } = modem.driver.radio()
    assert.equal(ready, false)
    assert.match(says, new RegExp(`refuses every SMS of this SIM \\(.*${cms}\\)`))
    const before = modem.emulator.heard().length
    assert.deepEqual(code(await modem.send('Hola')), 'no_network')
    assert.ok(
      !modem.emulator
        .heard()
        .slice(before)
        .some((command) => command.startsWith('AT+CMGS')),
    )
    await modem.time.pass(61 * 60_000)
    assert.equal(modem.driver.radio().ready, true)
    await modem.close()
  }
})

test('a fair-use block is met with pauses that grow, and one try after each', async () => {
  let handed = 0
  let blocked = true
  const modem = openTestModem({
    faults(nth) {
      handed = nth
      return blocked && nth > 2 ? answer('+CMS ERROR: 38', false) : undefined
    },
  })
  await modem.ready()
  for (let i = 0; i < 2; i++) assert.equal((await modem.send(`${i}`)).state, 'sent')
  const first = await modem.send('Hola')
  assert.deepEqual([code(first), handed], ['no_network', 5])
  assert.match(modem.driver.radio().says, /refuses one SMS after the other/)
  const tries: number[] = []
  for (let minute = 0; minute < 60; minute++) {
    if (modem.driver.radio().ready) {
      await modem.send('Hola')
      tries.push(minute)
    }
    await modem.time.pass(60_000)
  }
  assert.ok(tries.length <= 4, `tried ${tries.length} times in an hour`)
  blocked = false
  await modem.ready()
  await modem.time.pass(60 * 60_000)
  assert.equal((await modem.send('Hola')).state, 'sent')
  assert.equal((await modem.send('Hola')).state, 'sent')
  await modem.close()
})

test('a restart after Ctrl-Z leaves it open, with every banner; the next message goes out', async () => {
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

test('a restart or an unplugging before Ctrl-Z is not on air: the message goes out once the modem is back', async () => {
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

test('unplugged after Ctrl-Z: left open, and the next message goes out once it is back', async () => {
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

test('part 2 of 3 is refused: the message fails, says how many parts are out, and none goes out twice', async () => {
  const modem = openTestModem({ faults: (nth) => (nth === 2 ? answer('+CMS ERROR: 1', false) : undefined) })
  await modem.ready()
  const told: unknown[] = []
  const outcome = await modem.send('x'.repeat(400), {
    way: { partSent: async (part) => void told.push(part) },
  })
  assert.deepEqual([code(outcome), outcome.parts, modem.aired.length], ['partly_sent', 1, 1])
  assert.match(
    outcome.state === 'failed' ? outcome.detail : '',
    /^1 of 3 parts went out\. Then: .*CMS ERROR: 1/,
  )
  assert.deepEqual(told, [{ n: 1, of: 3, reference: '1' }])
  await modem.close()
})

test('part 2 of 3 is refused for now: it is tried again, and each part goes out once', async () => {
  const modem = openTestModem({ faults: (nth) => (nth === 2 ? answer('+CMS ERROR: 42', false) : undefined) })
  await modem.ready()
  const outcome = await modem.send('x'.repeat(400))
  assert.deepEqual([outcome.state, outcome.parts], ['sent', 3])
  assert.deepEqual(
    modem.aired.map(({ concat }) => concat?.n),
    [1, 2, 3],
  )
  await modem.close()
})

test('part 2 of 3 without an outcome: the message is left open with one part out, and part 3 is not sent', async () => {
  const modem = openTestModem({
    faults: (nth) => (nth === 2 ? { kind: 'silence', on_air: true } : undefined),
  })
  await modem.ready()
  const outcome = await modem.send('x'.repeat(400))
  assert.deepEqual([code(outcome), outcome.parts, modem.aired.length], ['unknown_outcome', 1, 2])
  await modem.close()
})

test('what cannot be written down first does not go on air', async () => {
  const modem = openTestModem()
  await modem.ready()
  const outcome = await modem.send('Hola', { way: { onAir: () => Promise.reject(new Error('ENOSPC')) } })
  assert.deepEqual([code(outcome), outcome.parts, modem.aired.length], ['not_kept', 0, 0])
  assert.ok(!modem.emulator.heard().some((command) => command.startsWith('AT+CMGS')))
  await modem.close()
})

test('a part that is out is told before the next one goes, and a disk that fails then stops nothing', async () => {
  const modem = openTestModem()
  await modem.ready()
  const order: string[] = []
  modem.emulator.heard()
  const outcome = await modem.send('x'.repeat(300), {
    way: {
      onAir: async () => void order.push(`on air after ${modem.aired.length}`),
      partSent: async ({ n }) => {
        order.push(`part ${n} after ${modem.aired.length}`)
        throw new Error('ENOSPC')
      },
    },
  })
  assert.equal(outcome.state, 'sent')
  assert.deepEqual(order, ['on air after 0', 'part 1 after 1', 'part 2 after 2'])
  await modem.close()
})

test('stopped while a message waits for its answer: it gets some seconds, then it is left open', async () => {
  const quick = openTestModem({ network: { send_ms: [5_000, 5_000] } })
  await quick.ready()
  const sent = sendOn(quick.driver, 'Hola')
  await quick.time.pass(2_000)
  await quick.close()
  assert.equal((await sent).state, 'sent')

  const slow = openTestModem({ network: { send_ms: [100_000, 100_000] } })
  await slow.ready()
  const open = sendOn(slow.driver, 'Hola')
  await slow.time.pass(2_000)
  const before = slow.time.now()
  await slow.close()
  assert.equal(code(await open), 'unknown_outcome')
  assert.ok(slow.time.now() - before < 10_000)
})

test('stopped while a refused message waits to be tried again: it fails, not on air', async () => {
  const modem = openTestModem({ faults: () => answer('+CMS ERROR: 42', false) })
  await modem.ready()
  const sent = sendOn(modem.driver, 'Hola')
  await modem.time.pass(4_000)
  await modem.close()
  assert.deepEqual([code(await sent), modem.aired.length], ['no_network', 0])
})

test('a message from a number that is not of this SIM is not sent', async () => {
  const modem = openTestModem()
  await modem.ready()
  assert.equal(code(await modem.send('Hola', { from: '+34611111111' })), 'no_sim')
  assert.equal((await modem.send('Hola', { from: '600 000 001' })).state, 'sent')
  assert.equal(modem.aired.length, 1)
  await modem.close()
})

/** Sends a message that meets the fault the first `times` times, and one more after it. */
async function outcomeOf(fault: Fault, options: EmulatorOptions = {}, times = Infinity) {
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

function answer(says: string, on_air: boolean): Fault {
  return { kind: 'answer', says, on_air }
}

function code(outcome: Outcome): string {
  return outcome.state === 'failed' ? outcome.code : outcome.state
}

function block(outcome: Outcome): boolean {
  return outcome.state === 'failed' && outcome.block
}
