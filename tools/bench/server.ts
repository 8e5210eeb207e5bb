import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { buildServer, SERVER } from '../../scripts/build-server.ts'
import { ROOT } from '../../scripts/run.ts'
import { openSession, prove } from '../../scripts/session.ts'
import { freePort } from '../../scripts/free-port.ts'
import { type Child, startChild, untilReady } from './children.ts'
import type { Account } from './device.ts'
import { type HttpLoad, openHttpLoad } from './http.ts'

export type BenchServer = {
  readonly url: string
  readonly port: number
  readonly mqtt_port: number
  readonly child: Child
  /** From the start of the program until it was ready. */
  readonly started_ms: number
  /** The metrics of `/metrics`, by name with labels as printed there. */
  figures(): Promise<Map<string, number>>
  stop(): Promise<void>
}

/** A measured installation: its data folder and the settings of its server. */
export type Home = { folder: string; settings: Record<string, string>; profile_folder?: string | undefined }

export const ADMIN = { username: 'superadmin', password: 'correct horse battery' }

/** Starts the server like an operator, on free ports; resolves when it is ready. */
export async function startBenchServer({ folder, settings, profile_folder }: Home): Promise<BenchServer> {
  mkdirSync(folder, { recursive: true })
  await buildServer()
  const [port, mqtt_port] = [Number(await freePort()), Number(await freePort())]
  const url = `http://127.0.0.1:${port}`
  const profiling = profile_folder ? ['--cpu-prof', `--cpu-prof-dir=${profile_folder}`] : []
  const began = performance.now()
  const child = startChild({
    name: 'server',
    folder,
    command: process.execPath,
    args: ['--max-semi-space-size=16', ...profiling, join(ROOT, SERVER)],
    env: {
      PORT: String(port),
      MQTT_PORT: String(mqtt_port),
      DATA_DIR: join(folder, 'data'),
      ADMIN_USERNAME: ADMIN.username,
      ADMIN_PASSWORD: ADMIN.password,
      // Otherwise a copy of ten million rows could run in the middle of a round.
      BACKUP_EVERY_HOURS: '0',
      // As in `npm start`.
      MALLOC_ARENA_MAX: '2',
      MALLOC_MMAP_THRESHOLD_: '4194304',
      MALLOC_TRIM_THRESHOLD_: '4194304',
      ...settings,
    },
    cwd: folder,
  })
  await untilReady(child, async () => (await fetch(`${url}/readyz`)).ok, 600_000)
  return {
    url,
    port,
    mqtt_port,
    child,
    started_ms: performance.now() - began,
    async figures() {
      const text = await (await fetch(`${url}/metrics`)).text()
      const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
      return new Map(
        lines.map((line) => {
          const end = line.lastIndexOf(' ')
          return [line.slice(0, end), Number(line.slice(end))]
        }),
      )
    },
    stop: () => child.stop(),
  }
}

/** Starts several servers over one database; the first one prepares it for the others. */
export async function startReplicas(home: Home, count: number): Promise<BenchServer[]> {
  const first = await startBenchServer({ ...home, folder: `${home.folder}-1` })
  const others = Array.from({ length: count - 1 }, (_, place) =>
    startBenchServer({ ...home, folder: `${home.folder}-${place + 2}` }),
  )
  return [first, ...(await Promise.all(others))]
}

/** The benchmark's credentials for an installation. */
export type Access = { token: string; key: string }

/** Opens a session and creates an API key of the first company, without pacing between messages. */
export async function gainAccess(server: Pick<BenchServer, 'url'>): Promise<Access> {
  const token = await openSession(server.url, ADMIN)
  const post = async (path: string, sent: unknown) =>
    answerOf(
      await fetch(server.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(sent),
      }),
    )
  await post('/api/global-settings', { spoof_time_secs: 0, send_enabled: true })
  const { key } = (await post('/api/api-keys', { name: 'bench' })) as { key: string }
  return { token, key }
}

async function answerOf(response: Response): Promise<unknown> {
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${text.slice(0, 300)}`)
  return JSON.parse(text)
}

/** The most uses of one link code. */
const USES = 10_000

/** Links devices `<prefix>-1` … without a daily limit. */
export async function linkDevices(
  server: Pick<BenchServer, 'url' | 'port'>,
  { token }: Access,
  { count, prefix }: { count: number; prefix: string },
): Promise<Account[]> {
  await prove(server.url, token, ADMIN)
  const load = openJson(server.port, token, 32)
  const codes: string[] = []
  for (let linked = 0; linked < count; linked += USES) {
    const uses = Math.min(USES, count - linked)
    codes.push((await load.post<{ code: string }>('/api/link-codes', { uses, expires_in_secs: 3_600 })).code)
  }
  const accounts = await Promise.all(
    Array.from({ length: count }, async (_, place) => {
      const uid = `${prefix}-${place + 1}`
      const code = codes[Math.floor(place / USES)]
      const { secret } = await load.post<Account>('/api/devices/link', { code, uid })
      await load.post('/api/device-list-settings', { uid, max_sms_dayly: 100_000 })
      return { uid, secret }
    }),
  )
  load.close()
  return accounts
}

/** Calls of the API that must succeed. */
export function openJson(port: number, token: string, connections: number) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const load: HttpLoad = openHttpLoad({ port, connections, headers })
  const call = async <Body>(line: string, body?: string): Promise<Body> => {
    const answer = await load.request(line, body)
    if (answer.status >= 300)
      throw new Error(`${line} answered ${answer.status}: ${answer.body.slice(0, 300)}`)
    return JSON.parse(answer.body) as Body
  }
  return {
    get: <Body>(path: string) => call<Body>(`GET ${path}`),
    post: <Body>(path: string, body: unknown) => call<Body>(`POST ${path}`, JSON.stringify(body)),
    load,
    close: () => load.close(),
  }
}
