import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeAddress } from '@sdd/sms/address.ts'
import { hexOf } from '@sdd/sms/octets.ts'
import { openTestModem, type Received, sendOn } from '#test/modem.ts'

/** Incoming messages are kept once, deleted only after they are kept, and never lost, whatever the modem does. */

const FROM = '+34600333444'

test('an incoming SMS is kept with its sender, time and SIM, and then deleted from the SIM', async () => {
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

test('a long SMS is handed over in parts, each with its position', async () => {
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

test('an SMS that the disk does not take stays on the SIM, raises an alarm, and is kept once there is space', async () => {
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
  assert.match(modem.driver.radio().says, /stay in the modem: the disk is full/)
  full = false
  await modem.time.pass(61_000)
  assert.deepEqual([received.length, modem.emulator.messagesIn('SM').length], [1, 0])
  assert.equal(modem.driver.radio().says, 'registered at home on Movistar')
  await modem.close()
})

test('a very slow disk only delays the inbox: messages go out, and the agent can stop', async () => {
  const modem = openTestModem({ keeper: { received: () => new Promise(() => {}) } })
  await modem.ready()
  modem.emulator.receive({ from: FROM, text: 'Sí' })
  await modem.time.pass(70_000)
  assert.match(modem.driver.radio().says, /cannot be stored and stay in the modem: is the disk full/)
  assert.equal((await modem.send('Hola')).state, 'sent')
  modem.emulator.unplug()
  await modem.time.pass(5_000)
  modem.emulator.plug()
  await modem.ready()
  assert.equal((await modem.send('Hola')).state, 'sent')
  await modem.close()
})

test('after a kill between keeping and deleting, the SMS is read again with the same id, and deleted', async () => {
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

test('if the modem restarts while a report is kept, no message in the same slot of another memory is deleted', async () => {
  const kept = Promise.withResolvers<void>()
  const modem = openTestModem({
    // Reports are stored in SR. After a restart, SM is selected.
    dialect: { cnmi_refuses_ds: [1] },
    keeper: { delivery: () => kept.promise },
  })
  await modem.ready()
  await modem.send('Hola')
  await modem.time.pass(30_000)
  assert.equal(modem.emulator.messagesIn('SR').length, 1)
  modem.emulator.receive({ from: FROM, text: 'Sí' })
  modem.emulator.restart()
  await modem.time.pass(1_000)
  kept.resolve()
  await modem.time.pass(60_000)
  assert.deepEqual(
    modem.received.map(({ text }) => text),
    ['Sí'],
  )
  for (const storage of ['SM', 'SR']) assert.deepEqual(modem.emulator.messagesIn(storage), [])
  await modem.close()
})

test('if the modem restarts during a message that goes before the deletion of a report, no SMS in that slot is deleted', async () => {
  const modem = openTestModem({
    dialect: { cnmi_refuses_ds: [1], byte_ms: 1 },
    network: { send_ms: [20_000, 20_000] },
  })
  await modem.ready()
  await modem.send('Hola')
  while (modem.emulator.heard().at(-1) !== 'AT+CMGR=1') await modem.time.pass(1)
  const second = sendOn(modem.driver, 'Hola')
  await modem.time.pass(5_000)
  assert.equal(modem.deliveries.length, 1)
  modem.emulator.receive({ from: FROM, text: 'Sí' })
  modem.emulator.restart()
  await modem.time.until(second)
  await modem.time.pass(60_000)
  assert.deepEqual(
    modem.received.map(({ text }) => text),
    ['Sí'],
  )
  for (const storage of ['SM', 'SR']) assert.deepEqual(modem.emulator.messagesIn(storage), [])
  await modem.close()
})

test('a full memory is emptied, and messages that wait in the network then arrive', async () => {
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

test('the alarm about an unnamed full memory ends once it was emptied', async () => {
  const modem = openTestModem({ dialect: { storages: ['ME'], receives_into: 'ME' } })
  await modem.ready()
  await modem.time.pass(5_000)
  modem.emulator.say('+SMS FULL')
  await modem.time.pass(5_000)
  assert.equal(modem.driver.radio().says, 'registered at home on Movistar')
  await modem.close()
})

test('a memory that stays full is reported to the operator', async () => {
  const modem = openTestModem({
    sim: { places: 1 },
    dialect: { says_full: '^SMMEMFULL: "SM"' },
    keeper: { received: () => Promise.reject(new Error('the disk is full')) },
  })
  await modem.ready()
  modem.emulator.receive({ from: FROM, text: 'Sí' })
  modem.emulator.receive({ from: FROM, text: 'No' })
  await modem.time.pass(5_000)
  assert.match(modem.driver.radio().says, /stay in the modem/)
  assert.equal(modem.emulator.waiting(), 1)
  await modem.close()
})

test('an MMS notification or other data message is handed over as data and does not block the memory', async () => {
  const modem = openTestModem({ sim: { places: 1 } })
  await modem.ready()
  // 8-bit, to the WAP push port: the notification of an MMS.
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

test('an unreadable PDU is handed over unchanged, not lost, and does not block the memory', async () => {
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

test('an SMS with an impossible time is handed on as one without a time of its own', async () => {
  const modem = openTestModem()
  await modem.ready()
  // Month 13.
  modem.emulator.deliver(deliver({ first: 0x04, dcs: 0, userData: ['02', '5369'], month: 0x31 }))
  modem.emulator.receive({ from: FROM, text: 'No' })
  await modem.time.pass(5_000)
  assert.deepEqual(
    modem.received.map(({ timeless }) => timeless),
    [true, undefined],
  )
  await modem.close()
})

test('a silent SMS of type 0 is not shown', async () => {
  const modem = openTestModem()
  await modem.ready()
  modem.emulator.deliver(deliver({ first: 0x04, pid: 0x40, dcs: 0, userData: ['00'] }))
  await modem.time.pass(5_000)
  assert.deepEqual([modem.received, modem.emulator.messagesIn('SM')], [[], []])
  await modem.close()
})

test('an SMS arrives while another goes out: both reach their destination', async () => {
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

test('500 SMS that arrived while the agent was away are all kept, in the order in which they were sent', async () => {
  const modem = openTestModem({ sim: { places: 500 } })
  modem.emulator.unplug()
  const start = modem.time.now()
  // As on a SIM after some use: the slots are not in order.
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

/** A DELIVER that is not a text. `userData`: TP-UDL and the octets after it. */
function deliver(fields: { first: number; pid?: number; dcs: number; userData: string[]; month?: number }) {
  const { first, pid = 0, dcs, userData, month = 0x30 } = fields
  const octets = [first, ...encodeAddress(FROM), pid, dcs, 0x62, month, 0x10, 0x21, 0, 0, 0]
  const tpdu = hexOf(Uint8Array.from(octets)) + userData.join('').toUpperCase()
  return { pdu: `00${tpdu}`, atLength: tpdu.length / 2 }
}
