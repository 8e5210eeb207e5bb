import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openLine } from '#test/line.ts'
import vectors from '#test/vectors/at-lines.json' with { type: 'json' }
import { readCnmiSupport, readList, readMessage, readStorages, readStorageUse } from './answers.ts'
import { AtError } from './failure.ts'
import { readLine } from './reading.ts'
import { readRegistration } from './registration.ts'

type Case = { id: string; raw: string; expect: Record<string, unknown> }

const PDU = '0011000B914306073011F00000A70AE8329BFD4697D9EC37'

each('echo removal', '% without its echo is the answer', async ({ raw, expect }) => {
  const line = openLine()
  const command = expect.after === raw ? 'AT+CSQ' : raw.slice(0, raw.indexOf('\r\n'))
  const asked = outcome(line.channel.ask(command))
  line.say(`${raw}\r\nOK\r\n`)
  const { lines } = await line.time.until(asked)
  const left = String(expect.after)
    .split('\r\n')
    .map((text) => text.trim())
    .filter((text) => text !== '' && text !== 'NO CARRIER')
  assert.deepEqual(lines, left)
  if (String(expect.after).includes('NO CARRIER')) assert.equal(line.unsolicited[0]?.line, 'NO CARRIER')
})

each('final result', '% is read as final or not, and as failure or not', async ({ raw, expect }) => {
  const readings = linesOf(raw).map((text) => readLine(text, []))
  const final = readings.find(({ is }) => is !== 'unsolicited' && is !== 'text' && is !== 'head')
  assert.equal(final !== undefined, expect.final)
  assert.equal(final !== undefined && final.is !== 'ok', expect.error)

  // The end of a call is not final for a command that does not dial.
  const ends = final !== undefined && final.is !== 'call_over'
  const line = openLine()
  const asked = outcome(line.channel.ask('AT+CSQ'))
  line.say(raw)
  await line.time.pass(1)
  const { end, after_ms } = await line.time.until(
    asked.then((o) => ({ ...o, after_ms: line.time.elapsed() })),
  )
  assert.equal(after_ms < 10_000, ends)
  assert.equal(end, !ends ? 'timeout' : expect.error ? 'refused' : 'ok')
})

each('registration', '% has the state', async ({ raw, expect }) => {
  const text = raw.trim()
  const registration = readRegistration(text)
  assert.equal(registration?.stat, expect.stat)
  assert.equal(registration?.meaning, expect.meaning)
  assert.equal(registration?.sms, expect.canSendSms)

  const line = openLine()
  if (expect.solicited) {
    line.answer('AT+CREG?\r', `\r\n${text}\r\n\r\nOK\r\n`)
    assert.deepEqual(await line.time.until(line.channel.ask('AT+CREG?')), [text])
  } else {
    line.say(raw)
    await line.time.pass(1)
    assert.deepEqual(line.unsolicited, [{ kind: 'registration', line: text, registration }])
  }
})

each('list', '% has its messages', ({ raw, expect }) => {
  assert.deepEqual(readList(linesOf(raw)), expect.messages)
})

each('read', '% has its message', ({ raw, expect }) => {
  assert.deepEqual(readMessage(linesOf(raw)), expect)
})

each('storages', '% names the storages', ({ raw, expect }) => {
  assert.deepEqual(readStorages(raw), expect)
})

each('storage use', '% has the use of the storage', ({ raw, expect }) => {
  assert.deepEqual(readStorageUse(raw), expect)
})

each('capability', '% lists the values of each parameter', ({ raw, expect }) => {
  assert.deepEqual(readCnmiSupport(raw), expect)
})

each('mixed', '%: unsolicited lines, echo and answer are distinguished', async ({ id, raw, expect }) => {
  const commands: Record<string, string> = {
    'noise-cmti-before-echo': 'AT+CPMS="SM","SM"',
    'noise-rssi': 'AT+CMGR=1',
    'echo-twice': 'ATE0',
    'cpin-no-ok': 'AT+CPIN?',
    'clac-crcrlf': 'AT+CLAC',
  }
  const line = openLine()
  const implied = expect.final === 'OK (implied)'
  const asked = outcome(line.channel.ask(commands[id]!, implied ? { without_ok_ms: 500 } : {}))
  line.say(raw)
  const { end, lines } = await line.time.until(asked)
  assert.equal(end, 'ok')
  assert.deepEqual(lines, expect.lines ?? [])
  assert.deepEqual(
    line.unsolicited.map((unsolicited) => unsolicited.line),
    expect.urc ?? [],
  )
  assert.ok(line.time.elapsed() < 1_000)
})

each('prompt', '% is a prompt', async ({ raw, expect }) => {
  const line = openLine()
  line.answer('AT+CMGS=23\r', raw)
  line.answer(PDU, '\r\n+CMS ERROR: 304\r\n')
  const { end, failed } = await line.time.until(outcome(line.channel.submit(PDU, 23)))
  assert.equal(end, 'refused')
  assert.equal(line.written().includes(PDU), expect.final === undefined && expect.prompt)
  if (expect.final !== undefined) assert.equal(failed?.failure?.said, expect.final)
  assert.deepEqual(
    line.unsolicited.map((unsolicited) => unsolicited.line),
    expect.urc ?? [],
  )
})

each('send', '% ends a message', async ({ raw, expect }) => {
  const line = openLine()
  line.answer('AT+CMGS=23\r', '\r\n> ')
  line.answer('\x1a', raw)
  const sent = line.channel.submit(PDU, 23)
  const { end, failed, value } = await line.time.until(outcome(sent))
  if (expect.final === 'OK') assert.deepEqual([end, value], ['ok', expect.mr])
  else assert.equal(`${failed?.failure?.from.toUpperCase()} ${failed?.failure?.code}`, expect.final)
  assert.deepEqual(
    line.unsolicited.map((unsolicited) => unsolicited.line),
    expect.urc ?? [],
  )
})

each('urc', '% is read with its kind', async ({ id, raw, expect }) => {
  const line = openLine()
  line.say(raw)
  await line.time.pass(1)
  const kinds = line.unsolicited.map(({ kind }) => kind)
  const [unsolicited] = line.unsolicited
  if (expect.deliver)
    assert.deepEqual(unsolicited, { kind: 'message', line: '+CMT: ,24', pdu: linesOf(raw)[1] })
  else if (expect.statusReport)
    assert.deepEqual(unsolicited, { kind: 'report', line: '+CDS: 25', pdu: linesOf(raw)[1] })
  else if (expect.messageAt)
    assert.deepEqual(
      unsolicited?.kind === 'stored' && [unsolicited.storage, unsolicited.index],
      expect.messageAt,
    )
  else if (expect.memoryFull)
    assert.ok(unsolicited?.kind === 'memory_full' && unsolicited.storage === expect.memoryFull)
  else if (expect.modemRestarted) {
    assert.ok(unsolicited?.kind === 'restarted' && unsolicited.sure)
    assert.deepEqual([...new Set(kinds)], ['restarted'])
  } else if (expect.simRemoved) assert.deepEqual(kinds, ['sim_out'])
  else {
    assert.equal(expect.ignore, true, `${id} expects something this test does not know`)
    assert.deepEqual([...new Set(kinds)], ['chatter'])
  }
})

const tried = new Set<string>()

test('every case of the vectors was tried', () => {
  assert.deepEqual(
    vectors.cases.map(({ id }) => id).filter((id) => !tried.has(id)),
    [],
  )
})

function each(kind: string, name: string, run: (given: Case) => void | Promise<void>): void {
  for (const given of vectors.cases.filter((vector) => vector.kind === kind)) {
    test(`${name.replace('%', JSON.stringify(given.raw.slice(0, 60)))} (${given.id})`, () => {
      tried.add(given.id)
      return run(given as unknown as Case)
    })
  }
}

function linesOf(raw: string): string[] {
  return raw
    .split(/[\r\n]+/)
    .map((text) => text.trim())
    .filter((text) => text !== '')
}

/** How a command ended, as a value. */
async function outcome<T>(asked: Promise<T>): Promise<{
  end: 'ok' | AtError['reason']
  lines: T | undefined
  value: T | undefined
  failed: AtError | undefined
}> {
  try {
    const value = await asked
    return { end: 'ok', lines: value, value, failed: undefined }
  } catch (error) {
    assert.ok(error instanceof AtError)
    return { end: error.reason, lines: undefined, value: undefined, failed: error }
  }
}
