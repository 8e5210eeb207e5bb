import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { readAir } from '../packages/agent/test/scripted.ts'
import { COMPILE_CACHE } from '../scripts/run.ts'
import { openSession } from '../scripts/session.ts'
import { newSettings, type ServerProcess, startProcess, SUPERADMIN } from './server-process.ts'

const AGENT = join(import.meta.dirname, '../packages/agent/test/agent-process.ts')
const FAR = '+34600111222'

const folder = mkdtempSync(join(tmpdir(), 'sdd-agent-'))
const radio = join(folder, 'radio')
const dir = join(folder, 'agent')
const running = new Set<ChildProcess>()
let server: ServerProcess
let token = ''

before(async () => {
  mkdirSync(join(radio, 'sim'), { recursive: true })
  server = await startProcess(await newSettings(folder, { LOG_LEVEL: 'warn' }))
  token = await openSession(server.url, SUPERADMIN)
  const { code } = await api<{ code: string }>('/api/link-codes', {})
  const how = [
    '--server',
    server.url,
    '--code',
    code,
    '--uid',
    'office-1',
    '--driver',
    'scripted',
    '--folder',
    radio,
  ]
  assert.equal((await ended(agent('link', ...how))).status, 0)
})

after(async () => {
  for (const child of running) child.kill('SIGKILL')
  await server.stop()
  rmSync(folder, { recursive: true })
})

test('a device links with a code, sends the server’s messages, and reports the results', async () => {
  const child = agent('run')
  await shown((status) => status === 'connected')
  const guid = await send('parts=2 delivered')
  await state(guid, 'delivered')
  assert.deepEqual(
    readAir(radio).map(({ to, n }) => [to, n]),
    [
      [FAR, 1],
      [FAR, 2],
    ],
  )
  const sms = { id: 's1', from: FAR, text: 'Sí, gracias', at: new Date().toISOString() }
  writeFileSync(join(radio, 'sim', '1.json'), JSON.stringify(sms))
  const { answer_3 } = await state(guid, 'replied')
  assert.equal(answer_3, 'Sí, gracias')
  child.kill('SIGTERM')
  assert.equal((await ended(child)).status, 0)
  await shown((status) => status === 'disconnected')
})

test('killed with a message on air, the device reports it as uncertain and sends waiting messages, none twice', async () => {
  const child = agent('run')
  await shown((status) => status === 'connected')
  const doubtful = await send('kill=on-air-1')
  await ended(child)
  await shown((status) => status === 'disconnected')
  agent('run')
  await shown((status) => status === 'connected')
  const next = await send('delivered')
  assert.equal((await state(doubtful, 'uncertain')).error, 'unknown_outcome')
  await state(next, 'delivered')
  const on_air = readAir(radio).map(({ guid, n }) => `${guid} ${n}`)
  assert.equal(new Set(on_air).size, on_air.length)
})

function agent(...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [AGENT, ...args, '--dir', dir], {
    env: { PATH: process.env.PATH, HOME: folder, ...COMPILE_CACHE },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

async function ended(child: ChildProcess): Promise<{ status: number | null }> {
  const [status] =
    child.exitCode === null && child.signalCode === null ? await once(child, 'exit') : [child.exitCode]
  return { status: status as number | null }
}

async function api<Body>(path: string, body?: unknown): Promise<Body> {
  const answer = await fetch(server.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return (await answer.json()) as Body
}

async function send(text: string): Promise<string> {
  const sms = { device_uid: 'office-1', telefono_to: FAR, mensaje_sms: text }
  const { guid, status } = await api<{ guid: string; status: string }>('/api/device-send-sms', sms)
  assert.equal(status, 'SMS enviado vía MQTT')
  return guid
}

async function shown(isIt: (status: string) => boolean): Promise<void> {
  await eventually('its status', async () => {
    const { devices } = await api<{ devices: { uid: string; status: string }[] }>('/api/device-list')
    return devices.some(({ uid, status }) => uid === 'office-1' && isIt(status)) || undefined
  })
}

type Entry = { guid: string; state: string; answer_3: string | null; error: string | null }

function state(guid: string, wanted: string): Promise<Entry> {
  return eventually(`${guid} is ${wanted}`, async () => {
    const { logs } = await api<{ logs: Entry[] }>(`/api/logs/devices?search=${guid}`)
    return logs.find((entry) => entry.guid === guid && entry.state === wanted)
  })
}

async function eventually<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const late = Date.now() + 30_000
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    assert.ok(Date.now() < late, `never seen: ${what}`)
    await wait(50)
  }
}
