import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { HttpError } from './errors.ts'
import type { Answering } from './http-server.ts'
import { startHttpServer } from './testing.ts'

const echo: Answering = ({ params }) => ({ status: 200, body: JSON.stringify(params) })

test('a route is found by method and path, with the parts of the path decoded', async (t) => {
  const { url } = await startHttpServer(t, {
    'GET /things': echo,
    'GET /things/:id/of/:name': echo,
    'GET /*': echo,
  })
  for (const [path, params] of [
    ['/things', {}],
    ['/th%69ngs?x=1', {}],
    ['/things/a%2Fb%25/of/%C3%B1', { id: 'a/b%', name: 'ñ' }],
    ['/things/', { '*': 'things/' }],
    ['/THINGS', { '*': 'THINGS' }],
    [`/things/${'x'.repeat(5_000)}/of/y`, { id: 'x'.repeat(5_000), name: 'y' }],
  ] as const) {
    assert.deepEqual(JSON.parse(await (await fetch(url + path)).text()), params, path)
  }
  assert.equal((await fetch(`${url}/things`, { method: 'POST' })).status, 404)
})

test('a path with a broken escape is 400, anywhere in the path', async (t) => {
  const { raw } = await startHttpServer(t, { 'GET /things/:id': echo, 'GET /*': echo })
  for (const path of ['/things/%', '/things/%ff', '/%c0%af']) {
    const answer = await raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    assert.match(answer, /^HTTP\/1\.1 400 .*"code":"malformed"/s, path)
  }
})

test('a route that is served twice is an error at the start', async (t) => {
  const { http } = await startHttpServer(t, { 'GET /things/:id': echo })
  assert.throws(() => http.serve({ method: 'GET', path: '/things/:id' }, echo), /GET.*\/things\/:id/)
})

test('every answer carries the headers of the server, unless it replaces them', async (t) => {
  const headers = { 'X-Frame-Options': 'DENY', 'Cache-Control': 'no-store' }
  const own: Answering = () => ({ status: 200, headers: { 'cache-control': 'no-cache' } })
  const { url, raw } = await startHttpServer(
    t,
    { 'GET /plain': () => ({ status: 204 }), 'GET /own': own },
    { headers },
  )
  for (const [path, status, cache] of [
    ['/plain', 204, 'no-store'],
    ['/own', 200, 'no-cache'],
    ['/nothing', 404, 'no-store'],
  ] as const) {
    const answer = await fetch(url + path)
    assert.deepEqual(
      [answer.status, answer.headers.get('cache-control'), answer.headers.get('x-frame-options')],
      [status, cache, 'DENY'],
    )
  }
  assert.match(await raw('MQTT'), /^HTTP\/1\.1 400 .*^X-Frame-Options: DENY\r$/ms)
})

test('an error is answered without its cause, and counted with its route', async (t) => {
  const answered: unknown[] = []
  const { url } = await startHttpServer(
    t,
    {
      'GET /things/:id': () => {
        throw new Error('the disk is gone')
      },
      'GET /busy': () => {
        throw new HttpError('busy', 'Later.', { retry_after_secs: 3 })
      },
      'GET /*': () => undefined,
    },
    { onAnswered: ({ route }, status) => void answered.push([route?.path, status]) },
  )
  const ask = async (path: string) => {
    const answer = await fetch(url + path)
    return [answer.status, JSON.parse(await answer.text()), answer.headers.get('retry-after')]
  }
  assert.deepEqual(await ask('/things/1'), [
    500,
    { detail: 'Something failed.', code: 'internal', params: {} },
    null,
  ])
  assert.deepEqual(await ask('/busy'), [503, { detail: 'Later.', code: 'busy', params: {} }, '3'])
  assert.deepEqual(await ask('/x'), [
    404,
    { detail: 'Nothing is served here.', code: 'not_found', params: {} },
    null,
  ])
  assert.deepEqual(answered, [
    ['/things/:id', 500],
    ['/busy', 503],
    [undefined, 404],
  ])
})

test('a delayed answer leaves when it may, or is replaced by the error and ends its connection', async (t) => {
  const disk = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const statuses: number[] = []
  const { url, raw } = await startHttpServer(
    t,
    {
      'GET /held'() {
        asked.resolve()
        return { status: 201, body: 'kept', until: disk.promise }
      },
      'GET /other': () => ({ status: 200, body: 'other' }),
      'GET /lost': () => ({
        status: 201,
        body: 'kept',
        until: new Promise((_, reject) => setImmediate(reject, new Error('lost'))),
      }),
    },
    { onAnswered: (_routed, status) => void statuses.push(status) },
  )
  const held = fetch(`${url}/held`)
  await asked.promise
  assert.equal((await fetch(`${url}/other`)).status, 200)
  assert.deepEqual(statuses, [200], 'the held one is not answered')
  disk.resolve()
  assert.deepEqual([(await held).status, await (await held).text()], [201, 'kept'])
  const lost = await raw('GET /lost HTTP/1.1\r\nHost: x\r\n\r\n')
  assert.match(lost, /^HTTP\/1\.1 500 .*\r\nConnection: close\r\n\r\n\{.*"internal","params":\{\}\}$/s)
  assert.equal(lost.match(/HTTP\/1\.1/g)!.length, 1)
  assert.deepEqual(statuses, [200, 201, 500])
})

test('a stream is sent piece by piece as its client reads, and ends with its client', async (t) => {
  let made = 0
  const ended = Promise.withResolvers<void>()
  async function* endless() {
    try {
      for (;;) {
        made++
        yield 'x'.repeat(64 * 1024)
      }
    } finally {
      ended.resolve()
    }
  }
  const { port } = await startHttpServer(t, { 'GET /stream': () => ({ status: 200, body: endless() }) })
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  socket.write('GET /stream HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'readable')
  let before = -1
  while (before !== made) {
    before = made
    await wait(100)
  }
  assert.ok(made < 500, `${made} pieces were made for a client that takes none`)
  socket.destroy()
  await ended.promise
})

test('a stream that fails halfway is cut, and one that fails at once is an error', async (t) => {
  const broken: unknown[] = []
  async function* failing(...pieces: string[]) {
    yield* pieces
    throw new Error('the disk is gone')
  }
  const { url, raw } = await startHttpServer(
    t,
    {
      'GET /half': () => ({ status: 200, body: failing('half') }),
      'GET /none': () => ({ status: 200, body: failing(), headers: { 'content-disposition': 'attachment' } }),
    },
    { onBrokenOff: (error, { route }) => void broken.push([(error as Error).message, route?.path]) },
  )
  assert.match(await raw('GET /half HTTP/1.1\r\nHost: x\r\n\r\n'), /^HTTP\/1\.1 200 .*\r\n4\r\nhalf\r\n$/s)
  assert.deepEqual(broken, [['the disk is gone', '/half']])
  const none = await fetch(`${url}/none`)
  assert.deepEqual([none.status, none.headers.get('content-disposition')], [500, null])
})

test('a server that retires ends each connection with its next answer', async (t) => {
  const { http, raw } = await startHttpServer(t, { 'GET /one': () => ({ status: 200, body: 'first' }) })
  http.retire()
  assert.match(
    await raw('GET /one HTTP/1.1\r\nHost: x\r\n\r\n'),
    /^HTTP\/1\.1 200 .*^Connection: close\r\n/ms,
  )
})

test('stopping finishes requests in progress, refuses new ones, and does not wait for idle connections', async () => {
  const begun = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const { http, url } = await startHttpServer(
    { after() {} },
    {
      'GET /one': () => ({ status: 200, body: 'first' }),
      'GET /slow': async () => {
        begun.resolve()
        await go.promise
        return { status: 200, body: 'slow' }
      },
    },
    { limits: { stop_ms: 600_000, idle_ms: 600_000 } }, // a stop that waits too long makes the test time out
  )
  await (await fetch(`${url}/one`)).text() // its connection stays open
  const answer = fetch(`${url}/slow`)
  await begun.promise
  const stopped = http.stop()
  await assert.rejects(fetch(`${url}/one`))
  go.resolve()
  assert.equal(await (await answer).text(), 'slow')
  await stopped
})
