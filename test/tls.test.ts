import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { connect, getCACertificates, setDefaultCACertificates } from 'node:tls'
import { makeCertificate } from '../packages/server/test/certificates.ts'
import { freePort } from '../scripts/free-port.ts'
import { COMPILE_CACHE } from '../scripts/run.ts'
import { openSession } from '../scripts/session.ts'
import { newSettings, type ServerProcess, startProcess, SUPERADMIN } from './server-process.ts'

const AGENT = join(import.meta.dirname, '../packages/agent/test/agent-process.ts')
const SIMULATOR = join(import.meta.dirname, '../packages/simulator/src/main.ts')

const folder = mkdtempSync(join(tmpdir(), 'sdd-tls-'))
const files = { TLS_CERT_FILE: join(folder, 'tls.crt'), TLS_KEY_FILE: join(folder, 'tls.key') }
const first = makeCertificate('first')
const usual = getCACertificates('default')
const running = new Set<ChildProcess>()
let server: ServerProcess
let token = ''

before(async () => {
  use(first)
  const settings = { LOG_LEVEL: 'info', MQTTS_PORT: await freePort(), ...files }
  server = await startProcess(await newSettings(folder, settings))
  token = await openSession(server.url, SUPERADMIN)
})

after(async () => {
  for (const child of running) child.kill('SIGKILL')
  await server.stop()
  rmSync(folder, { recursive: true })
})

test('agents link by HTTPS and connect by MQTTS and WSS, with only the certificate file', async () => {
  const unknown = await linkAgent('stranger', {})
  assert.equal(unknown.status, 1)
  assert.match(unknown.output(), /certificate is not trusted; name its authority's file with --ca/)

  for (const uid of ['by-mqtts', 'by-wss']) {
    const way = uid === 'by-wss' && { mqtt: `${server.url.replace('https', 'wss')}/mqtt` }
    const linked = await linkAgent(uid, { ca: files.TLS_CERT_FILE, ...way })
    assert.equal(linked.status, 0, linked.output())
    start(AGENT, ['run'], { dir: join(folder, uid) })
    await connected(uid)
  }
})

test('simulated devices connect by MQTTS and WSS if they trust the certificate, and otherwise not', async () => {
  const fleet = (prefix: string, more: Record<string, string> = {}) =>
    start(SIMULATOR, [], {
      server: server.url,
      token,
      devices: '1',
      prefix,
      accounts: join(folder, `${prefix}.jsonl`),
      ledger: join(folder, `${prefix}.ledger`),
      ...more,
    })
  fleet('tls-', { ca: files.TLS_CERT_FILE })
  fleet('web-', { ca: files.TLS_CERT_FILE, mqtt: `${server.url.replace('https', 'wss')}/mqtt` })
  await connected('tls-0001')
  await connected('web-0001')
  const wary = fleet('wary-')
  assert.equal(await wary.ended, 1)
})

test('on SIGHUP a renewed certificate is used; open connections stay, and the process continues', async () => {
  const figures = await connectionFigures()
  use(makeCertificate('second'))
  server.child.kill('SIGHUP')
  await eventually('the second certificate', async () => (await nameAtServer()) === 'second')
  assert.match(server.output(), /The certificate in \S+tls\.crt is renewed/)
  assert.deepEqual(await connectionFigures(), figures)
})

/** Puts the pair where the server reads it, and makes this process and its children trust it. */
function use({ cert, key }: { cert: string; key: string }): void {
  writeFileSync(files.TLS_CERT_FILE, cert)
  writeFileSync(files.TLS_KEY_FILE, key)
  setDefaultCACertificates([...usual, first.cert, cert])
}

async function linkAgent(uid: string, more: Record<string, string>) {
  const { code } = await api<{ code: string }>('/api/link-codes', {})
  const [dir, radio] = [join(folder, uid), join(folder, uid, 'radio')]
  mkdirSync(radio, { recursive: true })
  const options = { server: server.url, code, uid, dir, driver: 'scripted', folder: radio, ...more }
  const child = start(AGENT, ['link'], options)
  return { status: await child.ended, output: child.output }
}

function start(program: string, command: string[], options: Record<string, string>) {
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
  const child = spawn(process.execPath, [program, ...command, ...flags], {
    env: { PATH: process.env.PATH, HOME: folder, ...COMPILE_CACHE },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  let written = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (written += String(text)))
  const ended = once(child, 'close').then(([status]) => status as number | null)
  return { ended, output: () => written }
}

async function api<Body>(path: string, body?: unknown): Promise<Body> {
  const answer = await fetch(server.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return (await answer.json()) as Body
}

type Device = { uid: string; status: string; last_seen_at: string }

async function connected(uid: string): Promise<void> {
  await eventually(`${uid} connected`, async () => {
    const { devices } = await api<{ devices: Device[] }>('/api/device-list')
    return devices.some((device) => device.uid === uid && device.status === 'connected')
  })
}

/** The number of connected devices, and of connections that ended since the start. */
async function connectionFigures(): Promise<string[]> {
  const text = await (await fetch(`${server.url}/metrics`)).text()
  return text.split('\n').filter((line) => /^sdd_connections(_ended)?\{/.test(line))
}

async function nameAtServer(): Promise<unknown> {
  const { port } = new URL(server.url)
  const socket = connect({ host: '127.0.0.1', port: Number(port) })
  await once(socket, 'secureConnect')
  const { subject } = socket.getPeerCertificate()
  socket.destroy()
  return subject.CN
}

async function eventually(what: string, look: () => Promise<boolean>): Promise<void> {
  const late = Date.now() + 30_000
  while (!(await look())) {
    assert.ok(Date.now() < late, `never seen: ${what}\n${server.output()}`)
    await wait(50)
  }
}
