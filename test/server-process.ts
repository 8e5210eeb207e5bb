import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../scripts/free-port.ts'
import { COMPILE_CACHE, ROOT } from '../scripts/run.ts'

const MAIN = 'packages/server/src/app/main.ts'

export type ServerProcess = {
  readonly url: string
  readonly child: ChildProcess
  /** Everything it wrote, on both streams. */
  output(): string
  /** As the power would. */
  kill(): Promise<void>
  /** As an operator would; resolves to its exit status. */
  stop(signal?: 'SIGTERM' | 'SIGINT'): Promise<number | null>
}

type Settings = Record<string, string>

/** Of the superadmin that `newSettings` name. */
export const PASSWORD = 'correct horse battery'
export const SUPERADMIN = { username: 'superadmin', password: PASSWORD }

/** Settings for a server with ports of its own, and a folder of its own below this one. */
export async function newSettings(home: string, more: Settings = {}) {
  const ports = { PORT: await freePort(), MQTT_PORT: await freePort() }
  return { ...ports, DATA_DIR: mkdtempSync(join(home, 'data-')), ADMIN_PASSWORD: PASSWORD, ...more }
}

/** What the kernel refuses to the process: a file that grows larger (`RLIMIT_FSIZE`). */
type Limit = { most_file_kb?: number }

/** Starts the server as a process of its own and resolves when it is ready. Rejects with its output where it ends. */
export async function startProcess(settings: Settings, limit: Limit = {}): Promise<ServerProcess> {
  const { child, ended, written } = spawnProgram(MAIN, [], settings, settings.DATA_DIR, limit)
  const output = () => written.stdout + written.stderr
  const url = `${settings.TLS_CERT_FILE ? 'https' : 'http'}://127.0.0.1:${settings.PORT}`
  while (!(await isReady(url))) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`The server ended:\n${output()}`)
    await wait(20)
  }
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return ended
  }
  return {
    url,
    child,
    output,
    kill: async () => void (await end('SIGKILL')),
    stop: (signal = 'SIGTERM') => end(signal),
  }
}

/** Runs a program of the repository, the server where none is named, until it ends by itself. */
export async function runToEnd(
  settings: Settings,
  {
    program = MAIN,
    args = [],
    cwd,
    ...limit
  }: { program?: string; args?: string[]; cwd?: string } & Limit = {},
): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const { ended, written } = spawnProgram(program, args, settings, cwd, limit)
  const status = await ended
  return { status, ...written }
}

// A test that fails stops nothing: what it leaves behind would keep the run from ending.
const running = new Set<ChildProcess>()
after(() => {
  for (const child of running) child.kill('SIGKILL')
})

function spawnProgram(
  program: string,
  args: string[],
  settings: Settings,
  cwd: string | undefined,
  { most_file_kb }: Limit,
) {
  const command = [process.execPath, join(ROOT, program), ...args]
  // In blocks of 512 bytes, as POSIX has it.
  const limited = ['sh', '-c', `ulimit -f ${(most_file_kb ?? 0) * 2}; exec "$@"`, 'sh', ...command]
  const [file, ...rest] = most_file_kb === undefined ? command : limited
  const child = spawn(file!, rest, {
    // The cache's files would break the limit.
    env: { PATH: process.env.PATH, ...(most_file_kb === undefined && COMPILE_CACHE), ...settings },
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text) => (written[name] += text))
  const ended = once(child, 'close').then(([status]) => status as number | null)
  return { child, ended, written }
}

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`).catch(() => undefined)
  return answer?.ok ?? false
}
