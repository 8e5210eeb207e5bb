import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { get } from 'node:https'
import { connect, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { login } from '@sdd/contract/auth.ts'
import { listDevices, readNetworks } from '@sdd/contract/devices.ts'
import { saveDeviceLimit } from '@sdd/contract/settings.ts'
import type { Serve } from './serve.ts'
import { startHttp } from './testing.ts'

function deviceRoutes(serve: Serve): void {
  serve(login, () => assert.fail('a broken request was served'))
  serve(listDevices, () => ({ devices: [] }))
  serve(readNetworks, ({ params }) => {
    assert.notEqual(params.uid, 'boom')
    return {}
  })
}

const session = { authorization: 'Bearer user-token' }

const FORM = 'Content-Type: application/x-www-form-urlencoded'

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

test('every answer carries the security headers, says nothing of the software, and is not stored', async (t) => {
  const { url } = await startHttp(t, deviceRoutes)
  const paths = [
    '/api/device-list',
    '/api/nothing',
    '/api/device/%zz/networks',
    '/healthz',
    '/metrics',
    '/',
    '/x.js',
  ]
  for (const path of paths) {
    const { headers } = await fetch(url + path, { headers: session })
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) assert.equal(headers.get(name), value, path)
    for (const name of ['server', 'x-powered-by', 'strict-transport-security'])
      assert.equal(headers.get(name), null)
    assert.equal(headers.get('cache-control'), 'no-store', path)
  }
})

test('an unknown path, and a known one with another method, is 404 in JSON', async (t) => {
  const { url } = await startHttp(t, deviceRoutes)
  const unknown = ['GET /api', 'GET /api/nothing', 'GET /api/device-list/', 'POST /']
  const methods = ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'].map((method) => `${method} /api/device-list`)
  for (const where of [...unknown, ...methods, 'GET /mqtt', 'POST /healthz', 'GET /metrics/x']) {
    const [method, path] = where.split(' ') as [string, string]
    const response = await fetch(url + path, { method, headers: session })
    const body = JSON.parse(await response.text())
    assert.deepEqual(
      [response.status, body.code, Object.keys(body)],
      [404, 'not_found', ['detail', 'code']],
      where,
    )
  }
  const head = await fetch(`${url}/api/device-list`, { method: 'HEAD', headers: session })
  assert.deepEqual([head.status, head.headers.get('content-type')], [404, 'application/json; charset=utf-8'])
})

test('a path with a broken escape or a NUL is 400, wherever it stands', async (t) => {
  const { raw } = await startHttp(t, deviceRoutes)
  const paths = [
    '/api/device/%/networks',
    '/api/device/%ff/networks',
    '/api/device/a%00b/networks',
    '/%c0%af',
  ]
  for (const path of paths) {
    const answer = await raw(
      `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer user-token\r\nConnection: close\r\n\r\n`,
    )
    assert.match(answer, /^HTTP\/1\.1 400 /, path)
    assert.match(answer, /"code":"malformed"/)
  }
  assert.match(await raw('GET /%00 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'), /^HTTP\/1\.1 404 /)
})

test('a name longer than any device has is asked for like any other', async (t) => {
  const { url } = await startHttp(t, deviceRoutes)
  assert.equal(
    (await fetch(`${url}/api/device/${'x'.repeat(5_000)}/networks`, { headers: session })).status,
    200,
  )
})

test('what is not HTTP is answered in JSON, and the connection ends', async (t) => {
  const { raw } = await startHttp(t, deviceRoutes)
  const requests = [
    '\x10\x1a\x00\x04MQTT\x04\x02',
    'GET / HTTP/9.9\r\n\r\n',
    'GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    `POST /api/login HTTP/1.1\r\nHost: x\r\n${FORM}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
  ]
  for (const request of requests) assert.match(await raw(request), /^HTTP\/1\.1 400 .*"code":"malformed"\}$/s)
  assert.match(await raw('GET / HTTP/1.1\r\n\r\n'), /^HTTP\/1\.1 400 /)
})

test('a request that is answered already and then breaks is cut, without a second answer', async (t) => {
  const { raw } = await startHttp(t, deviceRoutes)
  const answer = await raw(
    'POST /api/nothing HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  )
  assert.equal(answer.match(/HTTP\/1\.1 \d+/g)?.join(), 'HTTP/1.1 404')
})

test('headers of more than 16 KiB are 431', async (t) => {
  const { raw } = await startHttp(t, deviceRoutes)
  const head = (size: number) =>
    `GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Long: ${'x'.repeat(size)}\r\n\r\n`
  assert.match(await raw(head(15 * 1024)), /^HTTP\/1\.1 200 /)
  assert.match(await raw(head(17 * 1024)), /^HTTP\/1\.1 431 .*"code":"headers_too_large"\}$/s)
})

test('headers, and bodies, that do not arrive in time are 408', async (t) => {
  const { http, raw } = await startHttp(t, deviceRoutes)
  assert.deepEqual([http.server.headersTimeout, http.server.requestTimeout], [10_000, 30_000])
  http.server.headersTimeout = 100
  http.server.requestTimeout = 200
  const slowHead = raw('GET /healthz HTTP/1.1\r\nHost: x\r\n')
  const slowBody = raw(`POST /api/login HTTP/1.1\r\nHost: x\r\n${FORM}\r\nContent-Length: 9\r\n\r\nuser`)
  assert.match(await slowHead, /^HTTP\/1\.1 408 .*"code":"too_slow"\}$/s)
  assert.match(await slowBody, /^HTTP\/1\.1 408 .*"code":"too_slow"\}$/s)
})

test('who may not ask is answered before the body is here', async (t) => {
  const { http } = await startHttp(t, (serve) => serve(saveDeviceLimit, () => assert.fail('it was served')))
  for (const [authorization, status] of [
    ['Bearer nobody-token', 401],
    ['Bearer user-token', 403],
  ] as const) {
    const socket = connect(http.port(), '127.0.0.1')
    const head = `POST /api/device-list-settings HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n`
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{`)
    assert.match(await answerOf(socket), new RegExp(`^HTTP/1.1 ${status} `))
    socket.destroy()
  }
})

test('the server says of itself that it lives, whether it is ready, and what it serves', async (t) => {
  let ready = false
  const { url } = await startHttp(t, deviceRoutes, { ready: () => ready })
  const ask = async (path: string) => {
    const response = await fetch(url + path)
    return { status: response.status, body: JSON.parse(await response.text()) }
  }
  assert.deepEqual(await ask('/healthz'), { status: 200, body: { status: 'ok' } })
  const starting = await ask('/readyz')
  assert.deepEqual([starting.status, starting.body.code], [503, 'not_ready'])
  ready = true
  assert.deepEqual(await ask('/readyz'), { status: 200, body: { status: 'ready' } })
  const { status, body } = await ask('/api/openapi.json')
  assert.deepEqual([status, body.openapi], [200, '3.1.0'])
  assert.ok(body.paths['/api/device/{uid}/networks'].get)
})

test('requests are counted by method, pattern and status, and logged without path, query or token', async (t) => {
  const { url, logged } = await startHttp(t, deviceRoutes)
  await fetch(`${url}/api/device/private-uid/networks?search=private-text`, { headers: session })
  await fetch(`${url}/api/device/boom/networks`, { headers: session })
  await fetch(`${url}/api/private-path`, { method: 'POST' })
  const response = await fetch(`${url}/metrics`)
  assert.match(response.headers.get('content-type')!, /^text\/plain; version=0\.0\.4/)
  const figures = await response.text()
  const count = (labels: string) => new RegExp(`^sdd_http_request_seconds_count\\{${labels}\\} 1$`, 'm')
  const pattern = 'method="GET",route="/api/device/:uid/networks"'
  assert.match(figures, count(`${pattern},status="200"`))
  assert.match(figures, count(`${pattern},status="500"`))
  assert.match(figures, count('method="POST",route="none",status="404"'))

  const entries = logged()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const requests = entries.filter(({ msg }) => msg === 'Request')
  assert.deepEqual(
    requests.slice(0, 3).map(({ level, status }) => [level, status]),
    [
      ['debug', 200],
      ['warn', 500],
      ['debug', 404],
    ],
  )
  assert.doesNotMatch(logged(), /private|user-token/)
})

test('with a certificate the server speaks HTTPS and says that browsers shall keep to it', async (t) => {
  const fixtures = join(import.meta.dirname, '../../../test/fixtures')
  const [cert, key] = ['cert', 'key'].map((part) => readFileSync(join(fixtures, `localhost-${part}.pem`)))
  const config = { HOST: '127.0.0.1', PORT: 0, TLS: { cert: cert!, key: key! } }
  const { url } = await startHttp(t, deviceRoutes, { config })
  assert.match(url, /^https:/)
  const response = await new Promise<{ statusCode?: number; headers: object }>((resolve, reject) => {
    get(`${url}/healthz`, { ca: cert, agent: false }, (answer) => resolve(answer.resume())).on(
      'error',
      reject,
    )
  })
  assert.equal(response.statusCode, 200)
  assert.equal((response.headers as Record<string, string>)['strict-transport-security'], 'max-age=31536000')
})

test('a taken port and a foreign address are said by the name of their setting', async (t) => {
  const other = createServer().listen(0, '127.0.0.1')
  t.after(() => other.close())
  await new Promise((resolve) => other.once('listening', resolve))
  const { port } = other.address() as AddressInfo
  const unused = { after() {} }
  const on = (HOST: string, PORT: number) =>
    startHttp(unused, () => {}, { config: { HOST, PORT, TLS: undefined } })
  await assert.rejects(on('127.0.0.1', port), {
    name: 'ConfigError',
    variable: 'PORT',
    message: new RegExp(`${port}`),
  })
  await assert.rejects(on('192.0.2.1', 0), { name: 'ConfigError', variable: 'HOST', message: /192\.0\.2\.1/ })
  await assert.rejects(on('no-such-host.invalid', 0), { name: 'ConfigError', variable: 'HOST' })
})

test('stopping answers what is under way, takes nothing more, and does not wait for idle connections', async () => {
  const begun = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const { http, url } = await startHttp({ after() {} }, (serve) => {
    serve(listDevices, async () => {
      begun.resolve()
      await go.promise
      return { devices: [] }
    })
  })
  await (await fetch(`${url}/healthz`)).text() // its connection stays open
  const answer = fetch(`${url}/api/device-list`, { headers: session })
  await begun.promise
  const stopped = http.stop()
  await assert.rejects(fetch(`http://127.0.0.1:${new URL(url).port}/healthz`))
  go.resolve()
  assert.equal((await answer).status, 200)
  assert.deepEqual(await (await answer).json(), { devices: [] })
  const before = performance.now()
  await stopped
  assert.ok(performance.now() - before < 1_000)
})

test('stopping does not wait for WebSockets, which are not ours', async () => {
  const { http } = await startHttp({ after() {} }, () => {})
  http.server.on('upgrade', (_request, socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'))
  const socket = connect(http.port(), '127.0.0.1')
  socket.write('GET /mqtt HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  assert.match(await answerOf(socket), /^HTTP\/1\.1 101 /)
  const before = performance.now()
  await http.stop()
  assert.ok(performance.now() - before < 1_000)
  assert.equal(socket.readyState, 'open')
  socket.destroy()
})

test('stopping gives a request that hangs 5 seconds', async () => {
  const begun = Promise.withResolvers<void>()
  const { http, url } = await startHttp({ after() {} }, (serve) => {
    serve(listDevices, () => {
      begun.resolve()
      return new Promise<never>(() => {})
    })
  })
  const answer = assert.rejects(fetch(`${url}/api/device-list`, { headers: session }))
  await begun.promise
  const before = performance.now()
  await http.stop()
  assert.ok(Math.abs(performance.now() - before - 5_000) < 1_000)
  await answer
})

function answerOf(socket: ReturnType<typeof connect>): Promise<string> {
  return new Promise((resolve, reject) => {
    socket.once('data', (bytes) => resolve(String(bytes)))
    socket.once('error', reject)
  })
}
