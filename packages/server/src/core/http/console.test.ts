import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { startHttp } from './testing.ts'

const root = mkdtempSync(join(tmpdir(), 'console-'))
after(() => rmSync(root, { recursive: true }))

const HTML = '<!doctype html><title>SMS DRONE DASH</title>'
const SCRIPT = `export const words = '${'mensaje '.repeat(50)}'`
const built = join(root, 'dist')
mkdirSync(join(built, 'assets'), { recursive: true })
mkdirSync(join(built, '.vite'))
write('index.html', HTML)
write('index.html.br', brotliCompressSync(HTML))
write('favicon.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>')
write('assets/index-a1b2c3.js', SCRIPT)
write('assets/index-a1b2c3.js.br', brotliCompressSync(SCRIPT))
write('assets/index-a1b2c3.js.gz', gzipSync(SCRIPT))
write('.vite/manifest.json', '{}')
writeFileSync(join(root, 'secret.txt'), 'outside of the build')

function write(name: string, content: string | Buffer): void {
  writeFileSync(join(built, name), content)
}

const start = (t: TestContext, console_folder = built) => startHttp(t, () => {}, { console_folder })

test('every path of the console gets its page, which browsers revalidate each time', async (t) => {
  const { url } = await start(t)
  for (const path of [
    '/',
    '/login',
    '/running-tasks',
    '/devices/?search=x.js',
    '/users/1/edit',
    '/apis',
    '/%C3%B1',
  ]) {
    const response = await fetch(url + path)
    assert.equal(response.status, 200, path)
    assert.equal(await response.text(), HTML)
    assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.equal(response.headers.get('cache-control'), 'no-cache')
    assert.equal(
      response.headers.get('content-security-policy'),
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
        "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
        "require-trusted-types-for 'script'; trusted-types service-worker",
    )
  }
})

test('a page that has not changed is not sent again', async (t) => {
  const { http } = await start(t)
  const { headers } = await ask(http.port(), '/', {})
  const again = await ask(http.port(), '/', { 'if-none-match': String(headers.etag) })
  assert.deepEqual([again.status, again.bytes.length], [304, 0])
})

test('a file with a hash in its name is cached for a year, and any other file is revalidated', async (t) => {
  const { url } = await start(t)
  const script = await fetch(`${url}/assets/index-a1b2c3.js`)
  assert.equal(script.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  assert.match(script.headers.get('content-type')!, /javascript/)
  assert.equal(await script.text(), SCRIPT)
  const icon = await fetch(`${url}/favicon.svg`)
  assert.equal(icon.headers.get('cache-control'), 'no-cache')
  assert.match(icon.headers.get('content-type')!, /^image\/svg\+xml/)
})

test('the compressed file is sent if it exists and the browser accepts it', async (t) => {
  const { http } = await start(t)
  const read = { br: brotliDecompressSync, gzip: gunzipSync }
  for (const [accepted, coding] of [
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
  ] as const) {
    const { headers, bytes } = await ask(http.port(), '/assets/index-a1b2c3.js', {
      'accept-encoding': accepted,
    })
    assert.equal(headers['content-encoding'], coding)
    assert.match(String(headers['content-type']), /javascript/)
    assert.match(String(headers.vary), /accept-encoding/i)
    assert.match(String(headers['cache-control']), /immutable/)
    assert.equal(String(read[coding](bytes)), SCRIPT)
  }
  const page = await ask(http.port(), '/devices', { 'accept-encoding': 'br' })
  assert.deepEqual([page.headers['content-encoding'], page.headers['cache-control']], ['br', 'no-cache'])
  assert.equal(String(brotliDecompressSync(page.bytes)), HTML)
  const plain = await ask(http.port(), '/favicon.svg', { 'accept-encoding': 'br, gzip' })
  assert.equal(plain.headers['content-encoding'], undefined)
})

test('a missing file is 404, never the page, and no file outside the build is served', async (t) => {
  const { url, raw } = await start(t)
  for (const path of ['/assets/index-old.js', '/x.png', '/.vite/manifest.json', '/.env', '/assets/.br']) {
    const response = await fetch(url + path)
    assert.deepEqual([response.status, JSON.parse(await response.text()).code], [404, 'not_found'], path)
    assert.equal(response.headers.get('cache-control'), 'no-store')
  }
  for (const path of [
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/assets/..%5c..%5csecret.txt',
    '//secret.txt',
  ]) {
    const answer = await raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    assert.match(answer, /^HTTP\/1\.1 404 /, path)
    assert.doesNotMatch(answer, /outside/)
  }
})

test('HEAD answers with the headers of GET', async (t) => {
  const { url } = await start(t)
  const response = await fetch(`${url}/devices`, { method: 'HEAD' })
  assert.deepEqual([response.status, await response.text()], [200, ''])
  assert.match(response.headers.get('content-type')!, /^text\/html/)
})

test('until the console is built, its paths say how to build it; afterwards it is served without a restart', async (t) => {
  const folder = join(root, 'later')
  const { url } = await start(t, folder)
  for (const path of ['/', '/login']) {
    const response = await fetch(url + path)
    assert.equal(response.status, 503)
    assert.match(await response.text(), /npm run build/)
  }
  assert.equal((await fetch(`${url}/assets/x.js`)).status, 404)
  mkdirSync(folder)
  writeFileSync(join(folder, 'index.html'), HTML)
  assert.equal(await (await fetch(`${url}/login`)).text(), HTML)
})

/** Sends a request like a browser: `fetch` would decode the response and bypass the cache. */
async function ask(port: number, path: string, headers: Record<string, string>) {
  const [response] = (await once(get({ port, path, headers, agent: false }), 'response')) as [IncomingMessage]
  return {
    status: response.statusCode,
    headers: response.headers,
    bytes: Buffer.concat(await response.toArray()),
  }
}
