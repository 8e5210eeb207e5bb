import assert from 'node:assert/strict'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { connect as connectTls, setDefaultCACertificates } from 'node:tls'
import { routes } from '@sdd/contract/app/api.ts'
import { pathOf } from '@sdd/contract/core/route.ts'
import { WebSocket } from 'ws'
import { type AnsweredHeaders, ask } from './http.ts'
import { enter } from './seeds.ts'
import { ADMIN, startServer, type TestServer } from './server.ts'

/** The headers of every answer of the whole server, for any request, with and without TLS. */

const CERT = join(import.meta.dirname, 'fixtures/localhost-cert.pem')
const KEY = join(import.meta.dirname, 'fixtures/localhost-key.pem')
const DIST = join(import.meta.dirname, '../../console/dist')
const FOREIGN = 'https://elsewhere.example'

const servers: Record<string, TestServer> = {}
const tokens: Record<string, string> = {}

before(async () => {
  setDefaultCACertificates([readFileSync(CERT, 'utf8')])
  servers.plain = await startServer()
  servers.tls = await startServer({
    settings: { TLS_CERT_FILE: CERT, TLS_KEY_FILE: KEY },
  })
  for (const [name, server] of Object.entries(servers))
    tokens[name] = (await enter(server, ADMIN.username, ADMIN.password)).token
})
after(() => Promise.all(Object.values(servers).map((server) => server.stop())))

const CONSOLE = ['/', '/login', '/devices?open=x', '/users', '/assets/', '/.env', '/nowhere.js', '/api']
const SYSTEM = [
  '/metrics',
  '/docs',
  '/docs/reference.css',
  '/docs/nowhere',
  '/.well-known/api-catalog',
  '/mqtt',
  '/api/nowhere',
  '/api/device/%zz/networks',
  '/%00',
  '/..%2f..%2fetc/passwd',
]

/** Every existing path, and some missing ones. */
function paths(): string[] {
  const params = {
    uid: 'nowhere',
    guid: 'nowhere',
    iccid: '8934000000000000000',
    number: '+34999999999',
    id: 999_999,
  }
  const served = new Set(routes.map((route) => pathOf(route, params)))
  return [...served, ...CONSOLE, ...SYSTEM, `/${'x'.repeat(3_000)}`]
}

/** The files of the console build. */
function files(): string[] {
  const built = globSync('**/*.*', { cwd: DIST })
  return built.filter((name) => !/\.(br|gz)$/.test(name)).map((name) => `/${name}`)
}

function judge(what: string, name: string, path: string, headers: AnsweredHeaders): void {
  const is = (header: string, value: string | RegExp | null) => {
    const given = headers.get(header)
    if (value instanceof RegExp) assert.match(given ?? '', value, `${what}: ${header}`)
    else assert.equal(given, value, `${what}: ${header}`)
  }
  is('x-content-type-options', 'nosniff')
  is('x-frame-options', 'DENY')
  is('referrer-policy', 'no-referrer')
  is('cross-origin-opener-policy', 'same-origin')
  is('cross-origin-resource-policy', 'same-origin')
  is(
    'content-security-policy',
    /^default-src 'none'; (?!.*(unsafe|\*|https?:|blob:|script-src [^;]*data:)).*frame-ancestors 'none'/,
  )
  is('strict-transport-security', name === 'tls' ? /^max-age=\d{8}; includeSubDomains$/ : null)
  if (/^\/(api|metrics|healthz|readyz|mqtt)\b/.test(path)) is('cache-control', 'no-store')
  is('cache-control', /^(no-store|no-cache|public, max-age=31536000, immutable)$/)
  for (const [header] of headers)
    assert.doesNotMatch(header, /^(set-cookie|access-control-.*|server|x-powered-by|via)$/, what)
}

for (const name of ['plain', 'tls']) {
  test(`every answer isolates the page from other origins, sets no cookie and allows no cross-origin access (${name})`, async () => {
    const { url } = servers[name]!
    const asked = paths()
    assert.ok(asked.length > 40)
    for (const path of [...asked, ...files()]) {
      const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
      for (const method of methods.slice(0, asked.includes(path) ? undefined : 1)) {
        for (const token of method === 'GET' ? [undefined, tokens[name]] : [undefined]) {
          const response = await ask(new URL(url + path), {
            method,
            headers: {
              origin: FOREIGN,
              cookie: 'token=x; session=y',
              ...(method === 'OPTIONS' && {
                'access-control-request-method': 'POST',
                'access-control-request-headers': 'authorization',
              }),
              ...(token && { authorization: `Bearer ${token}` }),
            },
          })
          assert.ok(response.status < 500 || response.status === 503, `${method} ${path}: ${response.status}`)
          judge(`${method} ${path} ${token ? 'signed in' : ''}`, name, path, response.headers)
        }
      }
    }
  })

  test(`invalid HTTP and unknown upgrades are answered with the same headers (${name})`, async () => {
    const upgrade =
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n'
    const mqtt = 'Sec-WebSocket-Protocol: mqtt\r\n'
    for (const [bytes, status] of [
      ['BROKEN\r\n\r\n', 400],
      [`GET / HTTP/1.1\r\nHost: x\r\nBad Header: 1\r\n\r\n`, 400],
      [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
      [`GET /nowhere HTTP/1.1\r\nHost: x\r\n${upgrade}${mqtt}\r\n`, 404],
      [`GET /mqtt HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n`, 400],
      [`GET /mqtt HTTP/1.1\r\nHost: x\r\nOrigin: ${FOREIGN}\r\n${upgrade}${mqtt}\r\n`, 403],
    ] as const) {
      const answer = await answerTo(servers[name]!.url, bytes)
      const [head = ''] = answer.split('\r\n\r\n')
      const [line = '', ...lines] = head.split('\r\n')
      assert.match(line, new RegExp(`^HTTP/1.1 ${status} `), bytes.slice(0, 40))
      const headers = new Headers(lines.map((each) => each.split(': ') as [string, string]))
      judge(line, name, '/mqtt', headers)
    }
  })
}

async function answerTo(url: string, bytes: string): Promise<string> {
  const { hostname, port, protocol } = new URL(url)
  const to = { host: hostname, port: Number(port) }
  const socket = protocol === 'https:' ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to)
  let text = ''
  socket.on('error', () => {})
  socket.on('data', (chunk) => (text += chunk.toString()))
  socket.write(bytes)
  await once(socket, 'close')
  return text
}

/** 101 if a WebSocket opens. */
async function upgradeStatus(url: string, headers: Record<string, string>): Promise<number> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/mqtt`, ['mqtt'], {
    headers,
    rejectUnauthorized: false,
  })
  socket.on('error', () => {})
  const status = await Promise.race([
    once(socket, 'open').then(() => 101),
    once(socket, 'unexpected-response').then(
      ([, response]) => (response as { statusCode: number }).statusCode,
    ),
  ])
  socket.terminate()
  return status
}

test('a live connection opens only for pages of the console’s own origin', async () => {
  for (const { url } of Object.values(servers)) {
    const own = new URL(url)
    const foreign = [
      'null',
      '',
      FOREIGN,
      'file://',
      `${own.protocol}//${own.hostname}`,
      `${own.protocol}//${own.hostname}:${Number(own.port) + 1}`,
      `${own.protocol}//localhost:${own.port}`,
      `${own.protocol}//${own.host}.elsewhere.example`,
      `${own.protocol}//elsewhere.example#${own.host}`,
      `${own.protocol}//user@${own.host}`,
      `${own.protocol}//${own.host}, ${FOREIGN}`,
      `ws://${own.host}`,
      `chrome-extension://${own.host}`,
    ]
    if (own.protocol === 'https:') foreign.push(`http://${own.host}`)
    for (const origin of foreign)
      assert.equal(await upgradeStatus(url, { origin }), 403, `${origin} at ${url}`)
    assert.equal(await upgradeStatus(url, { origin: own.origin }), 101)
    assert.equal(await upgradeStatus(url, {}), 101, 'a program, which sends no origin')
  }
})

test('a page of another origin cannot act for a signed-in user, since browsers attach no credentials on their own', async () => {
  const { url } = servers.plain!
  for (const route of routes.filter(({ may }) => may !== 'anyone')) {
    const path = pathOf(route, { uid: 'x', guid: 'x', iccid: 'x', number: 'x', id: 1 })
    for (const type of [
      'application/x-www-form-urlencoded',
      'text/plain',
      'multipart/form-data; boundary=x',
    ]) {
      const cookie = `token=${tokens.plain}; access_token=${tokens.plain}; Authorization=Bearer ${tokens.plain}`
      const headers = { origin: FOREIGN, cookie, ...(route.method !== 'GET' && { 'content-type': type }) }
      const response = await fetch(url + path, { method: route.method, headers })
      assert.equal(response.status, 401, `${route.method} ${path}`)
      await response.arrayBuffer()
    }
  }
})

test('a page of another origin cannot make its visitors guess passwords or link codes', async () => {
  const { url } = servers.plain!
  const open = routes.filter(({ may, method }) => may === 'anyone' && method !== 'GET')
  assert.ok(open.length > 1)
  const body = new URLSearchParams({ username: ADMIN.username, password: ADMIN.password })
  for (const { path, method } of open) {
    for (const from of ['cross-site', 'same-site', 'anything']) {
      const response = await fetch(url + path, { method, headers: { 'sec-fetch-site': from }, body })
      const { code } = (await response.json()) as { code: string }
      assert.deepEqual([response.status, code], [403, 'forbidden'], `${path} ${from}`)
    }
  }
  for (const from of ['same-origin', 'none']) {
    const headers = { 'sec-fetch-site': from }
    const response = await fetch(`${url}/api/login`, { method: 'POST', headers, body })
    assert.equal(response.status, 200, from)
    await response.arrayBuffer()
  }
})
