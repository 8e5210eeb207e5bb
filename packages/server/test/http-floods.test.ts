import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { exportLogs } from '@sdd/contract/insight/log.ts'
import { sendRaw } from '@sdd/http/testing.ts'
import { type ServerChild, startChild } from './child.ts'
import { eventually } from './device.ts'
import { manyEnded } from './message-tables.ts'
import { startNeighbour } from './neighbour.ts'
import { hear, openSockets, pour } from './sockets.ts'

const MIB = 1024 * 1024
const FORM = 'Content-Type: application/x-www-form-urlencoded'

let server: ServerChild
let under: Awaited<ReturnType<typeof startNeighbour>>

before(async () => {
  server = await startChild()
  under = await startNeighbour(server)
  await wait(500) // keeps warm-up memory out of the measurement
})

const refused = (why: string) => server.figure('sdd_http_refused_total', `why="${why}"`)
const bearer = () => `Authorization: Bearer ${server.token}`

test('headers and bodies sent at one byte a second end with 408 after 10 and 30 seconds, and delay no other client', (t) =>
  under(t, async () => {
    const heads = await openSockets(t, server.port, 400)
    const bodies = await openSockets(t, server.port, 400)
    const ends = Promise.all(heads.map(hear))
    for (const socket of heads) socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ')
    for (const socket of bodies)
      socket.write(`POST /api/login HTTP/1.1\r\nHost: x\r\n${FORM}\r\nContent-Length: 9000\r\n\r\nusername=`)
    const dripping = setInterval(() => [...heads, ...bodies].forEach((socket) => socket.write('x')), 1_000)
    const heard = await ends
    clearInterval(dripping)
    assert.equal(
      heard.filter((answer) => /^HTTP\/1\.1 408 .*"too_slow","params":\{\}\}$/s.test(answer)).length,
      400,
    )
    assert.equal(await refused('too_slow'), 400)
    assert.equal(bodies.filter((socket) => socket.destroyed).length, 0, 'a body has 30 seconds')
    const lines = server.output().match(/.*too_slow.*/g)!
    assert.equal(lines.length, 1, 'one line, however many')
    assert.match(lines[0]!, /"level":"info".*"why":"too_slow","address":"127\.0\.0\.1"/)
    assert.ok(!server.output().includes(server.token))
  }))

test('with 3,000 silent connections the oldest are closed, and an active client is answered', (t) =>
  under(t, async () => {
    const sockets = await openSockets(t, server.port, 3_000)
    for (const socket of sockets) socket.resume()
    await eventually(() => sockets.filter((socket) => !socket.closed).length <= 2_048, 20_000)
    assert.ok((await refused('crowded')) >= 3_000 - 2_048)
    const youngest = sockets.at(-1)!
    const answer = hear(youngest)
    youngest.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    assert.match(await answer, /^HTTP\/1\.1 200 /)
  }))

test('thousands of requests in one segment are answered in turn, and a connection that keeps sending is cut', (t) =>
  under(t, async () => {
    const one = 'GET /api/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'
    const greedy = await openSockets(t, server.port, 8)
    for (const socket of greedy) socket.pause().write(one.repeat(3_000))
    await eventually(async () => (await refused('pipelined')) === 8, 20_000)
    const polite = await sendRaw(
      server.port,
      `${'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20)}GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    )
    assert.equal(polite.match(/HTTP\/1\.1 200 /g)!.length, 21)
    assert.match(polite, /"ready".*$/)
  }))

test('a body over its limit is 413, and the rest of it is not stored', (t) =>
  under(t, async () => {
    const [declared] = await openSockets(t, server.port, 1)
    const answer = hear(declared!)
    declared!.write(
      `POST /api/device-send-sms HTTP/1.1\r\nHost: x\r\n${bearer()}\r\nContent-Type: application/json\r\n` +
        `Connection: close\r\nContent-Length: ${256 * MIB}\r\n\r\n`,
    )
    assert.match(await answer, /^HTTP\/1\.1 413 .*"too_large"/s, 'before it is sent')

    const [chunked] = await openSockets(t, server.port, 1)
    const head = 'Host: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n'
    const heard: Buffer[] = []
    chunked!.on('data', (bytes: Buffer) => heard.push(bytes))
    chunked!.write(`POST /api/device-send-sms HTTP/1.1\r\n${bearer()}\r\n${head}\r\n`)
    const piece = `10000\r\n${' '.repeat(65_536)}\r\n`
    assert.ok((await pour(chunked!, piece, 200 * MIB)) >= 200 * MIB, 'it was all sent')
    assert.match(Buffer.concat(heard).toString(), /^HTTP\/1\.1 413 .*"too_large"/s)

    const stranger = `${'username=x&password='.padEnd(17_000, 'x')}`
    const login = await fetch(`${server.url}/api/login`, {
      method: 'POST',
      body: stranger,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    assert.equal(login.status, 413, 'without a session the limit is 16 KiB')
  }))

/** The status and code that answer this body. */
async function json(body: string, headers: Record<string, string> = {}): Promise<string> {
  const answer = await fetch(`${server.url}/api/device-send-sms`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${server.token}`, ...headers },
  })
  const { code } = (await answer.json()) as { code: string }
  return `${answer.status} ${code}`
}

test('bodies that pause just before their end are 503 beyond 32 MiB in total', (t) => {
  const bodies = 256
  const attack = async () => {
    const sockets = await openSockets(t, server.port, bodies)
    const statuses: string[] = []
    for (const socket of sockets)
      socket.on('data', (bytes: Buffer) => statuses.push(/^HTTP\/1\.1 (\d+)/.exec(String(bytes))?.[1] ?? '?'))
    const head = `POST /api/device-send-sms HTTP/1.1\r\nHost: x\r\n${bearer()}\r\nContent-Type: application/json\r\n`
    for (const socket of sockets) {
      socket.write(`${head}Content-Length: ${MIB}\r\n\r\n`)
      socket.write(' '.repeat(MIB - 1))
    }
    await eventually(() => statuses.length >= bodies - 32, 60_000)
    assert.deepEqual(new Set(statuses), new Set(['503']))
    for (const socket of sockets) socket.destroy()
    await eventually(async () => (await json('{')) === '400 malformed')
  }
  // 32 MiB are kept, and the rest is garbage soon. Were all bodies kept, they would be 256 MiB.
  return under(t, attack, 192)
})

test('malicious JSON and forms are refused one by one', (t) =>
  under(t, async () => {
    const deep = '['.repeat(100_000)
    const bodies = [deep + ']'.repeat(100_000), deep, '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)]
    for (let round = 0; round < 8; round++)
      assert.deepEqual(
        new Set(await Promise.all(bodies.map((body) => json(body)))),
        new Set(['400 malformed']),
      )
    assert.equal(await json('{"__proto__":{"device_uid":"x"}}'), '400 malformed')
    assert.equal(await json('{"constructor":{"prototype":{"x":1}}}'), '400 malformed')
    assert.equal(await json('{"device_uid":"a","device_uid":"b"}'), '400 malformed')
    assert.equal(await json('x', { 'content-encoding': 'gzip' }), '415 unsupported_media_type')
    const form = async (body: string) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      return (await fetch(`${server.url}/api/login`, { method: 'POST', body, headers })).status
    }
    assert.equal(await form('__proto__=x&constructor=y&username=a&username=b&password=c'), 422)
    assert.equal(await form('a&'.repeat(2_000)), 400)
  }))

const CLOSE = 'Connection: close\r\n\r\n'
const many = Array.from({ length: 120 }, (_, n) => `x-${n}: 1\r\n`).join('')

/** The bytes sent, and the start of the complete answer. */
const shapes: Record<string, [bytes: string, status: number]> = {
  'a header of 20 KiB': [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n${CLOSE}`, 431],
  '121 headers': [`GET / HTTP/1.1\r\nHost: x\r\n${many}${CLOSE}`, 431],
  'an address of 17,000 characters': [`GET /${'x'.repeat(17_000)} HTTP/1.1\r\nHost: x\r\n${CLOSE}`, 431],
  'a length and chunks': [
    `POST /api/login HTTP/1.1\r\nHost: x\r\n${FORM}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n` +
      '0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
    400,
  ],
  'two lengths': [
    `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 0\r\n\r\nGET /healthz`,
    400,
  ],
  'a blank before a colon': ['POST / HTTP/1.1\r\nHost: x\r\nContent-Length : 5\r\n\r\nhello', 400],
  'bare line feeds': ['GET /healthz HTTP/1.1\nHost: x\n\n', 400],
  'chunks that are coded twice': [
    'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, gzip\r\n\r\n',
    400,
  ],
  'chunks in HTTP/1.0': [
    `POST /api/login HTTP/1.0\r\nHost: x\r\n${FORM}\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n` +
      '0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
    400,
  ],
  'two hosts': [
    'GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
    400,
  ],
  'a folded header': [`GET /healthz HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n${CLOSE}`, 400],
  'a tunnel to elsewhere': ['CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n', 400],
  'a trace': [`TRACE /healthz HTTP/1.1\r\nHost: x\r\n${CLOSE}`, 404],
  'a method of no route, about everything': [`OPTIONS * HTTP/1.1\r\nHost: x\r\n${CLOSE}`, 404],
  'HTTP/1.0 without a host': ['GET /healthz HTTP/1.0\r\n\r\n', 200],
  'an absolute address': [`GET http://elsewhere.example/healthz HTTP/1.1\r\nHost: x\r\n${CLOSE}`, 200],
  'an expectation of anything else': [
    `POST /api/login HTTP/1.1\r\nHost: x\r\nExpect: a miracle\r\n${CLOSE}`,
    417,
  ],
}

for (const [what, [bytes, status]] of Object.entries(shapes)) {
  test(`${what}: ${status}, once`, async () => {
    const answer = await sendRaw(server.port, bytes)
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `))
    assert.equal(answer.match(/HTTP\/1\.1 \d/g)!.length, 1, 'no bytes after it count as a request')
  })
}

test('nothing outside the console build is served, however the path is written', async () => {
  const up = ['../', '..%2f', '%2e%2e/', '%2e%2e%2f', '..%5c', '..\\', '....//', '%252e%252e%252f']
  const paths = up.flatMap((step) => [
    `/${step.repeat(4)}package.json`,
    `/assets/${step.repeat(5)}package.json`,
  ])
  for (const path of [
    ...paths,
    '//etc/passwd',
    '/etc%2fpasswd',
    '/%00',
    '/assets/%00.js',
    '/.env',
    '/assets/',
  ]) {
    const answer = await sendRaw(server.port, `GET ${path} HTTP/1.1\r\nHost: x\r\n${CLOSE}`)
    assert.doesNotMatch(answer, /root:|"sms-drone-dash"|"workspaces"/, path)
    assert.match(answer, /^HTTP\/1\.1 (400|404|200|503) /, path)
  }
})

test('a client that closes its sending half after its requests still gets its answers', async () => {
  const login = `username=nobody&password=wrong`
  const answer = await sendRaw(
    server.port,
    `GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nPOST /api/login HTTP/1.1\r\nHost: x\r\n${FORM}\r\n` +
      `Content-Length: ${login.length}\r\n\r\n${login}`,
    { end: true },
  )
  assert.deepEqual(answer.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 401'])
})

test('a broken request after a good one is answered after it', async () => {
  const login = `username=nobody&password=wrong`
  const answer = await sendRaw(
    server.port,
    `POST /api/login HTTP/1.1\r\nHost: x\r\n${FORM}\r\nContent-Length: ${login.length}\r\n\r\n${login}\x10\x02MQTT\r\n\r\n`,
  )
  assert.deepEqual(answer.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 401', 'HTTP/1.1 400'])
})

test('a body is read only from a client that may send it', async (t) => {
  const head =
    'POST /api/device-send-sms HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n'
  assert.match(
    await sendRaw(server.port, `${head}Content-Length: 2\r\n\r\n`),
    /^HTTP\/1\.1 401 .*Connection: close/s,
  )
  const large = await sendRaw(server.port, `${head}${bearer()}\r\nContent-Length: ${9 * MIB}\r\n\r\n`)
  assert.match(large, /^HTTP\/1\.1 413 /)
  const [socket] = await openSockets(t, server.port, 1)
  const answer = hear(socket!)
  socket!.once('data', () => socket!.write('{}'))
  socket!.write(`${head}${bearer()}\r\nConnection: close\r\nContent-Length: 2\r\n\r\n`)
  assert.match(await answer, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 422 /)
})

/** Writes to the database in small steps, as the server writes too; sending this many would take minutes. */
async function fillLog(count: number): Promise<void> {
  const db = new DatabaseSync(join(server.folder, 'sms-drone-dash.db'))
  db.exec('pragma busy_timeout = 20000')
  const messages = { company_id: 1, message: 'a copy '.repeat(150), at: '2026-01-01T00:00:00.000Z' }
  for (let from = 0; from < count; from += 2_000) {
    db.exec(`begin; ${manyEnded(2_000, { ...messages, guid: `copy-${from}-` })}; commit`)
    await wait(10)
  }
  db.close()
}

test('a long export that its client does not read stays in the database, and a user gets four files at once', async (t) => {
  await fillLog(60_000)
  const ask = `GET ${exportLogs.path} HTTP/1.1\r\nHost: x\r\n${bearer()}\r\n${CLOSE}`
  await under(t, async () => {
    const readers = await openSockets(t, server.port, 4)
    for (const reader of readers) {
      reader.write(ask)
      await once(reader, 'readable') // the file has begun; the client reads nothing
    }
    assert.match(await sendRaw(server.port, ask), /^HTTP\/1\.1 503 .*retry-after: 10.*"busy"/s)
    await wait(1_500)
    const [slow, ...others] = readers
    for (const other of others) other.destroy()
    let bytes = 0
    slow!.on('data', (piece: Buffer) => (bytes += piece.length))
    await once(slow!, 'close')
    assert.ok(bytes > 60_000 * 1_050, `${bytes} bytes: it was all of it`)
  })
})
