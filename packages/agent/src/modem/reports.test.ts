import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Dialect } from '#agent/emulator/options.ts'
import { openTestModem } from '#test/modem.ts'

/** Each delivery report reaches the keeper with the reference of its part, in every form that modems use. */

test('reports arrive directly (+CDS), stored and announced (+CDSI), or in a list: all three are read', async () => {
  await reportsCome({})
  await reportsCome({ cnmi_refuses_ds: [1] })
  await reportsCome({ cnmi_refuses_ds: [1, 2], keeps_reports: true })
  await reportsCome({ listing: 'one_line' })
  await reportsCome({ cnmi_refuses_ds: [1], listing: 'no_reports' })
})

test('a report stored in its own memory is deleted from it once it is kept', async () => {
  const modem = openTestModem({ dialect: { cnmi_refuses_ds: [1] } })
  await modem.ready()
  assert.equal(modem.driver.delivery_reports, true)
  await modem.send('Hola')
  await modem.time.pass(30_000)
  assert.equal(modem.deliveries.length, 1)
  assert.deepEqual(modem.emulator.messagesIn('SR'), [])
  await modem.close()
})

test('a modem that refuses the reports it advertises is asked for the next kind, and finally for none', async () => {
  const modem = openTestModem({ dialect: { cnmi_refuses_ds: [1, 2] } })
  await modem.ready()
  assert.deepEqual(
    modem.emulator.heard().filter((command) => /^AT\+CNMI=\d/.test(command)),
    ['AT+CNMI=2,1,0,1', 'AT+CNMI=2,1,0,2', 'AT+CNMI=2,1,0,0'],
  )
  const { delivery_reports } = modem.driver
  assert.equal(delivery_reports, 'this modem passes no delivery reports on (AT+CNMI)')
  assert.deepEqual(modem.driver.radio().says, `registered at home on Movistar; ${delivery_reports}`)
  assert.equal((await modem.send('Hola')).state, 'sent')
  await modem.close()
})

test('a modem that advertises no reports is not asked for any', async () => {
  const modem = openTestModem({ dialect: { cnmi_support: '(0,1,2),(0,1),(0,2),(0),(1)' } })
  await modem.ready()
  assert.notEqual(modem.driver.delivery_reports, true)
  assert.ok(!modem.emulator.heard().includes('AT+CNMI=2,1,0,1'))
  await modem.close()
})

test('a modem without mode 2 of AT+CNMI is set to the mode it has', async () => {
  const modem = openTestModem({ dialect: { cnmi_support: '(0,1),(0,1),(0),(0-2),(1)' } })
  await modem.ready()
  assert.ok(modem.emulator.heard().includes('AT+CNMI=1,1,0,1'))
  await modem.close()
})

test('a message that asks for no report gets none, and its part has no reference to wait for', async () => {
  const modem = openTestModem()
  await modem.ready()
  const told: unknown[] = []
  await modem.send('Hola', { silent: true, progress: { partSent: async (part) => void told.push(part) } })
  await modem.time.pass(60_000)
  assert.equal(modem.aired[0]?.report_requested, false)
  assert.deepEqual(modem.deliveries, [])
  assert.deepEqual(told, [{ n: 1, of: 1, reference: null }])
  await modem.close()
})

test("the reference comes from the modem's answer; if the modem names none, there is none", async () => {
  const faults = [undefined, { kind: 'no_reference' }, { kind: 'wrong_reference' }] as const
  const modem = openTestModem({ faults: (nth) => faults[nth - 1] })
  await modem.ready()
  const told: (string | null)[] = []
  for (const text of ['1', '2', '3'])
    await modem.send(text, { progress: { partSent: async ({ reference }) => void told.push(reference) } })
  assert.deepEqual(told, ['1', null, '103'])
  await modem.time.pass(60_000)
  // The report's reference is the true one; the ledger can also match by number and time.
  assert.deepEqual(modem.deliveries.map(({ reference, to }) => `${reference} ${to}`).sort(), [
    '1 +34600111222',
    '2 +34600111222',
    '3 +34600111222',
  ])
  await modem.close()
})

test('references wrap from 255 to 0, and are handed on unchanged', async () => {
  const modem = openTestModem({ network: { send_ms: [1, 1], report_ms: [100, 100] } })
  await modem.ready()
  const told: (string | null)[] = []
  for (let i = 0; i < 260; i++)
    await modem.send('x', { progress: { partSent: async ({ reference }) => void told.push(reference) } })
  assert.deepEqual(told.slice(253), ['254', '255', '0', '1', '2', '3', '4'])
  await modem.time.pass(60_000)
  assert.deepEqual(
    modem.deliveries.map(({ reference }) => reference),
    told,
  )
  await modem.close()
})

test('a report with a garbled number, or without the country code, is handed on with its reference', async () => {
  const garble = (number: string): string => `+*#${number.replace('+34', '')}`
  for (const report_number of [garble, (number: string) => number.replace('+34', '')]) {
    const modem = openTestModem({ dialect: { report_number } })
    await modem.ready()
    await modem.send('Hola')
    await modem.time.pass(30_000)
    const [report] = modem.deliveries
    assert.deepEqual([report?.reference, report?.state], ['1', 'delivered'])
    assert.equal(report?.to, report_number('+34600111222'))
    await modem.close()
  }
})

test('a report says whether the message was delivered, failed with a reason, or is still being tried', async () => {
  const states = [0x00, 0x20, 0x46, 0x62, 0x30] as const
  const modem = openTestModem({ network: { delivery: ({ nth }) => states[nth - 1] ?? null } })
  await modem.ready()
  for (const status of states) await modem.send(`${status}`)
  await modem.time.pass(60_000)
  assert.deepEqual(
    modem.deliveries
      .sort((a, b) => Number(a.reference) - Number(b.reference))
      .map(({ state, code }) => [state, code]),
    [
      ['delivered', '0x00'],
      ['trying', '0x20'],
      ['undelivered', '0x46'],
      ['undelivered', '0x62'],
      ['trying', '0x30'],
    ],
  )
  assert.equal(modem.deliveries[2]?.detail, 'The message expired before it could be delivered')
  await modem.close()
})

test('a report that arrives while the next message is being sent is kept', async () => {
  const modem = openTestModem({ network: { send_ms: [5_000, 5_000], report_ms: [2_000, 2_000] } })
  await modem.ready()
  await modem.send('1')
  await modem.send('2')
  await modem.time.pass(10_000)
  assert.equal(modem.deliveries.length, 2)
  await modem.close()
})

test('a report that cannot be kept is kept later', async () => {
  let full = true
  const references: string[] = []
  const modem = openTestModem({
    keeper: {
      delivery: async ({ reference }) => {
        if (full) throw new Error('the disk is full')
        references.push(reference)
      },
    },
  })
  await modem.ready()
  await modem.send('Hola')
  await modem.time.pass(60_000)
  full = false
  await modem.time.pass(61_000)
  assert.deepEqual(references, ['1'])
  await modem.close()
})

async function reportsCome(dialect: Partial<Dialect>): Promise<void> {
  const modem = openTestModem({ dialect })
  await modem.ready()
  await modem.send('x'.repeat(300))
  await modem.time.pass(2 * 60_000)
  assert.deepEqual(
    modem.deliveries.map(({ reference, to, state }) => `${reference} ${to} ${state}`).sort(),
    ['1 +34600111222 delivered', '2 +34600111222 delivered'],
    JSON.stringify(dialect),
  )
  for (const storage of ['SM', 'ME', 'SR']) assert.deepEqual(modem.emulator.messagesIn(storage), [])
  await modem.close()
}
