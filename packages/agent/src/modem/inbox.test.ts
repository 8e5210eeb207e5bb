import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeAddress } from '@sdd/sms/address.ts'
import { hexOf } from '@sdd/sms/octets.ts'
import type { Dialect } from '#agent/emulator/options.ts'
import { openTestModem, type Received, sendOn } from '#test/modem.ts'

/** What comes in: kept once, deleted only after it is kept, and never lost, whatever the modem does with it. */

const FROM = '+34600333444'

test('an SMS that comes in is kept, with who sent it, when, and to which SIM, and then deleted from the SIM', async () => {
  const modem = openTestModem()
  await modem.ready()
  modem.emulator.receive({ from: FROM, text: 'Sí, ¡vale! 👍' })
  await modem.time.pass(5_000)
  const [sms] = modem.received
  assert.deepEqual(
    [sms?.from, sms?.text, sms?.at, sms?.sim],
    [FROM, 'Sí, ¡vale! 👍', '2026-03-01T12:00:00.000Z', '+34600000001'],
  )
  assert.deepEqual(modem.emulator.messagesIn('SM'), [])
  await modem.close()
})

test('a long SMS is handed over in its parts, each with its place in the whole', async () => {
  const modem = openTestModem()
  await modem.ready()
  modem.emulator.receive({ from: 'Banco', text: 'x'.repeat(400) })
  await modem.time.pass(5_000)
  assert.deepEqual(
    modem.parts.map(({ from, concat }) => [from, concat]),
    [1, 2, 3].map((n) => ['Banco', { ref: 1, refBits: 8, n, of: 3 }]),
  )
  assert.equal(modem.parts.map(({ text }) => text).join(''), 'x'.repeat(400))
  assert.equal(new Set(modem.parts.map(({ id }) => id)).size, 3)
  await modem.close()
})

test('an SMS is deleted from the SIM only after it is kept', async () => {
  const kept = Promise.withResolvers<void>()
  const modem = openTestModem({ keeper: { received: () => kept.promise } })
  await modem.ready()
  modem.emulator.receive({ from: FROM, text: 'Sí' })
  await modem.time.pass(10 * 60_000)
  assert.equal(modem.emulator.messagesIn('SM').length, 1)
  kept.resolve()
  await modem.time.pass(1_000)
  assert.equal(modem.emulator.messagesIn('SM').length, 0)
  await modem.close()
})

test('what the disk does not take stays in the SIM, is said, and is kept as soon as there is room', async () => {
  let full = true
  const received: Received[] = []
  const modem = openTestModem({
    keeper: {
      received: async (sms) => {
        if (full) throw new Error('the disk is full')
        received.push(sms)
      },
    },
  })
  await modem.ready()
  modem.emulator.receive({ from: FROM, text: 'Sí' })
  await modem.time.pass(3 * 60_000)
  assert.equal(modem.emulator.messagesIn('SM').length, 1)
  assert.match(modem.driver.radio().says, /stays in the modem: the disk is full/)
  full = false
  await modem.time.pass(61_000)
  assert.deepEqual([received.length, modem.emulator.messagesIn('SM').length], [1, 0])
  assert.equal(modem.driver.radio().says, 'registered at home on Movistar')
  await modem.close()
})

test('a disk that takes very long holds up the inbox alone: messages go out, and the agent can stop', async () => {
  const modem = openTestModem({ keeper: { received: () => new Promise(() => {}) } })
  await modem.ready()
  modem.emulator.receive({ from: FROM, text: 'Sí' })
  await modem.time.pass(70_000)
  assert.match(modem.driver.radio().says, /cannot be stored and stays in the modem: is the disk full/)
  assert.equal((await modem.send('Hola')).state, 'sent')
  modem.emulator.unplug()
  await modem.time.pass(5_000)
  modem.emulator.plug()
  await modem.ready()
  assert.equal((await modem.send('Hola')).state, 'sent')
  await modem.close()
})

test('killed between keeping an SMS and deleting it: it comes again with the same id, and is deleted', async () => {
  const ids: string[] = []
  const never = new Promise<void>(() => {})
  const modem = openTestModem({
    keeper: {
      received: async ({ id }) => {
        ids.push(id)
        // The first agent dies here.
        if (ids.length === 1) await never
      },
    },
  })
  await modem.ready()
  modem.emulator.receive({ from: FROM, text: 'Sí' })
  await modem.time.pass(5_000)
  const second = modem.openAgain()
  await modem.time.pass(10_000)
  assert.equal(ids.length, 2)
  assert.equal(new Set(ids).size, 1)
  assert.equal(modem.emulator.messagesIn('SM').length, 0)
  await modem.time.until(second.close())
})

test('an SMS that is told of twice is kept once', async () => {
  await keepsAll({ cmti_times: 2 })
})

test('an SMS that is stored elsewhere than the modem tells is found all the same', async () => {
  await keepsAll({ cmti_storage: 'SM', receives_into: 'ME' })
})

test('a modem that tells nothing is asked every minute', async () => {
  await keepsAll({ cmti_times: 0 })
})

test('a full memory is emptied, and what waits in the network comes then', async () => {
  for (const says_full of ['^SMMEMFULL: "SM"', '+SMS FULL', '+QIND: "smsfull","SM"', null]) {
    const modem = openTestModem({ sim: { places: 2 }, dialect: { cmti_times: 0, says_full } })
    await modem.ready()
    for (let i = 0; i < 9; i++) modem.emulator.receive({ from: FROM, text: `${i}` })
    await modem.time.pass(10 * 60_000)
    assert.deepEqual(modem.received.map(({ text }) => text).join(''), '012345678')
    assert.equal(modem.driver.radio().says, 'registered at home on Movistar')
    await modem.close()
  }
})

test('a memory that stays full is said, as the operator has to know', async () => {
  const modem = openTestModem({
    sim: { places: 1 },
    dialect: { says_full: '^SMMEMFULL: "SM"' },
    keeper: { received: () => Promise.reject(new Error('the disk is full')) },
  })
  await modem.ready()
  modem.emulator.receive({ from: FROM, text: 'Sí' })
  modem.emulator.receive({ from: FROM, text: 'No' })
  await modem.time.pass(5_000)
  assert.match(modem.driver.radio().says, /stays in the modem/)
  assert.equal(modem.emulator.waiting(), 1)
  await modem.close()
})

test('an MMS notification, and what else is data, is handed over as such and does not block the memory', async () => {
  const modem = openTestModem({ sim: { places: 1 } })
  await modem.ready()
  // 8-bit, to the WAP push port: what an MMS sends ahead.
  const push = deliver({ first: 0x44, dcs: 0x04, userData: ['0b', '0605040b8423f0', '0a0b0c0d'] })
  modem.emulator.deliver(push)
  modem.emulator.receive({ from: FROM, text: 'Sí' })
  await modem.time.pass(5_000)
  assert.deepEqual(
    modem.received.map(({ text }) => text),
    ['[Data to port 2948: 0a0b0c0d]', 'Sí'],
  )
  assert.deepEqual(modem.emulator.messagesIn('SM'), [])
  await modem.close()
})

test('what is no PDU is handed over as it is, not lost, and does not block the memory', async () => {
  const modem = openTestModem()
  await modem.ready()
  modem.emulator.deliver({ pdu: '07919730071111F1040B91FFFF', atLength: 5 })
  await modem.time.pass(5_000)
  assert.deepEqual(
    modem.received.map(({ from, text }) => [from, text]),
    [['unknown', '[An SMS that cannot be read: 07919730071111F1040B91FFFF]']],
  )
  assert.deepEqual(modem.emulator.messagesIn('SM'), [])
  await modem.close()
})

test('a silent SMS of type 0 is shown to nobody', async () => {
  const modem = openTestModem()
  await modem.ready()
  modem.emulator.deliver(deliver({ first: 0x04, pid: 0x40, dcs: 0, userData: ['00'] }))
  await modem.time.pass(5_000)
  assert.deepEqual([modem.received, modem.emulator.messagesIn('SM')], [[], []])
  await modem.close()
})

test('lists and messages are read in every dialect', async () => {
  for (const listing of ['usual', 'no_name', 'empty_name', 'one_line', 'wrong_length'] as const)
    await keepsAll({ listing })
})

test('indexes that lead elsewhere, or no list at all: the places are read one after the other', async () => {
  for (const listing of ['wrong_indexes', 'none'] as const) await keepsAll({ listing, lacks: [] })
})

test('places are counted from 0, from 1, from 21', async () => {
  for (const first_index of [0, 1, 21]) await keepsAll({ first_index })
})

test('a modem without storages hands messages on as they come; each is acknowledged once it is kept', async () => {
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

test('what comes directly and is not kept is not acknowledged, so the network sends it again, with the same id', async () => {
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

test('what came directly while the disk was full is kept when it is not any more', async () => {
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

test('an SMS comes in while one goes out: both get where they should', async () => {
  const modem = openTestModem({ network: { send_ms: [5_000, 5_000] } })
  await modem.ready()
  const sent = sendOn(modem.driver, 'Hola')
  await modem.time.pass(2_000)
  modem.emulator.receive({ from: FROM, text: 'Sí' })
  assert.equal((await modem.time.until(sent)).state, 'sent')
  await modem.time.pass(5_000)
  assert.deepEqual([modem.aired.length, modem.received.length], [1, 1])
  await modem.close()
})

test('500 SMS that came while the agent was away are all kept, in the order in which they were sent', async () => {
  const modem = openTestModem({ sim: { places: 500 } })
  modem.emulator.unplug()
  const start = modem.time.now()
  // As a SIM has them after a while: the places do not tell the order.
  for (let i = 0; i < 500; i++) {
    const order = (i * 7) % 500
    modem.emulator.receive({ from: FROM, text: `${order}`, at: start + order * 1_000 })
  }
  modem.emulator.plug()
  await modem.ready()
  await modem.time.pass(10 * 60_000)
  assert.deepEqual(
    modem.received.map(({ text }) => Number(text)),
    Array.from({ length: 500 }, (_, i) => i),
  )
  assert.equal(modem.emulator.messagesIn('SM').length, 0)
  await modem.close()
})

test("a message of the SIM's own outbox is neither handed over nor deleted", async () => {
  const modem = openTestModem()
  const submit = { pdu: '0001000B914306101122F2000004C8373B0C', atLength: 17 }
  modem.emulator.deliver(submit)
  await modem.ready()
  await modem.time.pass(5_000)
  assert.deepEqual([modem.received, modem.emulator.messagesIn('SM').length], [[], 1])
  await modem.close()
})

/** Three messages before the agent is there and three after it come through, each once, and none stays. */
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

/** A DELIVER of a kind that a text is not. `userData`: TP-UDL and what follows it. */
function deliver(of: { first: number; pid?: number; dcs: number; userData: string[] }) {
  const { first, pid = 0, dcs, userData } = of
  const octets = [first, ...encodeAddress(FROM), pid, dcs, 0x62, 0x30, 0x10, 0x21, 0, 0, 0]
  const tpdu = hexOf(Uint8Array.from(octets)) + userData.join('').toUpperCase()
  return { pdu: `00${tpdu}`, atLength: tpdu.length / 2 }
}
