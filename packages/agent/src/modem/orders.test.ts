import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Done } from '#agent/driver.ts'
import type { EmulatorOptions } from '#agent/emulator/options.ts'
import { openTestModem, sendOn, type TestModem } from '#test/modem.ts'

/** Orders to a modem: USSD codes and restarts, also while messages are sent. */

test('a code is answered with the text of the network, however the modem writes it', async () => {
  for (const ussd of ['text', 'packed', 'ucs2'] as const) {
    const modem = await open({ dialect: { ussd } })
    assert.deepEqual(await dial(modem, '*100#'), said('Su saldo es de 12,50 EUR. Valido hasta el 31/12.'))
    assert.deepEqual(await dial(modem, '*101#'), said('Своё: 12,50 €'))
    await modem.close()
  }
})

test('letters of the GSM alphabet and several lines arrive whole, also in the middle of other lines', async () => {
  const text = '¡Crédito: $5!\nà bientòt\nOK?'
  const modem = await open({
    network: { ussd: () => ({ state: 0, text }) },
    dialect: { chatter: { every_ms: 7, lines: ['^RSSI:18'] } },
  })
  assert.deepEqual(await dial(modem, '*100#'), said(text))
  await modem.close()
})

test('a menu is answered with its text, and its session is cancelled before the next code', async () => {
  const modem = await open()
  assert.deepEqual(await dial(modem, '*111#'), said('Elija: 1 Saldo, 2 Recargar'))
  const next = await dial(modem, '*100#')
  assert.equal(next.ok, true)
  const codes = modem.emulator.heard().filter((command) => command.startsWith('AT+CUSD'))
  assert.deepEqual(codes, ['AT+CUSD=1,"*111#",15', 'AT+CUSD=2', 'AT+CUSD=1,"*100#",15'])
  await modem.close()
})

test('a code without an answer ends in time, and its session is cancelled', async () => {
  const modem = await open()
  const began = modem.time.elapsed()
  const { code, detail } = refused(await dial(modem, '*199#', 30_000))
  assert.deepEqual([code, detail], ['timeout', 'The network did not answer in time'])
  assert.ok(modem.time.elapsed() - began <= 30_000)
  await modem.time.pass(1_000)
  assert.equal(modem.emulator.heard().at(-1), 'AT+CUSD=2')
  await modem.close()
})

test('a refusal is told in words', async () => {
  const cases = [
    [{ cme: 30 }, 'no_network', 'There is no network service (+CME ERROR: 30)'],
    [{ cme: 17 }, 'refused', /\+CME ERROR: 17\)$/],
    [{ state: 4 }, 'refused', 'The network does not know this code, or the modem cannot dial it'],
    [{ state: 5 }, 'timeout', 'The network did not answer the modem in time'],
    [{ state: 2 }, 'refused', 'The network ended the session without a text'],
  ] as const
  for (const [answer, code, detail] of cases) {
    const modem = await open({ network: { ussd: () => answer } })
    const done = refused(await dial(modem, '*100#'))
    assert.equal(done.code, code)
    if (typeof detail === 'string') assert.equal(done.detail, detail)
    else assert.match(done.detail, detail)
    await modem.close()
  }
  const without = await open({ dialect: { lacks: ['+CUSD'] } })
  assert.match(refused(await dial(without, '*100#')).detail, /^The modem refused the code \(ERROR\)$/)
  await without.close()
})

test('a modem without a SIM dials nothing, and one code is dialled at a time', async () => {
  const empty = openTestModem({ sim: { present: false } })
  await empty.time.pass(10_000)
  assert.match(refused(await dial(empty, '*100#')).detail, /there is no SIM/)
  await empty.close()
  const modem = await open()
  const first = modem.driver.dial!('*100#', 60_000)
  assert.equal(refused(await dial(modem, '*100#')).code, 'busy')
  assert.equal((await modem.time.until(first)).ok, true)
  await modem.close()
})

test('a code waits for the message that is handed over, and is not dialled once its order has expired', async () => {
  const modem = await open({ network: { send_ms: [40_000, 40_000] } })
  const sent = sendOn(modem.driver, 'Hola')
  await modem.time.pass(1_000)
  const late = await dial(modem, '*100#', 10_000)
  assert.equal(refused(late).code, 'timeout')
  const early = modem.driver.dial!('*100#', 120_000)
  assert.equal((await modem.time.until(sent)).state, 'sent')
  assert.equal((await modem.time.until(early)).ok, true)
  const dialled = modem.emulator.heard().filter((command) => command.startsWith('AT+CUSD=1'))
  assert.equal(dialled.length, 1)
  await modem.close()
})

test('a restart waits for the message on air, holds the next one, and ends when the radio is ready', async () => {
  const modem = await open({ network: { send_ms: [5_000, 5_000] } })
  const first = sendOn(modem.driver, 'one')
  await modem.time.pass(1_000)
  const restarted = modem.driver.restart!(120_000)
  const second = sendOn(modem.driver, 'two')
  assert.equal(refused(await modem.time.until(modem.driver.restart!(120_000))).code, 'busy')
  assert.equal((await modem.time.until(first)).state, 'sent')
  assert.deepEqual(await modem.time.until(restarted), said('registered at home on Movistar'))
  assert.equal((await modem.time.until(second)).state, 'sent')
  assert.deepEqual(
    modem.aired.map(({ text }) => text),
    ['one', 'two'],
  )
  const heard = modem.emulator.heard()
  const [restart, last] = ['AT+CFUN=1,1', 'AT+CMGS='].map((start) =>
    heard.findLastIndex((command) => command.startsWith(start)),
  )
  assert.ok(restart! > 0 && restart! < last!)
  await modem.close()
})

test('a restart that is not possible says why, and messages go on', async () => {
  const busy = await open({ network: { send_ms: [100_000, 100_000] } })
  const sent = sendOn(busy.driver, 'one')
  await busy.time.pass(1_000)
  assert.equal(refused(await busy.time.until(busy.driver.restart!(60_000))).code, 'busy')
  assert.equal((await busy.time.until(sent)).state, 'sent')
  await busy.close()

  const stubborn = await open({ dialect: { lacks: ['+CFUN', '^RESET'] } })
  assert.equal(refused(await stubborn.time.until(stubborn.driver.restart!(60_000))).code, 'refused')
  assert.equal((await stubborn.send('two')).state, 'sent')
  await stubborn.close()

  const gone = await open()
  gone.emulator.unplug()
  await gone.time.pass(1_000)
  assert.equal(refused(await gone.time.until(gone.driver.restart!(60_000))).code, 'modem_error')
  await gone.close()
})

test('a number and an SMS centre from an order are used at once', async () => {
  const modem = await open({ sim: { number: null, smsc: null } })
  await modem.time.pass(10_000)
  assert.match(modem.driver.radio().says, /no SMS centre number/)
  modem.driver.configure!({ port: 'ignored', number: '+34600111222', smsc: '+34609090909' })
  await modem.ready()
  assert.equal(modem.driver.radio().ready, true)
  const networks = await modem.time.until(modem.driver.networks())
  assert.equal(networks.mobile?.sims[0]?.phone_number, '+34600111222')
  assert.ok(modem.emulator.heard().includes('AT+CSCA="+34609090909",145'))
  await modem.close()
})

async function open(options: EmulatorOptions = {}): Promise<TestModem> {
  const modem = openTestModem(options)
  await modem.ready()
  return modem
}

function dial(modem: TestModem, code: string, within_ms = 60_000): Promise<Done> {
  return modem.time.until(modem.driver.dial!(code, within_ms))
}

function said(output: string): Done {
  return { ok: true, output }
}

function refused(done: Done): Extract<Done, { ok: false }> {
  assert.equal(done.ok, false)
  return done as Extract<Done, { ok: false }>
}
