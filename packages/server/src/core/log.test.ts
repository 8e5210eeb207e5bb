import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { openLog } from './log.ts'

test('each entry is one JSON object on one line, with its time and its level in words', () => {
  const { log, lines } = captured('info')
  log.info({ uid: 'dron-1' }, 'Linked\na device')
  log.debug('not at this level')
  assert.equal(lines().length, 1)
  const { time, ...rest } = JSON.parse(lines()[0]!)
  assert.deepEqual(rest, { level: 'info', uid: 'dron-1', msg: 'Linked\na device' })
  assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test('an error is logged with its stack', () => {
  const { log, lines } = captured('info')
  log.error({ err: new RangeError('too far') }, 'Failed')
  const { err } = JSON.parse(lines()[0]!)
  assert.deepEqual([err.type, err.message], ['RangeError', 'too far'])
  assert.match(err.stack, /log\.test\.ts/)
})

test('secrets are not written, at the top or one level down', () => {
  const { log, lines } = captured('info')
  log.info({
    password: 'p-1',
    token: 'p-2',
    headers: { authorization: 'p-3' },
    device: { uid: 'd', secret: 'p-4' },
  })
  log.child({ access_token: 'p-5' }).info('child')
  const text = lines().join('\n')
  assert.doesNotMatch(text, /p-\d/)
  assert.match(text, /"uid":"d"/)
})

test('silent writes nothing', () => {
  const { log, lines } = captured('silent')
  log.fatal('the end')
  assert.deepEqual(lines(), [])
})

test('on a terminal the lines are formatted for people', async () => {
  const out = Object.assign(new PassThrough(), { isTTY: true })
  openLog('info', out).info('The console is at http://127.0.0.1:8080')
  const [line] = (await once(out)).split('\n')
  assert.match(line!, /INFO.*The console is at http:\/\/127\.0\.0\.1:8080/)
  assert.throws(() => JSON.parse(line!))
})

test('on a terminal an entry shows its fields and its stack below, and cannot move the cursor', async () => {
  const out = Object.assign(new PassThrough(), { isTTY: true })
  const log = openLog('info', out)
  log.warn({ uid: 'dron-1', secret: 's-1', err: new RangeError('too far') }, 'Red \u001b[31m, bell \u0007')
  const text = await once(out)
  assert.match(text, /WARN.*Red \ufffd\[31m, bell \ufffd\n {4}uid: "dron-1"\n {4}secret: "\[secret\]"\n/)
  assert.match(text, /\n {4}RangeError: too far\n {4,}at .*log\.test\.ts/)
})

function captured(level: Parameters<typeof openLog>[0]) {
  const out = new PassThrough()
  let text = ''
  out.on('data', (bytes) => (text += String(bytes)))
  return { log: openLog(level, out), lines: () => text.split('\n').filter(Boolean) }
}

function once(out: PassThrough): Promise<string> {
  return new Promise((resolve) => out.once('data', (bytes) => resolve(String(bytes))))
}
