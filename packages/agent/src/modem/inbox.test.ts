import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeAddress } from '@sdd/sms/address.ts'
import { hexOf } from '@sdd/sms/octets.ts'
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

test('a full memory that the modem does not name is no alarm any more once it was emptied', async () => {
  const modem = openTestModem({ dialect: { storages: ['ME'], receives_into: 'ME' } })
  await modem.ready()
  await modem.time.pass(5_000)
  modem.emulator.say('+SMS FULL')
  await modem.time.pass(5_000)
  assert.equal(modem.driver.radio().says, 'registered at home on Movistar')
  await modem.close()
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

/** A DELIVER of a kind that a text is not. `userData`: TP-UDL and what follows it. */
function deliver(of: { first: number; pid?: number; dcs: number; userData: string[] }) {
  const { first, pid = 0, dcs, userData } = of
  const octets = [first, ...encodeAddress(FROM), pid, dcs, 0x62, 0x30, 0x10, 0x21, 0, 0, 0]
  const tpdu = hexOf(Uint8Array.from(octets)) + userData.join('').toUpperCase()
  return { pdu: `00${tpdu}`, atLength: tpdu.length / 2 }
}
