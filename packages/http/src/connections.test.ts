import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { setTimeout as wait } from 'node:timers/promises'
import { CsvFile, route } from '@sdd/contract/core/route.ts'
import * as z from 'zod/mini'
import { readConfig } from '#server/core/config.ts'
import { openTls, type Tls } from '#server/core/certificate.ts'
import { systemClock } from '#server/core/clock.ts'
import { openLog } from '#server/core/log.ts'
import { openMetrics } from '#server/core/metrics.ts'
import type { Limits } from './limits.ts'
import { startHttp } from './testing.ts'

const slow = route('GET /api/slow', { summary: 'Takes its time.', may: 'anyone', reply: z.object({}) })
const note = route('POST /api/note', {
  summary: 'Takes a note.',
  may: 'anyone',
  body: z.object({}),
  reply: z.object({}),
})
const large = route('GET /api/large', {
  summary: 'Says much at once.',
  may: 'anyone',
  reply: z.object({ text: z.string() }),
})
const endless = route('GET /api/endless.csv', { summary: 'Never ends.', may: 'anyone', reply: CsvFile })

/** Far more than the system takes at once from one who does not read. */
const LARGE_BYTES = 64 << 20

async function* forever() {
  for (;;) yield 'x'.repeat(64 * 1024)
}

async function start(t: TestContext, limits: Partial<Limits>, more: { tls?: Tls } = {}) {
  const metrics = openMetrics()
  const waiting: (() => void)[] = []
  const server = await startHttp(
    t,
    (serve) => {
      serve(slow, () => new Promise((resolve) => waiting.push(() => resolve({}))))
      serve(note, () => ({}))
      serve(large, () => ({ text: 'x'.repeat(LARGE_BYTES) }))
      serve(endless, () => ({ filename: 'endless.csv', pieces: forever() }))
    },
    { limits, metrics, ...more },
  )
  async function open(bytes = ''): Promise<Socket> {
    const socket = connect(server.http.port(), '127.0.0.1')
    t.after(() => socket.destroy())
    socket.on('error', () => {})
    await once(socket, 'connect')
    if (bytes !== '') socket.write(bytes)
    return socket
  }
  return {
    ...server,
    open,
    /** One whose request is being worked on. */
    async openBusy(): Promise<Socket> {
      const socket = await open(ask('/api/slow'))
      while (waiting.length === 0) await wait(5)
      return socket
    },
    /** Lets the request that takes its time be answered. */
    async release(): Promise<void> {
      while (waiting.length === 0) await wait(5)
      for (const answer of waiting.splice(0)) answer()
    },
    refused: async (why: string) =>
      Number(new RegExp(`sdd_http_refused_total{why="${why}"} (\\d+)`).exec(await metrics.text())?.[1] ?? 0),
  }
}

const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

test('where there are too many, the one that has waited longest for its client gives way', async (t) => {
  for (const limits of [{ connections: 3 }, { connections_per_address: 3 }]) {
    const { open, openBusy, release, refused, logged } = await start(t, limits)
    const busy = await openBusy()
    const used = await open()
    const half = await open(
      'POST /api/note HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{',
    )
    used.write(ask('/healthz'))
    await once(used, 'data')
    const first = await open()
    if (!half.closed) await once(half.resume(), 'close')
    assert.deepEqual([busy.closed, used.closed], [false, false], 'one is worked for, one was just of use')
    await open()
    if (!used.closed) await once(used.resume(), 'close')
    assert.deepEqual([busy.closed, first.closed], [false, false])
    await release()
    assert.match(String((await once(busy, 'data'))[0]), /^HTTP\/1\.1 200 /)
    assert.equal(await refused('crowded'), 2)
    assert.match(logged(), /"level":"info".*"why":"crowded","address":"127\.0\.0\.1"/)
  }
})

test('where all are worked for, newcomers are turned away', async (t) => {
  const { open, openBusy, release, refused } = await start(t, { connections: 1 })
  const busy = await openBusy()
  const second = await open()
  if (!second.closed) await once(second.resume(), 'close')
  assert.equal(busy.closed, false)
  assert.equal(await refused('crowded'), 1)
  await release()
})

test('an answer that nobody reads is cut, one that takes the server long is not', async (t) => {
  const { open, openBusy, release, refused } = await start(t, { unread_ms: 300 })
  const patient = await openBusy()
  const deaf = await open()
  deaf.pause()
  deaf.write(ask('/api/endless.csv'))
  const until = Date.now() + 10_000
  while ((await refused('unread')) === 0 && Date.now() < until) await wait(50)
  assert.equal(await refused('unread'), 1)
  await wait(400)
  await release()
  assert.match(String((await once(patient, 'data'))[0]), /^HTTP\/1\.1 200 /)
})

test('an answer that leaves in one piece is not cut while somebody reads it, however slowly', async (t) => {
  const { open, refused } = await start(t, { unread_ms: 300, check_ms: 50 })
  const slow = await open(ask('/api/large'))
  let heard = 0
  const began = performance.now()
  slow.on('data', (bytes: Buffer) => {
    heard += bytes.length
    slow.pause()
    setTimeout(() => slow.resume(), 1)
  })
  while (heard < LARGE_BYTES && !slow.closed) await wait(50)
  assert.ok(heard > LARGE_BYTES, `${heard} bytes`)
  assert.ok(performance.now() - began > 900, 'it took several times what is borne of one who does not read')
  assert.equal(await refused('unread'), 0)
})

test('a connection is kept as long as its answers say, and longer where a request has begun to come', async (t) => {
  const { open } = await start(t, { idle_ms: 1_200, check_ms: 50 })
  const [idle, late, silent] = [await open(ask('/healthz')), await open(ask('/healthz')), await open()]
  const [answer] = await once(idle, 'data')
  assert.match(String(answer), /^Connection: keep-alive\r\n/m)
  assert.match(String(answer), /^keep-alive: timeout=1\r\n/im)
  const began = performance.now()
  await wait(600)
  late.write('GET /healthz HTTP/1.1\r\n')
  if (!idle.closed) await once(idle.resume(), 'close')
  const kept_ms = performance.now() - began
  assert.ok(kept_ms > 1_100, `${kept_ms} ms`)
  await wait(200)
  late.removeAllListeners('data').write('Host: x\r\n\r\n')
  assert.match(String((await once(late, 'data'))[0]), /^HTTP\/1\.1 200 /)
  if (!silent.closed) await once(silent.resume(), 'close')
})

test('the last answer of a connection does not say how long it is kept', async (t) => {
  const { raw } = await start(t, {})
  const answer = await raw('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  assert.match(answer, /^HTTP\/1\.1 200 .*^Connection: close\r\n/ms)
  assert.doesNotMatch(answer, /^keep-alive:/im)
})

test('requests that are sent together are worked on one after the other', async (t) => {
  const { open, release, refused } = await start(t, { waiting_requests: 3 })
  const together = await open(ask('/api/slow') + ask('/healthz') + ask('/readyz'))
  let heard = ''
  together.on('data', (bytes) => (heard += String(bytes)))
  await wait(100)
  assert.equal(heard, '')
  await release()
  while (!heard.includes('ready')) await once(together, 'data')
  assert.deepEqual(heard.match(/"status":"\w+"/g), ['"status":"ok"', '"status":"ready"'])
  const greedy = await open(ask('/api/slow') + ask('/healthz').repeat(4))
  if (!greedy.closed) await once(greedy.resume(), 'close')
  assert.equal(await refused('pipelined'), 1)
})

test('over TLS a connection counts before its handshake, and its requests are answered in turn', async (t) => {
  const { open, openSecure, refused } = await startSecure(t, { connections: 2 })
  const silent = await open()
  await open()
  const secure = openSecure()
  if (!silent.closed) await once(silent.resume(), 'close')
  assert.equal(await refused('crowded'), 1)
  let heard = ''
  secure.on('data', (bytes) => (heard += String(bytes)))
  secure.write(ask('/healthz') + ask('/readyz'))
  while (!heard.includes('ready')) await once(secure, 'data')
  assert.deepEqual(heard.match(/"status":"\w+"/g), ['"status":"ok"', '"status":"ready"'])
})

test('over TLS a connection is kept as long, and an answer that nobody reads is cut as well', async (t) => {
  const { openSecure, refused } = await startSecure(t, { idle_ms: 1_200, unread_ms: 300, check_ms: 50 })
  const [idle, late, deaf] = [openSecure(), openSecure(), openSecure()]
  for (const socket of [idle, late]) {
    socket.write(ask('/healthz'))
    await once(socket, 'data')
  }
  deaf.pause()
  deaf.write(ask('/api/endless.csv'))
  await wait(600)
  late.write('GET /healthz HTTP/1.1\r\n')
  if (!idle.closed) await once(idle.resume(), 'close')
  await wait(200)
  late.write('Host: x\r\n\r\n')
  assert.match(String((await once(late, 'data'))[0]), /^HTTP\/1\.1 200 /)
  assert.equal(await refused('unread'), 1)
})

async function startSecure(t: TestContext, limits: Partial<Limits>) {
  const { TLS } = readConfig(
    { TLS_CERT_FILE: 'localhost-cert.pem', TLS_KEY_FILE: 'localhost-key.pem' },
    join(import.meta.dirname, '../../../test/fixtures'),
  )
  const tls = openTls({ certificate: TLS!, clock: systemClock('UTC'), log: openLog('silent') })
  t.after(() => tls.stop())
  const server = await start(t, limits, { tls })
  return {
    ...server,
    openSecure() {
      const port = server.http.port()
      const secure = connectTls({ port, host: '127.0.0.1', ca: TLS!.cert, servername: 'localhost' })
      t.after(() => secure.destroy())
      return secure.on('error', () => {})
    },
  }
}
