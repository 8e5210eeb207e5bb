import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { after, before, test } from 'node:test'
import { routes } from '@sdd/contract/app/api.ts'
import { sendSms } from '@sdd/contract/messages/messages.ts'
import { exportLogs } from '@sdd/contract/insight/log.ts'
import { openLog } from '../packages/server/src/core/log.ts'
import { say } from '../packages/server/test/asking.ts'
import { enter } from '../packages/server/test/seeds.ts'
import { call } from '../packages/server/test/server.ts'
import { hostile, NUMBERS, type Planted, plantHostileTexts } from './hostile-texts.ts'
import { newSettings, PASSWORD, type ServerProcess, startProcess } from './server-process.ts'

/**
 * Texts from every source that would be a header, a log line, a formula or markup if anything failed to escape them.
 */

let folder: string
let server: ServerProcess
let planted: Planted
let token: string

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sdd-hostile-'))
  const settings = await newSettings(folder, { LOG_LEVEL: 'trace', CALLBACK_ADDRESSES: 'any' })
  server = await startProcess(settings)
  token = (await enter(server, 'superadmin', PASSWORD)).token
  planted = await plantHostileTexts(server, settings.DATA_DIR, token)
})
after(async () => {
  await planted.device.stop()
  await server.stop()
  rmSync(folder, { recursive: true })
})

test('a hostile text is answered unchanged, in a body that no browser takes for a page, and never in a header', async () => {
  const seen = new Set<string>()
  for (const route of routes.filter(({ method }) => method === 'GET')) {
    const { uid, person: id, sent, failed, task } = planted
    for (const [guid, asker] of [
      [sent, token],
      [failed, planted.session.token],
      [task, token],
    ] as const) {
      const { headers, body, text, status } = await say(
        server,
        route,
        { params: { uid, id, guid, number: NUMBERS[0]! } },
        asker,
      )
      assert.ok(status < 500, route.path)
      assert.match(headers.get('content-type')!, /^(application\/json|text\/csv); charset=utf-8$/, route.path)
      for (const [name, value] of headers)
        assert.doesNotMatch(`${name}: ${value}`, /x-hit|onerror/i, route.path)
      const answer = `${JSON.stringify(body)}${text}`
      for (const [source, shown] of Object.entries(planted.shown))
        if (answer.includes(shown)) seen.add(source)
      // Complete, with its line break.
      if (answer.includes('title=location'))
        assert.ok(answer.includes(JSON.stringify(hostile('location')).slice(1, -1)))
    }
  }
  assert.deepEqual(
    Object.keys(planted.shown).filter((source) => !seen.has(source)),
    [],
    'not answered by any route',
  )
})

test('a header that a client splits in two or fills with control characters is refused before it is parsed', async () => {
  for (const name of ['user-agent', 'authorization', 'x-forwarded-for', 'origin']) {
    await assert.rejects(async () => {
      const response = await fetch(server.url, { headers: { [name]: 'x\r\nX-Hit: 1' } })
      assert.fail(`${response.status}`)
    }, TypeError)
  }
  for (const path of [
    '/%0d%0aX-Hit:%201',
    '/api/device/%0d%0aX-Hit:%201/networks',
    '/api/logs/devices?search=%0d%0aX-Hit:1',
  ]) {
    const { headers } = await fetch(server.url + path, { headers: { authorization: `Bearer ${token}` } })
    assert.equal(headers.get('x-hit'), null, path)
  }
})

test('whatever a text contains, a log line is one object, and no text begins a new one', async () => {
  await fetch(`${server.url}/api/login`, {
    method: 'POST',
    body: new URLSearchParams({ username: 'x\r\n{"level":"fatal","msg":"forged"}', password: '\r\nforged' }),
  })
  await planted.device.publish('reports', { guid: '\n{"level":"fatal","msg":"forged"}', state: '\nforged' })
  const lines = server.output().trimEnd().split('\n')
  assert.ok(lines.length > 30)
  for (const line of lines) {
    const { level, msg } = JSON.parse(line) as { level: string; msg: string }
    assert.notEqual(level, 'fatal')
    assert.doesNotMatch(msg, /forged|onerror/)
  }
  assert.doesNotMatch(server.output(), /onerror/, "the log has no outsider's text")
})

test('on a terminal a text neither begins a line nor moves the cursor', () => {
  const out = Object.assign(new PassThrough(), { isTTY: true })
  const log = openLog('trace', out)
  log.warn(
    { uid: 'x\r\nforged line', reason: '\u001b[2Jforged\u001b]0;title\u0007' },
    'Dropped a payload of a device',
  )
  const written = String(out.read() ?? '')
  assert.match(written, /Dropped a payload/)
  for (const raw of ['\nforged', '\u001b[2J', '\u001b]0;'])
    assert.ok(!written.includes(raw), JSON.stringify(raw))
})

test('no cell of the CSV file is a formula, whichever column an outsider fills and whatever separates the cells', async () => {
  const formulas = [
    '=1+1',
    '+1+1',
    '-1+1',
    '@SUM(1)',
    '\t=1',
    '\r=1',
    '\n=1',
    'x;=1+1',
    'x\t=1+1',
    'x\r\n=1+1',
    '＝1+1',
  ]
  const { uid, device } = planted
  for (const [n, formula] of formulas.entries()) {
    const body = { device_uid: uid, telefono_to: `+3461100${1_000 + n}`, mensaje_sms: formula }
    const { guid } = (await call(server, sendSms, { token, body })).body
    await device.until(7 + n)
    await device.report({ guid, state: 'sent' })
    const at = new Date().toISOString()
    await device.publish('inbox', { id: `reply ${n}`, from: body.telefono_to, text: formula, at })
    await device.report({ guid, state: 'undelivered', code: formula, detail: formula })
  }
  const { text } = await say(server, exportLogs, {}, token)
  const csv = text.slice(text.indexOf('\uFEFF') + 1)
  assert.ok(csv.split('1+1').length > 20)
  // Splits cells as RFC 4180 does, and like programs that split at semicolons or tabs and ignore quotes within a cell.
  for (const parts of [/"((?:[^"]|"")*)"|([^",\r\n]+)/g, /([^;\r\n]+)/g, /([^\t\r\n]+)/g]) {
    const cells = Array.from(csv.matchAll(parts), ([, quoted, plain]) => quoted ?? plain ?? '')
    const formula = cells.filter((cell) => /^"?[=+\-@＝]/.test(cell) && !/^\+\d+$/.test(cell))
    assert.deepEqual(formula, [])
  }
})
