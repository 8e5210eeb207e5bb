import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { openFolder } from './files.ts'
import { startHttpServer } from './testing.ts'

const root = mkdtempSync(join(tmpdir(), 'files-'))
after(() => rmSync(root, { recursive: true }))

const SCRIPT = `export const words = '${'words '.repeat(50)}'`
const folder = join(root, 'public')
mkdirSync(join(folder, 'assets'), { recursive: true })
mkdirSync(join(folder, '.hidden'))
for (const [name, content] of Object.entries({
  'icon.svg': '<svg/>',
  'empty.txt': '',
  'unknown.zzz': 'z',
  'assets/a.js': SCRIPT,
  'assets/a.js.br': brotliCompressSync(SCRIPT),
  'assets/a.js.gz': gzipSync(SCRIPT),
  'assets/ñ #%.js': 'named',
  '.hidden/x.json': '{}',
}))
  writeFileSync(join(folder, name), content)
writeFileSync(join(root, 'secret.txt'), 'outside')

async function start(t: TestContext, from = folder) {
  const answerFile = openFolder(from, () => ({ 'Cache-Control': 'no-cache' }))
  const file = ({
    request,
    params,
  }: {
    request: IncomingMessage
    params: Readonly<Record<string, string>>
  }) => answerFile(request, params['*']!)
  const server = await startHttpServer(t, { 'GET /*': file, 'HEAD /*': file })
  /** Like a browser, but undecoded: `fetch` would decompress the answer. */
  const ask = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const asking = get({ port: server.port, path, headers, method, agent: false })
    const [response] = (await once(asking, 'response')) as [IncomingMessage]
    return {
      status: response.statusCode,
      headers: response.headers,
      bytes: Buffer.concat(await response.toArray()),
    }
  }
  return { ...server, ask }
}

test('a file is sent with its type, and HEAD returns the same headers', async (t) => {
  const { ask } = await start(t)
  for (const [path, type, text] of [
    ['/icon.svg', 'image/svg+xml', '<svg/>'],
    ['/assets/a.js', 'application/javascript; charset=utf-8', SCRIPT],
    ['/empty.txt', 'text/plain; charset=utf-8', ''],
    ['/unknown.zzz', 'application/octet-stream', 'z'],
    ['/assets/%C3%B1%20%23%25.js', 'application/javascript; charset=utf-8', 'named'],
  ] as const) {
    const { status, headers, bytes } = await ask(path)
    assert.deepEqual([status, headers['content-type'], String(bytes)], [200, type, text], path)
    assert.deepEqual([headers['cache-control'], headers['accept-ranges']], ['no-cache', undefined])
    const head = await ask(path, {}, 'HEAD')
    assert.deepEqual([head.status, head.bytes.length, head.headers.etag], [200, 0, headers.etag])
    assert.equal(head.headers['content-length'], headers['content-length'])
  }
})

test('a file that has not changed is not sent again', async (t) => {
  const { ask } = await start(t)
  const { headers } = await ask('/icon.svg')
  const { etag, 'last-modified': modified } = headers as Record<string, string>
  for (const [name, value] of [
    ['if-none-match', etag!],
    ['if-modified-since', modified!],
  ] as const) {
    const again = await ask('/icon.svg', { [name]: value })
    assert.deepEqual([again.status, again.bytes.length, again.headers['content-type']], [304, 0, undefined])
  }
  assert.equal((await ask('/icon.svg', { 'if-none-match': '"other"' })).status, 200)
})

test('conditions for writing are ignored when a file is read', async (t) => {
  const { ask } = await start(t)
  assert.equal((await ask('/icon.svg', { 'if-match': '"other"' })).status, 200)
  const long_ago = 'Tue, 14 Nov 2000 22:13:20 GMT'
  assert.equal((await ask('/icon.svg', { 'if-unmodified-since': long_ago })).status, 200)
})

test('a compressed twin is sent if the client accepts it', async (t) => {
  const { ask } = await start(t)
  const read = { br: brotliDecompressSync, gzip: gunzipSync }
  for (const [accepted, coding] of [
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['*', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
  ] as const) {
    const { headers, bytes } = await ask('/assets/a.js', { 'accept-encoding': accepted })
    assert.deepEqual([headers['content-encoding'], headers.vary], [coding, 'accept-encoding'], accepted)
    assert.equal(String(read[coding](bytes)), SCRIPT)
  }
  for (const [path, accepted] of [
    ['/assets/a.js', 'identity'],
    ['/assets/a.js', 'zstd'],
    ['/icon.svg', 'br, gzip'],
  ] as const) {
    const { status, headers } = await ask(path, { 'accept-encoding': accepted })
    assert.deepEqual([status, headers['content-encoding'], headers.vary], [200, undefined, 'accept-encoding'])
  }
})

test('a path that leaves the folder, or names a hidden file, a folder or nothing, is 404', async (t) => {
  const { raw } = await start(t)
  for (const path of [
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/assets/../icon.svg',
    '/assets//a.js',
    '/assets/./a.js',
    '//secret.txt',
    '/.hidden/x.json',
    '/.env',
    '/assets',
    '/assets/',
    '/assets/a.js/',
    '/icon.svg/x.js',
    '/x.png',
    `/${'x'.repeat(300)}.js`,
  ]) {
    const answer = await raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    assert.match(answer, /^HTTP\/1\.1 404 /, path)
  }
})

test('a folder may be made after the start', async (t) => {
  const later = join(root, 'later')
  const { ask } = await start(t, later)
  assert.equal((await ask('/a.txt')).status, 404)
  mkdirSync(later)
  writeFileSync(join(later, 'a.txt'), 'now')
  assert.equal(String((await ask('/a.txt')).bytes), 'now')
})
