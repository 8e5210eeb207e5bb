import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { readConfig } from '#server/core/config.ts'
import { openTls } from '#server/core/certificate.ts'
import { makeCertificate } from './certificates.ts'
import { HOUR, type TestClock, testClock } from './clock.ts'
import { eventually } from './device.ts'
import { startServer } from './server.ts'

type Pair = ReturnType<typeof makeCertificate>

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-certificate-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

function write(folder: string, { cert, key }: Pick<Pair, 'cert' | 'key'>) {
  const files = { TLS_CERT_FILE: join(folder, 'tls.crt'), TLS_KEY_FILE: join(folder, 'tls.key') }
  writeFileSync(files.TLS_CERT_FILE, cert)
  writeFileSync(files.TLS_KEY_FILE, key)
  return files
}

/** Opens a TLS connection and returns the subject of the peer's certificate. */
async function shake(t: TestContext, port: string | number, more: object = {}) {
  const socket = connect({ host: '127.0.0.1', port: Number(port), rejectUnauthorized: false, ...more })
  t.after(() => socket.destroy())
  await once(socket, 'secureConnect')
  return { socket, name: socket.getPeerCertificate().subject.CN }
}

const nameAt = async (t: TestContext, port: string | number) => (await shake(t, port)).name

test('a renewed certificate is used for new connections to both ports, and open ones continue', async (t) => {
  const folder = temporaryFolder(t)
  const server = await startServer({
    settings: write(folder, makeCertificate('first')),
  })
  t.after(() => server.stop())
  const mqtts_port = server.mqtts_port!
  const { port } = new URL(server.url)
  const open = await shake(t, port)
  assert.deepEqual([open.name, await nameAt(t, mqtts_port)], ['first', 'first'])
  await answers(open.socket)

  write(folder, makeCertificate('second'))
  server.renewCertificate()
  await eventually(async () => (await nameAt(t, port)) === 'second')
  assert.equal(await nameAt(t, mqtts_port), 'second')
  await answers(open.socket)
})

test('TLS 1.1 and suites without forward secrecy are refused', async (t) => {
  const server = await startServer({
    settings: write(temporaryFolder(t), makeCertificate('first')),
  })
  t.after(() => server.stop())
  for (const port of [new URL(server.url).port, server.mqtts_port!]) {
    await shake(t, port, { minVersion: 'TLSv1.3' })
    await shake(t, port, { maxVersion: 'TLSv1.2' })
    // At security level 0 the client would accept it.
    const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' }
    await assert.rejects(shake(t, port, old), /alert protocol version/)
    const static_keys = { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA' }
    await assert.rejects(shake(t, port, static_keys), /handshake failure/)
  }
})

/** A pair in use, its log, and checks of the files every few milliseconds. */
function openWatched(
  t: TestContext,
  env: Record<string, string>,
  { clock = testClock('2026-03-01T12:00:00Z'), ...pace }: { clock?: TestClock; settle_ms?: number } = {},
) {
  const lines: string[] = []
  const note = (level: string) => (line: unknown) => void lines.push(`${level}: ${String(line)}`)
  const log = { info: note('info'), warn: note('warn'), error: note('error') }
  const { TLS } = readConfig(env)
  const tls = openTls({ certificate: TLS!, clock, log, look_ms: 10, ...pace })
  t.after(() => tls.stop())
  return { tls, lines, clock, said: (what: RegExp) => lines.filter((line) => what.test(line)).length }
}

test('a mismatched or damaged pair is refused once, and the old one stays until a good one comes', async (t) => {
  const folder = temporaryFolder(t)
  const files = write(folder, makeCertificate('first'))
  const { tls, said } = openWatched(t, files, { settle_ms: 20 })
  const { cert } = makeCertificate('second')
  const before = tls.context()

  writeFileSync(files.TLS_CERT_FILE, cert)
  await eventually(() => said(/^error: .*cannot be used.*TLS_KEY_FILE/) === 1)
  writeFileSync(files.TLS_CERT_FILE, 'half a fi')
  await eventually(() => said(/^error: .*cannot be used.*TLS_CERT_FILE/) === 1)
  rmSync(files.TLS_CERT_FILE)
  await eventually(() => said(/^error: .*cannot be used.*ENOENT/) === 1)
  assert.equal(tls.context(), before)

  const third = makeCertificate('third', 200)
  write(folder, third)
  await eventually(() => tls.expires_at() === third.expires_at)
  assert.notEqual(tls.context(), before)
  assert.deepEqual([said(/^error: /), said(/^info: .*renewed/)], [3, 1])
})

test('two files replaced one after the other are accepted without a complaint', async (t) => {
  const folder = temporaryFolder(t)
  const files = write(folder, makeCertificate('first'))
  const { tls, lines } = openWatched(t, files, { settle_ms: 60_000 })
  const second = makeCertificate('second', 60)
  const before = tls.context()
  writeFileSync(files.TLS_CERT_FILE, second.cert)
  await new Promise((resolve) => setTimeout(resolve, 100))
  assert.equal(tls.context(), before)
  writeFileSync(files.TLS_KEY_FILE, second.key)
  await eventually(() => tls.expires_at() === second.expires_at)
  assert.deepEqual(
    lines.filter((line) => line.startsWith('error')),
    [],
  )
})

test('a pair swapped by a symbolic link is noticed, as certbot and Kubernetes do it', async (t) => {
  const folder = temporaryFolder(t)
  const pairs = [makeCertificate('first', 30), makeCertificate('second', 60), makeCertificate('third', 90)]
  const folders = pairs.map((pair, index) => {
    mkdirSync(join(folder, `..${index}`))
    write(join(folder, `..${index}`), pair)
    return `..${index}`
  })
  // Kubernetes: the files lead through ..data, which a rename replaces.
  symlinkSync(folders[0]!, join(folder, '..data'))
  for (const name of ['tls.crt', 'tls.key']) symlinkSync(join('..data', name), join(folder, name))
  const files = { TLS_CERT_FILE: join(folder, 'tls.crt'), TLS_KEY_FILE: join(folder, 'tls.key') }
  const { tls } = openWatched(t, files)
  assert.equal(tls.expires_at(), pairs[0]!.expires_at)
  symlinkSync(folders[1]!, join(folder, 'next'))
  renameSync(join(folder, 'next'), join(folder, '..data'))
  await eventually(() => tls.expires_at() === pairs[1]!.expires_at)

  // certbot: each file is its own link; they are replaced one after the other.
  for (const name of ['tls.crt', 'tls.key']) {
    rmSync(join(folder, name))
    symlinkSync(join(folders[2]!, name), join(folder, name))
  }
  await eventually(() => tls.expires_at() === pairs[2]!.expires_at)
})

test('in the 14 days before it expires, the log warns once a day, and afterwards with an error', async (t) => {
  const clock = testClock('2026-03-01T12:00:00Z')
  const pair = makeCertificate('first', 15, new Date(clock.now()))
  const { said } = openWatched(t, write(temporaryFolder(t), pair), { clock })
  const looks = () => new Promise((resolve) => setTimeout(resolve, 60))
  await looks()
  assert.equal(said(/expires in/), 0)
  clock.advance(25 * HOUR)
  await eventually(() => said(/^warn: .*expires in 335 hours/) === 1)
  clock.advance(23 * HOUR)
  await looks()
  assert.equal(said(/expires in/), 1)
  clock.advance(HOUR)
  await eventually(() => said(/expires in/) === 2)
  clock.advance(14 * 24 * HOUR)
  await eventually(() => said(/^error: .*expired at 2026-03-16T12:00:00.000Z/) === 1)
})

test('the metrics have the certificate’s expiry time', async (t) => {
  const pair = makeCertificate('first', 40)
  const server = await startServer({
    settings: write(temporaryFolder(t), pair),
  })
  t.after(() => server.stop())
  const { socket } = await shake(t, new URL(server.url).port)
  const text = await ask(socket, '/metrics')
  assert.match(text, new RegExp(`sdd_certificate_expires_timestamp_seconds ${pair.expires_at / 1_000}\\n`))
})

async function answers(socket: TLSSocket): Promise<void> {
  assert.match(await ask(socket, '/healthz'), /^HTTP\/1\.1 200 .*"ok"/s)
}

/** Reads one complete answer from a connection that stays open. */
async function ask(socket: TLSSocket, path: string): Promise<string> {
  let text = ''
  const collect = (bytes: Buffer) => void (text += bytes.toString())
  socket.on('data', collect)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  await eventually(() => {
    const [, length] = /content-length: (\d+)/i.exec(text) ?? []
    return length !== undefined && text.length >= text.indexOf('\r\n\r\n') + 4 + Number(length)
  })
  socket.off('data', collect)
  return text
}
