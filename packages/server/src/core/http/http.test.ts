import assert from 'node:assert/strict'
import { get } from 'node:https'
import { connect, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { linkDevice, listDevices, readNetworks } from '@sdd/contract/fleet/devices.ts'
import { saveDeviceLimit } from '@sdd/contract/fleet/limits.ts'
import { openTls } from '#server/core/certificate.ts'
import { systemClock } from '#server/core/clock.ts'
import { readConfig } from '#server/core/config.ts'
import { openLog } from '#server/core/log.ts'
import { openMetrics } from '#server/core/metrics.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Serve } from './serve.ts'
import { startHttp } from './testing.ts'

function deviceRoutes(serve: Serve): void {
  serve(listDevices, () => ({ devices: [] }))
  serve(readNetworks, ({ params }) => {
    assert.notEqual(params.uid, 'boom')
    return {}
  })
}

const session = { authorization: 'Bearer user-token' }

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

test('every response has the security headers, does not name the software, and is not cached', async (t) => {
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

test('with a certificate the server speaks HTTPS and tells browsers to stay with it', async (t) => {
  const { TLS } = readConfig(
    { TLS_CERT_FILE: 'localhost-cert.pem', TLS_KEY_FILE: 'localhost-key.pem' },
    join(import.meta.dirname, '../../../test/fixtures'),
  )
  const tls = openTls({ certificate: TLS!, clock: systemClock('UTC'), log: openLog('silent') })
  t.after(() => tls.stop())
  const { url } = await startHttp(t, () => {}, { tls })
  assert.match(url, /^https:/)
  const response = await new Promise<{ statusCode?: number; headers: object }>((resolve, reject) => {
    get(`${url}/healthz`, { ca: TLS!.cert, agent: false }, (answer) => resolve(answer.resume())).on(
      'error',
      reject,
    )
  })
  assert.equal(response.statusCode, 200)
  assert.equal(
    (response.headers as Record<string, string>)['strict-transport-security'],
    'max-age=31536000; includeSubDomains',
  )
})

test('every spelling of a path gets the same response', async (t) => {
  const { url } = await startHttp(t, (serve) => {
    serve(listDevices, ({ caller }) => {
      if (caller.role === 'admin') throw new Error('broken')
      return { devices: [] }
    })
    serve(saveDeviceLimit, ({ body }) => body)
  })
  const tell = async (path: string, asked: RequestInit) => {
    const response = await fetch(url + path, asked)
    const headers = Object.fromEntries(response.headers)
    delete headers.date
    const text = (await response.text()).replace(/request [\w-]{36}/, 'request …')
    return { status: response.status, headers, text }
  }
  const as = (role: string, more: RequestInit = {}, type?: string): RequestInit => ({
    ...more,
    headers: { authorization: `Bearer ${role}-token`, ...(type !== undefined && { 'content-type': type }) },
  })
  const json = 'application/json'
  const body = JSON.stringify({ uid: 'd-1', max_sms_dayly: 5 })
  for (const [path, asked, status] of [
    ['/api/device-list', as('user'), 200],
    ['/api/device-list?x=1', as('user'), 200],
    ['/api/device-list', as('nobody'), 401],
    ['/api/device-list', as('admin'), 500],
    ['/api/device-list-settings', as('superadmin', { method: 'POST', body }, json), 200],
    ['/api/device-list-settings', as('superadmin', { method: 'POST', body: '{}' }, json), 422],
    ['/api/device-list-settings', as('superadmin', { method: 'POST', body }), 415],
  ] as const) {
    const spelled = await tell(path.replace('device-', 'device%2D'), asked)
    const plain = await tell(path, asked)
    assert.equal(plain.status, status, plain.text)
    assert.deepEqual(plain, spelled, path)
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
      [404, 'not_found', ['detail', 'code', 'params']],
      where,
    )
  }
  const head = await fetch(`${url}/api/device-list`, { method: 'HEAD', headers: session })
  assert.deepEqual([head.status, head.headers.get('content-type')], [404, 'application/json; charset=utf-8'])
})

test('a path with a broken escape or a NUL anywhere is 400', async (t) => {
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

test('a path may contain a name longer than any device’s', async (t) => {
  const { url } = await startHttp(t, deviceRoutes)
  assert.equal(
    (await fetch(`${url}/api/device/${'x'.repeat(5_000)}/networks`, { headers: session })).status,
    200,
  )
})

test('a caller without permission is answered before the body arrives', async (t) => {
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

test('an HTTP/1.0 client, which sends no host, is answered too', async (t) => {
  const { raw } = await startHttp(t, (serve) => serve(linkDevice, ({ host }) => linked(host)))
  const head = 'POST /api/devices/link HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: 12\r\n'
  assert.match(await raw(`${head}\r\n{"code":"c"}`), /"mqtt_url":"127\.0\.0\.1"/)
  for (const [host, name] of [
    ['sms.example:8443', 'sms.example'],
    ['[::1]:80', '[::1]'],
  ]) {
    assert.match(
      await raw(`${head}Host: ${host}\r\n\r\n{"code":"c"}`),
      new RegExp(`"mqtt_url":"${RegExp.escape(name!)}"`),
    )
  }
})

test('the server reports its liveness, its readiness, and its API', async (t) => {
  let ready = false
  const readiness = () => {
    if (!ready) throw new Refusal('not_ready', 'Starting.')
    return { status: 'ready' as const }
  }
  const { url } = await startHttp(t, deviceRoutes, { readiness })
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
  const featureMetrics = await response.text()
  const count = (labels: string) => new RegExp(`^sdd_http_request_seconds_count\\{${labels}\\} 1$`, 'm')
  const pattern = 'method="GET",route="/api/device/:uid/networks"'
  assert.match(featureMetrics, count(`${pattern},status="200"`))
  assert.match(featureMetrics, count(`${pattern},status="500"`))
  assert.match(featureMetrics, count('method="POST",route="none",status="404"'))

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

test('a refused connection is counted, and logged with its address', async (t) => {
  const metrics = openMetrics()
  const { raw, logged } = await startHttp(t, () => {}, { metrics })
  assert.match(await raw('MQTT'), /^HTTP\/1\.1 400 /)
  assert.match(await metrics.text(), /^sdd_http_refused_total\{why="malformed"\} 1$/m)
  assert.match(logged(), /"level":"info".*"why":"malformed","address":"127\.0\.0\.1"/)
})

test('an error about a port in use or a foreign address names the setting', async (t) => {
  const other = createServer().listen(0, '127.0.0.1')
  t.after(() => other.close())
  await new Promise((resolve) => other.once('listening', resolve))
  const { port } = other.address() as AddressInfo
  const on = (HOST: string, PORT: number) => startHttp(t, () => {}, { config: { HOST, PORT } })
  await assert.rejects(on('127.0.0.1', port), {
    name: 'ConfigError',
    variable: 'PORT',
    message: new RegExp(`${port}`),
  })
  await assert.rejects(on('192.0.2.1', 0), { name: 'ConfigError', variable: 'HOST', message: /192\.0\.2\.1/ })
})

/** A server that waits too long when it stops makes its test time out. */
const PATIENT = { limits: { stop_ms: 600_000, idle_ms: 600_000 } }

test('stopping answers requests under way, accepts no others, and does not wait for idle connections', async () => {
  const begun = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const routes = (serve: Serve) =>
    serve(listDevices, async () => {
      begun.resolve()
      await go.promise
      return { devices: [] }
    })
  const { http, url } = await startHttp({ after() {} }, routes, PATIENT)
  await (await fetch(`${url}/healthz`)).text() // its connection stays open
  const answer = fetch(`${url}/api/device-list`, { headers: session })
  await begun.promise
  const stopped = http.stop()
  await assert.rejects(fetch(`http://127.0.0.1:${new URL(url).port}/healthz`))
  go.resolve()
  assert.equal((await answer).status, 200)
  assert.deepEqual(await (await answer).json(), { devices: [] })
  await stopped
})

test('stopping does not wait for WebSockets', async () => {
  const { http } = await startHttp({ after() {} }, () => {}, PATIENT)
  http.server.on('upgrade', (_request, socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'))
  const socket = connect(http.port(), '127.0.0.1')
  socket.write('GET /mqtt HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  assert.match(await answerOf(socket), /^HTTP\/1\.1 101 /)
  await http.stop()
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
  assert.ok(performance.now() - before > 4_900)
  await answer
})

function answerOf(socket: ReturnType<typeof connect>): Promise<string> {
  return new Promise((resolve, reject) => {
    socket.once('data', (bytes) => resolve(String(bytes)))
    socket.once('error', reject)
  })
}

function linked(mqtt_url: string) {
  return { uid: 'd-1', secret: 's', mqtt_url, acks: 'puback' as const }
}
