import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Dialect } from '#agent/emulator/options.ts'
import { openTestModem } from '#test/modem.ts'

/** How different modems store, list and announce incoming messages. */

const FROM = '+34600333444'

test('an SMS that is announced twice is kept once', async () => {
  await keepsAll({ cmti_times: 2 })
})

test('an SMS in another storage than the announced one is still found', async () => {
  await keepsAll({ cmti_storage: 'SM', receives_into: 'ME' })
})

test('a modem that announces nothing is polled every minute', async () => {
  await keepsAll({ cmti_times: 0 })
})

test('lists and messages are read in every dialect', async () => {
  for (const listing of ['usual', 'no_name', 'empty_name', 'one_line', 'wrong_length'] as const)
    await keepsAll({ listing })
})

test('if the list is missing or its indexes are wrong, the storage is read slot by slot', async () => {
  for (const listing of ['wrong_indexes', 'none'] as const) await keepsAll({ listing, lacks: [] })
})

test('slots are counted from 0, from 1, or from 21', async () => {
  for (const first_index of [0, 1, 21]) await keepsAll({ first_index })
})

test('a modem without storages delivers messages directly; each is acknowledged once it is kept', async () => {
  for (const cpms_test of ['(),(),()', ',,,,,,,,', '(),,(  )', null]) {
    const modem = openTestModem({ dialect: { storages: [], cpms_test } })
    await modem.ready()
    for (const text of ['1', '2', '3']) modem.emulator.receive({ from: FROM, text })
    await modem.time.pass(5_000)
    assert.deepEqual(modem.received.map(({ text }) => text).join(''), '123')
    assert.equal(modem.emulator.heard().filter((command) => command === 'AT+CNMA').length, 3)
    assert.equal(modem.emulator.waiting(), 0)
    await modem.close()
  }
})

test('a direct message that is not kept is not acknowledged, so the network sends it again, with the same id', async () => {
  const ids: string[] = []
  const modem = openTestModem({
    dialect: { storages: [] },
    keeper: {
      received: async ({ id }) => {
        ids.push(id)
        if (ids.length < 3) throw new Error('the disk is full')
      },
    },
  })
  await modem.ready()
  modem.emulator.receive({ from: FROM, text: 'Sí' })
  await modem.time.pass(5_000)
  assert.ok(!modem.emulator.heard().includes('AT+CNMA'))
  await modem.time.pass(5 * 60_000)
  assert.ok(modem.emulator.heard().includes('AT+CNMA'))
  assert.ok(ids.length >= 3)
  assert.equal(new Set(ids).size, 1)
  assert.equal(modem.emulator.waiting(), 0)
  await modem.close()
})

test('a direct message that arrives while the disk is full is kept once there is space', async () => {
  let full = true
  const texts: string[] = []
  const modem = openTestModem({
    dialect: { storages: [], csms: 0 },
    keeper: {
      received: async ({ text }) => {
        if (full) throw new Error('the disk is full')
        texts.push(text)
      },
    },
  })
  await modem.ready()
  for (const text of ['1', '2']) modem.emulator.receive({ from: FROM, text })
  await modem.time.pass(5_000)
  full = false
  await modem.time.pass(61_000)
  assert.deepEqual(texts, ['1', '2'])
  await modem.close()
})

/**
 * Three messages from before the agent's start and three from after it are kept, each once, and none stays on the SIM.
 */
async function keepsAll(dialect: Partial<Dialect>): Promise<void> {
  const modem = openTestModem({ dialect })
  const texts = ['a', 'b', 'c', 'd', 'e', 'f']
  for (const text of texts.slice(0, 3)) modem.emulator.receive({ from: FROM, text })
  await modem.ready()
  for (const text of texts.slice(3)) {
    await modem.time.pass(3_000)
    modem.emulator.receive({ from: FROM, text })
  }
  await modem.time.pass(2 * 60_000)
  assert.deepEqual(modem.received.map(({ text }) => text).sort(), texts, JSON.stringify(dialect))
  for (const storage of ['SM', 'ME']) assert.deepEqual(modem.emulator.messagesIn(storage), [])
  await modem.close()
}
