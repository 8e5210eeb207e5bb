import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startHttpServer } from './testing.ts'

const FORM = 'Content-Type: application/x-www-form-urlencoded'

const start = (t: TestContext) =>
  startHttpServer(t, ({ readBody }) => ({
    'GET /one': () => ({ status: 200, body: 'first' }),
    'POST /form': async ({ response }) => {
      await readBody(response, { type: 'application/x-www-form-urlencoded', max_bytes: 1_000 })
      return assert.fail('a broken request was served')
    },
  }))

test('bytes that are not HTTP are answered in JSON, and the connection ends', async (t) => {
  const { raw } = await start(t)
  const requests = [
    '\x10\x1a\x00\x04MQTT\x04\x02',
    'GET / HTTP/9.9\r\n\r\n',
    'GET /one HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    `POST /form HTTP/1.1\r\nHost: x\r\n${FORM}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
  ]
  for (const request of requests)
    assert.match(await raw(request), /^HTTP\/1\.1 400 .*"code":"malformed","params":\{\}\}$/s)
  assert.match(await raw('GET / HTTP/1.1\r\n\r\n'), /^HTTP\/1\.1 400 /)
})

test('a request that breaks after its answer is cut, without a second answer', async (t) => {
  const { raw } = await start(t)
  const answer = await raw('POST /nothing HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n')
  assert.equal(answer.match(/HTTP\/1\.1 \d+/g)?.join(), 'HTTP/1.1 404')
})

test('TRACE is not served and repeats no part of its request', async (t) => {
  const { raw } = await start(t)
  for (const path of ['/', '/one', '/form']) {
    const answer = await raw(
      `TRACE ${path} HTTP/1.1\r\nHost: x\r\nX-Secret: echo\r\nConnection: close\r\n\r\n`,
    )
    assert.match(answer, /^HTTP\/1\.1 404 .*"code":"not_found"/s, path)
    assert.doesNotMatch(answer, /echo/, path)
  }
})

test('headers of more than 16 KiB are 431', async (t) => {
  const { raw } = await start(t)
  const head = (size: number) =>
    `GET /one HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Long: ${'x'.repeat(size)}\r\n\r\n`
  assert.match(await raw(head(15 * 1024)), /^HTTP\/1\.1 200 /)
  assert.match(await raw(head(17 * 1024)), /^HTTP\/1\.1 431 .*"code":"headers_too_large","params":\{\}\}$/s)
})

test('headers, and bodies, that do not arrive in time are 408', async (t) => {
  const { http, raw } = await start(t)
  assert.deepEqual([http.server.headersTimeout, http.server.requestTimeout], [10_000, 30_000])
  http.server.headersTimeout = 100
  http.server.requestTimeout = 200
  const slowHead = raw('GET /one HTTP/1.1\r\nHost: x\r\n')
  const slowBody = raw(`POST /form HTTP/1.1\r\nHost: x\r\n${FORM}\r\nContent-Length: 9\r\n\r\nuser`)
  assert.match(await slowHead, /^HTTP\/1\.1 408 .*"code":"too_slow","params":\{\}\}$/s)
  assert.match(await slowBody, /^HTTP\/1\.1 408 .*"code":"too_slow","params":\{\}\}$/s)
})

test('a client that offers to upgrade to HTTP/2 is answered in HTTP/1.1', async (t) => {
  const { http, raw } = await start(t)
  http.server.on('upgrade', () => assert.fail('taken for a WebSocket'))
  const head = 'GET /one HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n'
  assert.match(await raw(`${head}\r\n`), /^HTTP\/1\.1 200 .*first$/s)
})
