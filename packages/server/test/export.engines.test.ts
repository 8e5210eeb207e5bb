import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sendSms } from '@sdd/contract/messages/messages.ts'
import { exportLogs, listLogs } from '@sdd/contract/insight/log.ts'
import { connectDevice, linkTestDevice, type TestDevice } from './device.ts'
import { withTables } from './engine.ts'
import { manyEnded } from './message-tables.ts'
import { enter, newUser } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

const TITLES =
  'ID,GUID,Device ID,Device GUID,Mensaje,Destino,Queue Time,Handed Time,Answer Sent Time,Answer Sent,' +
  'Answer 2 Time,Answer 2,Notes,Answer 3,Answer 3 Time,Error,Error Msg,Error Time,State,Queued By'

let server: TestServer
let superadmin: string
let token: string
let admin: Awaited<ReturnType<typeof newUser>>
let drone: TestDevice

before(async () => {
  server = await startServer()
  superadmin = (await enter(server, ADMIN.username, ADMIN.password)).token
  admin = await newUser(server, superadmin, { role: 'admin', companyId: 2 })
  token = admin.token
  drone = await connectDevice(await linkTestDevice(server, token, 'drone'))
})
after(() => server.stop())

async function send(telefono_to: string, mensaje_sms: string, device = drone, as = token): Promise<string> {
  const body = { device_uid: device.uid, telefono_to, mensaje_sms }
  const answer = await call(server, sendSms, { token: as, body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  await device.until(device.commands.length + 1)
  return answer.body.guid
}

async function download(query: Record<string, string> = {}, as = token) {
  const url = new URL(`${exportLogs.path}?${new URLSearchParams(query).toString()}`, server.url)
  const answer = await fetch(url, { headers: { authorization: `Bearer ${as}` } })
  return { answer, bytes: Buffer.from(await answer.arrayBuffer()) }
}

/** Each line as cells by title. It parses RFC 4180 independently of the server. */
async function rowsOf(query: Record<string, string> = {}, as = token): Promise<Record<string, string>[]> {
  return read((await download(query, as)).bytes)
}

function read(bytes: Buffer): Record<string, string>[] {
  const lines: string[][] = [[]]
  const cells = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy
  for (const [, quoted, plain, end] of bytes
    .toString()
    .replace(/^\uFEFF/, '')
    .matchAll(cells)) {
    lines.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain!)
    if (end === '\r\n') lines.push([])
  }
  const [titles, ...rows] = lines.slice(0, -1)
  return rows.map((row) => Object.fromEntries(titles!.map((title, place) => [title, row[place]!])))
}

test('the log export is a CSV file with its columns and the state, a byte order mark and today’s date in its name', async () => {
  const guid = await send('+34600111222', 'Hola, "señor"\nadiós')
  await drone.report({ guid, state: 'accepted', at: '2026-01-01T00:00:00.000Z' })
  await drone.report({ guid, state: 'sent', at: '2026-01-01T00:00:01.000Z' })
  const { answer, bytes } = await download({ search: guid })
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8')
  const today = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Madrid' }).format()
  assert.equal(
    answer.headers.get('content-disposition'),
    `attachment; filename="transaction-logs-${today}.csv"`,
  )
  assert.deepEqual([...bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf])
  const text = bytes.subarray(3).toString()
  const { body } = await call(server, listLogs, { token, query: { search: guid } })
  const entry = body.logs[0]!
  assert.equal(
    text,
    `${TITLES}\r\n` +
      `${entry.id},${guid},${entry.device_id},drone,"Hola, ""señor""\nadiós",+34600111222,${entry.queue_timestamp},` +
      `2026-01-01T00:00:00.000Z,2026-01-01T00:00:01.000Z,sent,,,${entry.notes},,,,,,sent,${admin.name}\r\n`,
  )
})

test('nothing in the file is a formula to a spreadsheet, and phone numbers stay unchanged', async () => {
  const guid = await send('+34600333444', '=HYPERLINK("http://evil")')
  await drone.report({ guid, state: 'failed', code: '@SUM(1)', detail: '-1+1' })
  await drone.publish('inbox', {
    id: 'reply',
    from: '+34600333444',
    text: 'never',
    at: '2026-01-01T00:00:00Z',
  })
  const [row] = await rowsOf({ search: guid })
  assert.equal(row?.Mensaje, `'=HYPERLINK("http://evil")`)
  assert.equal(row?.Destino, '+34600333444')
  assert.equal(row?.Error, `'@SUM(1)`)
  assert.equal(row?.['Error Msg'], `'-1+1`)
  const plus = await send('600333444', '+34600333444')
  assert.equal((await rowsOf({ search: plus }))[0]?.Mensaje, `'+34600333444`)
})

test('the export accepts the filters of the list', async () => {
  const other = await connectDevice(await linkTestDevice(server, token, 'other'))
  const guids = [
    await send('+34611000001', 'filter one', other),
    await send('+34611000002', 'filter two', other),
  ]
  await other.report({ guid: guids[0]!, state: 'failed', code: 'barred' })
  const queries: Record<string, string>[] = [
    { device_uid: 'other' },
    { search: 'FILTER TWO' },
    { search: '611 000 001' },
    { state: 'failed' },
    { errors: 'true' },
    { from: '2026-01-01T00:00:00Z', to: '2999-01-01T00:00:00+02:00' },
    { from: '2999-01-01T00:00:00Z' },
    { device_uid: 'other', state: 'queued', search: 'filter' },
  ]
  for (const query of queries) {
    const { body } = await call(server, listLogs, { token, query })
    const exported = await rowsOf(query)
    assert.deepEqual(
      exported.map((row) => [row.GUID, row.State, row.Error]),
      body.logs.map((entry) => [entry.guid, entry.state, (entry.error ?? '').replace(/^@/, "'@")]),
      JSON.stringify(query),
    )
  }
  assert.deepEqual(
    (await rowsOf({ device_uid: 'other' })).map((row) => row.GUID),
    guids.toReversed(),
  )
  const { answer, bytes } = await download({ state: 'nonsense' })
  assert.equal(answer.status, 422)
  assert.deepEqual(Object.keys((JSON.parse(bytes.toString()) as { fields: object }).fields), ['state'])
})

test('the file holds only the company’s messages, and all messages for a superadmin', async () => {
  const foreign = await newUser(server, superadmin, { role: 'user', companyId: 3 })
  assert.deepEqual(await rowsOf({}, foreign.token), [])
  const admin = await newUser(server, superadmin, { role: 'admin', companyId: 3 })
  const theirs = await connectDevice(await linkTestDevice(server, admin.token, 'theirs'))
  const guid = await send('+34600111222', 'hola', theirs, foreign.token)
  assert.deepEqual(
    (await rowsOf({}, foreign.token)).map((row) => row.GUID),
    [guid],
  )
  const all = new Set((await rowsOf({}, superadmin)).map((row) => row['Device GUID']))
  assert.deepEqual(all, new Set(['drone', 'other', 'theirs']))
  assert.ok((await rowsOf()).every((row) => row['Device GUID'] !== 'theirs'))
})

test('a long log is exported completely, each message once, while the server answers other requests', async () => {
  const count = 25_000
  await copyMessages(count)
  let ended = false
  const exporting = download({ search: 'a copy' }).finally(() => (ended = true))
  let answered = 0
  for (; !ended; answered++) await fetch(new URL('/healthz', server.url))
  const rows = read((await exporting).bytes)
  assert.equal(rows.length, count)
  const ids = rows.map((row) => Number(row.ID))
  assert.ok(
    ids.every((id, place) => place === 0 || id < ids[place - 1]!),
    'newest first, each once',
  )
  assert.ok(answered >= 5, `${answered} other requests were answered meanwhile`)
  const search = 'hola, "señor"'
  for (const query of [{ search }, { search, cursor: String(Number.MAX_SAFE_INTEGER) }] as Record<
    string,
    string
  >[]) {
    const { body } = await call(server, listLogs, { token, query })
    assert.equal(body.logs.length, 1, 'the list finds old messages')
  }
})

/** Adds this many older messages of company 2 directly to the database. */
function copyMessages(count: number): Promise<void> {
  const messages = { company_id: 2, guid: 'copy-', message: 'a copy', at: '2026-01-01T00:00:00.000Z' }
  return withTables(server, ({ run }) => run(manyEnded(count, messages)))
}
