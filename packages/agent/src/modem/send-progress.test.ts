import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answer, code, openTestModem, sendOn } from '#test/modem.ts'

/** A message from the ledger to the air: part by part, each stored, and stopped in between. */

test('if part 2 of 3 is refused, the message fails with the number of parts sent, and none goes out twice', async () => {
  const modem = openTestModem({ faults: (nth) => (nth === 2 ? answer('+CMS ERROR: 1', false) : undefined) })
  await modem.ready()
  const told: unknown[] = []
  const outcome = await modem.send('x'.repeat(400), {
    progress: { partSent: async (part) => void told.push(part) },
  })
  assert.deepEqual([code(outcome), outcome.parts, modem.aired.length], ['partly_sent', 1, 1])
  assert.match(
    outcome.state === 'failed' ? outcome.detail : '',
    /^1 of 3 parts went out\. Then: .*CMS ERROR: 1/,
  )
  assert.deepEqual(told, [{ n: 1, of: 3, reference: '1' }])
  await modem.close()
})

test('if part 2 of 3 is refused temporarily, it is retried, and each part goes out once', async () => {
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

test('if part 2 of 3 has no outcome, the message is left open with one part out, and part 3 is not sent', async () => {
  const modem = openTestModem({
    faults: (nth) => (nth === 2 ? { kind: 'silence', on_air: true } : undefined),
  })
  await modem.ready()
  const outcome = await modem.send('x'.repeat(400))
  assert.deepEqual([code(outcome), outcome.parts, modem.aired.length], ['unknown_outcome', 1, 2])
  await modem.close()
})

test('a message that cannot be stored first does not go on air', async () => {
  const modem = openTestModem()
  await modem.ready()
  const outcome = await modem.send('Hola', { progress: { onAir: () => Promise.reject(new Error('ENOSPC')) } })
  assert.deepEqual([code(outcome), outcome.parts, modem.aired.length], ['not_kept', 0, 0])
  assert.ok(!modem.emulator.heard().some((command) => command.startsWith('AT+CMGS')))
  await modem.close()
})

test('a sent part is reported before the next one goes, and a disk that fails then does not stop the rest', async () => {
  const modem = openTestModem()
  await modem.ready()
  const order: string[] = []
  modem.emulator.heard()
  const outcome = await modem.send('x'.repeat(300), {
    progress: {
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

test('on a stop, a message that waits for its answer gets some seconds, then its outcome is left open', async () => {
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

test('on a stop, a refused message that waits for its retry fails, not on air', async () => {
  const modem = openTestModem({ faults: () => answer('+CMS ERROR: 42', false) })
  await modem.ready()
  const sent = sendOn(modem.driver, 'Hola')
  await modem.time.pass(4_000)
  await modem.close()
  assert.deepEqual([code(await sent), modem.aired.length], ['no_network', 0])
})

test('a message from a number that this SIM does not have is not sent', async () => {
  const modem = openTestModem()
  await modem.ready()
  assert.equal(code(await modem.send('Hola', { from: '+34611111111' })), 'no_sim')
  assert.equal((await modem.send('Hola', { from: '600 000 001' })).state, 'sent')
  assert.equal(modem.aired.length, 1)
  await modem.close()
})

test('a message that names a SIM by its ICCID is sent only by that SIM, whatever the number', async () => {
  const modem = openTestModem({ sim: { iccid: '8934561100000000022' } })
  await modem.ready()
  assert.equal(code(await modem.send('Hola', { iccid: '8934561100000000011' })), 'modem_error')
  const named = { from: '+34611111111', iccid: '8934561100000000022' }
  assert.equal((await modem.send('Hola', named)).state, 'sent')
  assert.equal(modem.aired.length, 1)
  await modem.close()
})

test('a message that names a SIM is not sent by the SIM that replaced it while the modem was not ready', async () => {
  const modem = openTestModem({ sim: { iccid: '8934561100000000022' } })
  await modem.ready()
  modem.emulator.setSim({ present: false })
  modem.emulator.say('+CPIN: NOT READY')
  await modem.time.pass(1_000)
  modem.emulator.setSim({ present: true, iccid: '8934561100000000033', number: '+34600000003' })
  const outcome = await modem.send('Hola', { iccid: '8934561100000000022' })
  assert.deepEqual(outcome.state === 'failed' && [outcome.code, outcome.sim], ['modem_error', '+34600000003'])
  assert.equal(modem.aired.length, 0)
  await modem.close()
})

test('a message that was refused for now is not tried again once it has expired', async () => {
  const modem = openTestModem({ faults: (nth) => (nth < 3 ? answer('+CMS ERROR: 38', false) : undefined) })
  await modem.ready()
  const expires_at = (ms: number) => new Date(modem.time.now() + ms).toISOString()
  assert.equal(code(await modem.send('Hola', { expires_at: expires_at(10_000) })), 'no_network')
  assert.equal(modem.aired.length, 0)
  assert.equal((await modem.send('Hola', { expires_at: expires_at(60_000) })).state, 'sent')
  await modem.close()
})
