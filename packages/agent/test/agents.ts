import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Membership } from '#agent/folder.ts'
import { type Endpoint, openEndpoint } from '#test/endpoint.ts'
import { type Air, readAir } from '#test/scripted.ts'

const PROGRAM = join(import.meta.dirname, 'agent-process.ts')

/** Agents are started many times; with this cache, Node compiles each source only once. */
const COMPILE_CACHE = {
  NODE_COMPILE_CACHE:
    process.env.NODE_COMPILE_CACHE ?? join(import.meta.dirname, '../../../node_modules/.cache/compile'),
}

type AgentProcess = {
  readonly child: ChildProcess
  /** Its whole output. */
  readonly output: () => string
  readonly ended: Promise<{ status: number | null; signal: NodeJS.Signals | null }>
  kill: () => Promise<void>
  stop: () => Promise<number | null>
}

export type Scene = {
  readonly endpoint: Endpoint
  /** The folders of the agent, and of the radio of device `d1`. */
  readonly folder: string
  readonly radio: string
  /** `blocks`: the maximum size of its files, to simulate a full disk. */
  run: (options?: RunOptions) => AgentProcess
  air: () => Air[]
  /** Puts an SMS, or a part of one, on the SIM. */
  receive: (name: string, sms: Record<string, unknown>) => void
}

type RunOptions = { kill_at?: string; args?: string[]; env?: Record<string, string>; blocks?: number }

export function temporaryFolder(t: { after: (end: () => void) => void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'agent-'))
  // A driver may still be writing there.
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 10 }))
  return folder
}

export function membership(uid: string, mqtt_url: string, fields: Partial<Membership> = {}): Membership {
  return {
    uid,
    secret: `secret of ${uid}`,
    mqtt_url,
    acks: 'puback',
    server_url: 'http://127.0.0.1:1',
    linked_at: '2026-01-01T00:00:00.000Z',
    driver: 'scripted',
    settings: {},
    ...fields,
  }
}

/** An endpoint, and a folder in which `d1` is linked with it. Both are removed after the test. */
export async function openScene(
  t: TestContext,
  { acks = 'puback', devices = ['d1'] }: { acks?: Membership['acks']; devices?: string[] } = {},
): Promise<Scene> {
  const endpoint = await openEndpoint()
  t.after(() => endpoint.close())
  const folder = temporaryFolder(t)
  const radioOf = (uid: string) => join(folder, `radio-${uid}`)
  const radio = radioOf(devices[0]!)
  mkdirSync(join(radio, 'sim'), { recursive: true })
  const linked = devices.map((uid) => {
    return membership(uid, endpoint.mqtt_url, { acks, settings: { folder: radioOf(uid) } })
  })
  writeFileSync(join(folder, 'devices.json'), JSON.stringify({ devices: linked }), { mode: 0o600 })
  return {
    endpoint,
    folder,
    radio,
    run: ({ kill_at, args = ['run'], env, blocks } = {}) =>
      start(t, [...args, '--dir', folder], { ...(kill_at && { KILL_AT: kill_at }), ...env }, blocks),
    air: () => readAir(radio),
    receive: (name, sms) => writeFileSync(join(radio, 'sim', `${name}.json`), JSON.stringify(sms)),
  }
}

/** Changes the linked devices without the agent. */
export function rewriteDevices(folder: string, change: (devices: Membership[]) => Membership[]): void {
  const path = join(folder, 'devices.json')
  const { devices } = JSON.parse(readFileSync(path, 'utf8')) as { devices: Membership[] }
  writeFileSync(path, JSON.stringify({ devices: change(devices) }))
}

function start(t: TestContext, args: string[], env: Record<string, string>, blocks?: number): AgentProcess {
  const limit = blocks === undefined ? '' : `ulimit -f ${blocks}; `
  const child = spawn('sh', ['-c', `${limit}exec "$@"`, 'sh', process.execPath, PROGRAM, ...args], {
    env: { PATH: process.env.PATH, HOME: '/nonexistent', ...(blocks === undefined && COMPILE_CACHE), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  }
  const ended = once(child, 'close').then(([status, signal]) => ({
    status: status as number | null,
    signal: signal as NodeJS.Signals | null,
  }))
  t.after(() => child.kill('SIGKILL'))
  return {
    child,
    output: () => output,
    ended,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    async stop() {
      child.kill('SIGTERM')
      return (await ended).status
    },
  }
}

/** For conditions that the endpoint does not see: polls for twenty seconds at most. */
export async function eventually(what: string, look: () => boolean): Promise<void> {
  const late = Date.now() + 20_000
  while (!look()) {
    if (Date.now() > late) throw new Error(`never seen: ${what}`)
    await wait(10)
  }
}
