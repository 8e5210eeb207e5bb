import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Line, openLine } from '#test/line.ts'
import { AtError } from './failure.ts'

const PDU = '0011000B914306073011F00000A70AE8329BFD4697D9EC37'

test('a command is written and resolves to the lines of its answer', async () => {
  const line = openLine()
  line.answer('AT+CSQ\r', '\r\n+CSQ: 17,99\r\n\r\nOK\r\n')
  assert.deepEqual(await line.time.until(line.channel.ask('AT+CSQ')), ['+CSQ: 17,99'])
})

test('one command at a time: the second is written when the first has its answer', async () => {
  const line = openLine()
  const both = Promise.all([line.channel.ask('AT+CGMI'), line.channel.ask('AT+CGMM')])
  await line.time.pass(1_000)
  assert.equal(line.written(), 'AT+CGMI\r')
  line.answer('AT+CGMM\r', '\r\nE173\r\n\r\nOK\r\n')
  line.say('\r\nhuawei\r\n\r\nOK\r\n')
  assert.deepEqual(await line.time.until(both), [['huawei'], ['E173']])
})

test("a refusal names the command and the modem's answer", async () => {
  const line = openLine()
  line.answer('AT+CSCA?\r', '\r\n+CME ERROR: 14\r\n')
  const error = await failure(line, line.channel.ask('AT+CSCA?'))
  assert.equal(error.message, 'AT+CSCA?: +CME ERROR: 14')
  assert.deepEqual([error.reason, error.failure?.from, error.failure?.code], ['refused', 'cme', 14])
})

test('a refusal does not block the commands behind it', async () => {
  const line = openLine()
  const first = line.channel.ask('AT^CURC=0')
  const second = line.channel.ask('AT')
  line.answer('AT^CURC=0\r', '\r\nCOMMAND NOT SUPPORT\r\n')
  line.answer('AT\r', '\r\nOK\r\n')
  await failure(line, first)
  assert.deepEqual(await line.time.until(second), [])
})

test('a time-out names the command, and the line is resynchronised before the next one', async () => {
  const line = openLine()
  const error = await failure(line, line.channel.ask('AT+COPS?'))
  assert.equal(error.message, 'AT+COPS?: no answer within 10 s')
  line.answer('\x1bAT\r', '\r\n+COPS: 0,0,"Movistar"\r\n\r\nOK\r\n\r\nOK\r\n')
  line.answer('AT+CSQ\r', '\r\n+CSQ: 9,99\r\n\r\nOK\r\n')
  assert.deepEqual(await line.time.until(line.channel.ask('AT+CSQ')), ['+CSQ: 9,99'])
})

test('total silence ends in a time-out, not in an endless wait', async () => {
  const line = openLine()
  await failure(line, line.channel.ask('AT'))
  const error = await failure(line, line.channel.ask('AT+CSQ'))
  assert.equal(error.message, 'AT: no answer within 3 s')
  assert.equal(line.written(), `AT\r\x1b${'AT\r'.repeat(3)}`)
})

test('half a line, then silence, is a time-out', async () => {
  const line = openLine()
  line.answer('AT+CSQ\r', '\r\n+CSQ: 1')
  assert.equal((await failure(line, line.channel.ask('AT+CSQ'))).reason, 'timeout')
})

test('the error of a PIN does not contain it', async () => {
  const line = openLine()
  const { command, message } = await failure(line, line.channel.ask('AT+CPIN="1234"'))
  assert.deepEqual([command, message], ['AT+CPIN="1234"', 'AT+CPIN: no answer within 10 s'])
})

test('a long answer may take long: each of its lines extends the time-out', async () => {
  const line = openLine()
  const list = line.channel.ask('AT+CMGL=4')
  for (let index = 0; index < 20; index++) {
    await line.time.pass(8_000)
    line.say(`\r\n+CMGL: ${index},1,,24\r\n0791\r\n`)
  }
  line.say('\r\nOK\r\n')
  assert.equal((await line.time.until(list)).length, 40)
})

test('40 ms between one byte and the next do not matter', async () => {
  const line = openLine()
  const answer = line.channel.ask('AT+COPS?')
  for (const byte of Buffer.from('AT+COPS?\r\r\n+COPS: 0,0,"Movistar",2\r\n\r\nOK\r\n')) {
    line.say(Uint8Array.of(byte))
    await line.time.pass(40)
  }
  assert.deepEqual(await line.time.until(answer), ['+COPS: 0,0,"Movistar",2'])
})

test('unsolicited lines between a command and its answer are reported, and not part of it', async () => {
  const line = openLine()
  line.answer(
    'AT+CSQ\r',
    '\r\n^RSSI:18\r\n\r\nRING\r\n\r\n+CMTI: "ME",0\r\n\r\n+CSQ: 17,99\r\n\r\n^MODE:5,4\r\n\r\nOK\r\n',
  )
  assert.deepEqual(await line.time.until(line.channel.ask('AT+CSQ')), ['+CSQ: 17,99'])
  assert.deepEqual(
    line.unsolicited.map(({ kind }) => kind),
    ['chatter', 'chatter', 'stored', 'chatter'],
  )
})

test('a message is handed over: command, prompt, PDU, Ctrl-Z, reference', async () => {
  const line = openLine()
  line.answer('AT+CMGS=23\r', '\r\n> ')
  line.answer(`${PDU}\x1a`, '\r\n+CMGS: 214\r\n\r\nOK\r\n')
  assert.equal(await line.time.until(line.channel.submit(PDU, 23)), 214)
  assert.equal(line.written(), `AT+CMGS=23\r${PDU}\x1a`)
})

test('the PDU is written a little after the prompt, and Ctrl-Z a little after the PDU', async () => {
  const line = openLine()
  const sent = line.channel.submit(PDU, 23)
  await line.time.pass(1_000)
  line.say('\r\n> ')
  await line.time.pass(100)
  assert.equal(line.written(), 'AT+CMGS=23\r')
  await line.time.pass(100)
  assert.equal(line.written(), `AT+CMGS=23\r${PDU}`)
  line.answer('\x1a', '\r\n+CMGS: 1\r\n\r\nOK\r\n')
  assert.equal(await line.time.until(sent), 1)
})

test('after a refusal before the prompt, at it, or before Ctrl-Z nothing is handed over', async () => {
  for (const say of ['\r\n+CMS ERROR: 331\r\n', '\r\n> \r\nERROR\r\n']) {
    const line = openLine()
    line.answer('AT+CMGS=23\r', say)
    const error = await failure(line, line.channel.submit(PDU, 23))
    assert.deepEqual([error.reason, error.handed_over], ['refused', false])
    assert.ok(!line.written().includes('\x1a'))
  }
  const line = openLine()
  line.answer('AT+CMGS=23\r', '\r\n> ')
  line.answer(PDU, '\r\n+CMS ERROR: 304\r\n')
  assert.equal((await failure(line, line.channel.submit(PDU, 23))).handed_over, false)
  assert.ok(line.written().endsWith(`${PDU}\x1b`))
})

test('a missing prompt is abandoned after 30 s with ESC, and the next command is answered', async () => {
  const line = openLine()
  const error = await failure(line, line.channel.submit(PDU, 23))
  assert.deepEqual([error.reason, error.handed_over, line.time.elapsed()], ['timeout', false, 30_000])
  line.answer('AT\r', '\r\nOK\r\n')
  line.answer('AT+CSQ\r', '\r\n+CSQ: 9,99\r\n\r\nOK\r\n')
  assert.deepEqual(await line.time.until(line.channel.ask('AT+CSQ')), ['+CSQ: 9,99'])
  assert.ok(line.written().startsWith('AT+CMGS=23\r\x1b\x1bAT\r'))
})

test('an unexpected prompt is cancelled with ESC', async () => {
  const line = openLine()
  line.say('\r\n> ')
  await line.time.pass(1)
  assert.equal(line.written(), '\x1b')
})

test('an answer after 179 s counts; after 180 s the message is handed over without an outcome', async () => {
  const late = handedOver()
  await late.line.time.pass(179_000)
  late.line.say('\r\n+CMGS: 9\r\n\r\nOK\r\n')
  assert.equal(await late.line.time.until(late.sent), 9)

  const never = handedOver()
  const error = await failure(never.line, never.sent)
  assert.deepEqual([error.message, error.handed_over], ['AT+CMGS=23: no answer within 180 s', true])
})

test('if the port is gone after Ctrl-Z the message counts as handed over; before Ctrl-Z it does not', async () => {
  const after = handedOver()
  await after.line.time.pass(1_000)
  after.line.unplug()
  const error = await failure(after.line, after.sent)
  assert.deepEqual([error.reason, error.handed_over], ['gone', true])

  const before = openLine()
  const sent = before.channel.submit(PDU, 23)
  await before.time.pass(1_000)
  before.unplug()
  assert.equal((await failure(before, sent)).handed_over, false)
})

test('+CMGS without the OK after it: the network took the message', async () => {
  const silent = handedOver('\r\n+CMGS: 31\r\n')
  assert.equal(await silent.line.time.until(silent.sent), 31)
  const restarted = handedOver('\r\n+CMGS: 32\r\n\r\nRDY\r\n')
  assert.equal(await restarted.line.time.until(restarted.sent), 32)
})

test('a first start banner ends a submitted message at once; a late banner line leaves 10 s for the answer', async () => {
  const sure = handedOver('\r\nRDY\r\n')
  const error = await failure(sure.line, sure.sent)
  assert.deepEqual([error.reason, error.handed_over], ['restarted', true])

  const late = handedOver('\r\nSMS Ready\r\n')
  await late.line.time.pass(9_000)
  late.line.say('\r\n+CMGS: 8\r\n\r\nOK\r\n')
  assert.equal(await late.line.time.until(late.sent), 8)

  const never = handedOver('\r\nCall Ready\r\n')
  assert.equal((await failure(never.line, never.sent)).reason, 'restarted')
  assert.ok(never.line.time.elapsed() < 11_000)
})

test('the end of a call is not the end of a message', async () => {
  const { line, sent } = handedOver('\r\nRING\r\n\r\nNO CARRIER\r\n\r\n+CMGS: 5\r\n\r\nOK\r\n')
  assert.equal(await line.time.until(sent), 5)
})

test('closing rejects the current command and the queued ones', async () => {
  const line = openLine()
  const under_way = line.channel.ask('AT+CSQ')
  const waiting = line.channel.ask('AT+CREG?')
  await line.time.pass(1)
  line.channel.close()
  assert.equal((await failure(line, under_way)).reason, 'gone')
  assert.equal((await failure(line, waiting)).reason, 'gone')
  assert.equal((await line.time.until(line.channel.gone)).message, 'the port was closed')
  assert.equal(line.written(), 'AT+CSQ\r')
})

/** A line after Ctrl-Z was written; `say` is the modem's next output. */
function handedOver(say = ''): { line: Line; sent: Promise<number | null> } {
  const line = openLine()
  line.answer('AT+CMGS=23\r', '\r\n> ')
  line.answer('\x1a', say)
  return { line, sent: line.channel.submit(PDU, 23) }
}

async function failure(line: Line, promise: Promise<unknown>): Promise<AtError> {
  try {
    await line.time.until(promise)
  } catch (error) {
    assert.ok(error instanceof AtError)
    return error
  }
  assert.fail('nothing failed')
}

test('a USSD text is joined from its lines, and one that never ends takes no answer of a command', async () => {
  const line = openLine()
  line.say('\r\n+CUSD: 0,"Saldo: "5" EUR\n\r\n^RSSI:18\r\nhasta el 31/12",15\r\n')
  await line.time.pass(1)
  const [chatter, ussd] = line.unsolicited
  assert.equal(chatter?.line, '^RSSI:18')
  assert.ok(ussd?.kind === 'ussd' && ussd.written === 'Saldo: "5" EUR\nhasta el 31/12' && ussd.dcs === 15)

  line.answer('AT+CMGS=23\r', '\r\n> ')
  line.answer(`${PDU}\x1a`, '\r\n+CUSD: 0,"Saldo\r\n\r\n+CMGS: 214\r\n\r\nOK\r\n')
  assert.equal(await line.time.until(line.channel.submit(PDU, 23)), 214)
  await line.time.pass(3_000)
  line.answer('AT+CGMI\r', '\r\nhuawei\r\n\r\nOK\r\n')
  assert.deepEqual(await line.time.until(line.channel.ask('AT+CGMI')), ['huawei'])
})
