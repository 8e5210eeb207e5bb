import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { setTimeout as wait } from 'node:timers/promises'
import type { Answer } from './answer.ts'
import type { Limits } from './limits.ts'
import type { TlsSource } from './node-server.ts'
import { startHttpServer } from './testing.ts'

/** Far more than the system buffers for a client that does not read. */
const LARGE_BYTES = 64 << 20

async function* forever() {
  for (;;) yield 'x'.repeat(64 * 1024)
}

async function start(t: TestContext, limits: Partial<Limits>, more: { tls?: TlsSource } = {}) {
  const waiting: (() => void)[] = []
  const server = await startHttpServer(
    t,
    ({ readBody }) => ({
      'GET /slow': () => new Promise<Answer>((resolve) => waiting.push(() => resolve({ status: 200 }))),
      'POST /note': async ({ response }) => {
        await readBody(response, { type: 'application/json', max_bytes: 1_000 })
        return { status: 200 }
      },
      'GET /large': () => ({ status: 200, body: 'x'.repeat(LARGE_BYTES) }),
      'GET /endless': () => ({ status: 200, body: forever() }),
      'GET /one': () => ({ status: 200, body: 'first' }),
      'GET /two': () => ({ status: 200, body: 'second' }),
    }),
    { limits, ...more },
  )
  async function open(bytes = ''): Promise<Socket> {
    const socket = connect(server.port, '127.0.0.1')
    t.after(() => socket.destroy())
    socket.on('error', () => {})
    await once(socket, 'connect')
    if (bytes !== '') socket.write(bytes)
    return socket
  }
  return {
    ...server,
    open,
    /** A connection whose request is in progress. */
    async openBusy(behind = ''): Promise<Socket> {
      const socket = await open(ask('/slow') + behind)
      while (waiting.length === 0) await wait(5)
      return socket
    },
    /** Lets the slow request be answered. */
    async release(): Promise<void> {
      while (waiting.length === 0) await wait(5)
      for (const answer of waiting.splice(0)) answer()
    },
  }
}

const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

test('at the limit, the connection that has waited longest for its client is closed', async (t) => {
  for (const limits of [{ connections: 3 }, { connections_per_address: 3 }]) {
    const { open, openBusy, release, faulty } = await start(t, limits)
    const busy = await openBusy()
    const used = await open()
    const half = await open(
      'POST /note HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{',
    )
    used.write(ask('/one'))
    await once(used, 'data')
    const first = await open()
    if (!half.closed) await once(half.resume(), 'close')
    assert.deepEqual([busy.closed, used.closed], [false, false], 'one is worked for, one was just used')
    await open()
    if (!used.closed) await once(used.resume(), 'close')
    assert.deepEqual([busy.closed, first.closed], [false, false])
    await release()
    assert.match(String((await once(busy, 'data'))[0]), /^HTTP\/1\.1 200 /)
    assert.equal(faulty('crowded'), 2)
  }
})

test('while every connection has a request in progress, new connections are refused', async (t) => {
  const { open, openBusy, release, faulty } = await start(t, { connections: 1 })
  const busy = await openBusy()
  const second = await open()
  if (!second.closed) await once(second.resume(), 'close')
  assert.equal(busy.closed, false)
  assert.equal(faulty('crowded'), 1)
  await release()
})

test('an answer that the client does not read is cut, but not one that the server is slow to make', async (t) => {
  const { open, openBusy, release, faulty } = await start(t, { unread_ms: 300 })
  const patient = await openBusy()
  const deaf = await open()
  deaf.pause()
  deaf.write(ask('/endless'))
  const until = Date.now() + 10_000
  while (faulty('unread') === 0 && Date.now() < until) await wait(50)
  assert.equal(faulty('unread'), 1)
  await release()
  assert.match(String((await once(patient, 'data'))[0]), /^HTTP\/1\.1 200 /)
})

test('an answer sent in one piece is not cut while its client reads it, however slowly', async (t) => {
  const { open, faulty } = await start(t, { unread_ms: 300, check_ms: 50 })
  const slow = await open(ask('/large'))
  let heard = 0
  const began = performance.now()
  slow.on('data', (bytes: Buffer) => {
    heard += bytes.length
    slow.pause()
    setTimeout(() => slow.resume(), 1)
  })
  while (heard < LARGE_BYTES && !slow.closed) await wait(50)
  assert.ok(heard > LARGE_BYTES, `${heard} bytes`)
  assert.ok(
    performance.now() - began > 900,
    'it took several times as long as a client that does not read is given',
  )
  assert.equal(faulty('unread'), 0)
})

test('a connection is kept for the announced time, and longer if a request has begun to arrive', async (t) => {
  const { open } = await start(t, { idle_ms: 1_200, check_ms: 50 })
  const silent = await open()
  const late = await open(ask('/one'))
  await once(late, 'data')
  const began = performance.now()
  const idle = await open(ask('/one')) // used last: when it is closed, the others must be too
  const [answer] = await once(idle, 'data')
  assert.match(String(answer), /^Connection: keep-alive\r\n/m)
  assert.match(String(answer), /^keep-alive: timeout=1\r\n/im)
  await wait(600)
  late.write('GET /one HTTP/1.1\r\n')
  if (!idle.closed) await once(idle.resume(), 'close')
  const kept_ms = performance.now() - began
  assert.ok(kept_ms > 1_100, `${kept_ms} ms`)
  late.write('Host: x\r\n\r\n')
  assert.match(String((await once(late, 'data'))[0]), /^HTTP\/1\.1 200 /)
  if (!silent.closed) await once(silent.resume(), 'close')
})

test('the last answer of a connection announces no keep-alive time', async (t) => {
  const { raw } = await start(t, {})
  const answer = await raw('GET /one HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  assert.match(answer, /^HTTP\/1\.1 200 .*^Connection: close\r\n/ms)
  assert.doesNotMatch(answer, /^keep-alive:/im)
})

test('pipelined requests are handled one after the other', async (t) => {
  const { open, openBusy, raw, release, faulty } = await start(t, { waiting_requests: 3 })
  const together = await openBusy(ask('/one') + ask('/two'))
  let heard = ''
  together.on('data', (bytes) => (heard += String(bytes)))
  await raw('GET /one HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  assert.equal(heard, '', 'a later request on another connection was answered first')
  await release()
  while (!heard.includes('second')) await once(together, 'data')
  assert.deepEqual(heard.match(/first|second/g), ['first', 'second'])
  const greedy = await open(ask('/slow') + ask('/one').repeat(4))
  if (!greedy.closed) await once(greedy.resume(), 'close')
  assert.equal(faulty('pipelined'), 1)
})

test('over TLS a connection counts before its handshake, and its requests are answered in turn', async (t) => {
  const { open, openSecure, faulty } = await startSecure(t, { connections: 2 })
  const silent = await open()
  await open()
  const secure = openSecure()
  if (!silent.closed) await once(silent.resume(), 'close')
  assert.equal(faulty('crowded'), 1)
  let heard = ''
  secure.on('data', (bytes) => (heard += String(bytes)))
  secure.write(ask('/one') + ask('/two'))
  while (!heard.includes('second')) await once(secure, 'data')
  assert.deepEqual(heard.match(/first|second/g), ['first', 'second'])
})

test('over TLS the same keep-alive time applies, and an unread answer is cut as well', async (t) => {
  const { openSecure, faulty } = await startSecure(t, { idle_ms: 1_200, unread_ms: 300, check_ms: 50 })
  const [late, idle, deaf] = [openSecure(), openSecure(), openSecure()]
  for (const socket of [late, idle]) {
    socket.write(ask('/one'))
    await once(socket, 'data')
  }
  deaf.pause()
  deaf.write(ask('/endless'))
  await wait(600)
  late.write('GET /one HTTP/1.1\r\n')
  if (!idle.closed) await once(idle.resume(), 'close')
  late.write('Host: x\r\n\r\n')
  assert.match(String((await once(late, 'data'))[0]), /^HTTP\/1\.1 200 /)
  assert.equal(faulty('unread'), 1)
})

async function startSecure(t: TestContext, limits: Partial<Limits>) {
  const read = (name: string) => readFileSync(join(import.meta.dirname, '../test/fixtures', name))
  const [cert, key] = [read('localhost-cert.pem'), read('localhost-key.pem')]
  const server = await start(t, limits, { tls: { options: () => ({ cert, key }), onRenewed() {} } })
  return {
    ...server,
    openSecure() {
      const to = { port: server.port, host: '127.0.0.1', ca: cert, servername: 'localhost' }
      const secure = connectTls(to)
      t.after(() => secure.destroy())
      return secure.on('error', () => {})
    },
  }
}
