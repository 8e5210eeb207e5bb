import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answer, block, code, openTestModem } from '#test/modem.ts'
import { openPace } from './pace.ts'

/** An operator that refuses is not asked again and again. */

test('an operator that refuses this SIM is not asked again and again, and the radio reports the SIM as refused', async () => {
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

test('a fair-use block leads to growing pauses, with one try after each', async () => {
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
  // Each message is tried three times.
  for (const tries of [5, 8]) {
    assert.deepEqual([code(await modem.send('Hola')), handed], ['no_network', tries])
    assert.equal(modem.driver.radio().ready, true)
  }
  assert.deepEqual([code(await modem.send('Hola')), handed], ['no_network', 9])
  assert.match(modem.driver.radio().says, /refuses every SMS/)
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

test('a SIM that is busy is no refusal of the network', async () => {
  const modem = openTestModem({ faults: () => answer('+CME ERROR: 14', false) })
  await modem.ready()
  for (let i = 0; i < 4; i++) assert.equal(code(await modem.send('Hola')), 'no_network')
  assert.equal(modem.driver.radio().ready, true)
  await modem.close()
})

test('a pause keeps its length if the system clock is changed during it', () => {
  let [now, uptime] = [Date.UTC(2026, 2, 1), 1_000]
  const pace = openPace({ now: () => now, uptime: () => uptime, after: () => () => {} })
  for (let n = 0; n < 3; n++) pace.refused('for_now', 'CMS 38')
  assert.match(pace.pause()!.says, /next try at 2026-03-01T00:05/)
  now -= 24 * 3_600_000
  uptime += 5 * 60_000 - 1
  assert.ok(pace.pause())
  uptime += 1
  assert.equal(pace.pause(), undefined)
})
