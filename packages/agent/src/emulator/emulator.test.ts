import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodePdu } from '@sdd/sms/pdu.ts'
import { encodeSubmit } from '@sdd/sms/pdu-submit.ts'
import { type Channel, openChannel } from '#agent/at/channel.ts'
import { AtError } from '#agent/at/failure.ts'
import type { Unsolicited } from '#agent/at/reading.ts'
import { openTime } from '#test/time.ts'
import { openEmulator } from './emulator.ts'
import type { EmulatorOptions, OnAir } from './options.ts'

test('it answers like a modem, with echo, and refuses unknown commands', async () => {
  const { ask, emulator } = open()
  assert.deepEqual(await ask('AT+CSQ'), ['+CSQ: 18,99'])
  assert.deepEqual(await ask('ATE0V1'), [])
  assert.deepEqual(await ask('AT+CREG=1;+CREG?'), ['+CREG: 1,1'])
  await assert.rejects(ask('AT+NONSENSE'), /AT\+NONSENSE: ERROR/)
  assert.deepEqual(emulator.heard(), ['AT+CSQ', 'ATE0V1', 'AT+CREG=1;+CREG?', 'AT+NONSENSE'])
})

test('a message goes on air, and its report arrives with its reference', async () => {
  const { time, submit, ask, aired, unsolicited } = open()
  await ask('AT+CNMI=2,1,0,1')
  const reference = await submit('+34600111222', 'Hola, ¿qué tal?')
  assert.equal(aired.length, 1)
  const [part] = aired
  assert.deepEqual(
    [part?.to, part?.text, part?.reference, part?.report_requested],
    ['+34600111222', 'Hola, ¿qué tal?', reference, true],
  )
  await time.pass(20_000)
  const [report] = unsolicited
  assert.equal(report?.kind, 'report')
  const pdu = decodePdu(report?.kind === 'report' ? report.pdu : '')
  assert.ok(pdu.type === 'status-report' && pdu.reference === reference && pdu.state === 'delivered')
})

test('an incoming SMS is stored, announced, read, and deleted', async () => {
  const { time, ask, emulator, unsolicited } = open()
  await ask('AT+CNMI=2,1,0,1')
  emulator.receive({ from: '+34600333444', text: 'Sí' })
  await time.pass(10)
  assert.deepEqual(
    unsolicited.map(({ line }) => line),
    ['+CMTI: "SM",1'],
  )
  const [header, pdu] = await ask('AT+CMGR=1')
  assert.match(header ?? '', /^\+CMGR: 0,,\d+$/)
  const sms = decodePdu(pdu ?? '')
  assert.ok(sms.type === 'deliver' && sms.text === 'Sí' && sms.number === '+34600333444')
  await ask('AT+CMGD=1')
  assert.deepEqual(await ask('AT+CMGL=4'), [])
})

test('a full memory takes no more; messages wait in the network until a slot is free', async () => {
  const { time, ask, emulator } = open({ sim: { places: 2 } })
  for (const text of ['1', '2', '3']) emulator.receive({ from: '+34600333444', text })
  assert.equal(emulator.waiting(), 1)
  await ask('AT+CMGD=1')
  await time.pass(10)
  assert.equal(emulator.waiting(), 0)
  assert.equal(emulator.messagesIn('SM').length, 2)
})

test("the modem's answer is independent of whether the message went on air", async () => {
  const faults = [
    { kind: 'answer', says: '+CMS ERROR: 500', on_air: true },
    { kind: 'answer', says: '+CMS ERROR: 38', on_air: false },
  ] as const
  const { submit, aired } = open({ faults: (nth) => faults[nth - 1] })
  await assert.rejects(submit('+34600111222', 'a'), /CMS ERROR: 500/)
  assert.equal(aired.length, 1)
  await assert.rejects(submit('+34600111222', 'b'), /CMS ERROR: 38/)
  assert.equal(aired.length, 1)
  await submit('+34600111222', 'c')
  assert.deepEqual(
    aired.map(({ text }) => text),
    ['a', 'c'],
  )
})

test('a restart resets the settings, prints the banner, and drops pending input', async () => {
  const { time, ask, emulator, unsolicited, submit } = open({
    faults: (nth) => (nth === 1 ? { kind: 'restart', on_air: false } : undefined),
  })
  await ask('AT+CNMI=2,1,0,1')
  await assert.rejects(submit('+34600111222', 'a'), AtError)
  await time.pass(10_000)
  assert.equal(unsolicited[0]?.line, 'RDY')
  assert.deepEqual(await ask('AT+CNMI?'), ['+CNMI: 0,0,0,0,0'])
  assert.ok(emulator.heard().length > 0)
})

test('while unplugged its port cannot be opened', async () => {
  const { time, emulator, channel } = open()
  emulator.unplug()
  assert.match((await time.until(channel.gone)).message, /^EIO/)
  await assert.rejects(emulator.openPort(), /ENOENT/)
  emulator.plug()
  assert.ok(await emulator.openPort())
})

test('the same seed gives the same random faults', async () => {
  const outcomes = async (seed: string) => {
    const fault = { kind: 'answer', says: '+CMS ERROR: 38', on_air: false } as const
    const { submit, aired } = open({ seed, chances: [[fault, 0.5]] })
    for (let i = 0; i < 12; i++) await submit('+34600111222', String(i)).catch(() => {})
    return aired.map(({ text }) => text).join()
  }
  assert.equal(await outcomes('a'), await outcomes('a'))
  assert.notEqual(await outcomes('a'), await outcomes('b'))
})

/** An emulator, and the agent's own AT layer connected to it. */
function open(options: EmulatorOptions = {}) {
  const time = openTime()
  const aired: OnAir[] = []
  const unsolicited: Unsolicited[] = []
  const emulator = openEmulator({ clock: time, onAir: (part) => aired.push(part), ...options })
  const channel: Channel = openChannel({
    port: emulator.port,
    clock: time,
    onUnsolicited: (line) => unsolicited.push(line),
  })
  return {
    time,
    aired,
    unsolicited,
    emulator,
    channel,
    ask: (command: string) => time.until(channel.ask(command)),
    submit(to: string, text: string) {
      const [part] = encodeSubmit({ to, text, reference: 1, report: true })
      return time.until(channel.submit(part!.pdu, part!.atLength))
    },
  }
}
