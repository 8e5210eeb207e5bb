import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { atEndOfFile } from '../scripts/end-of-file.ts'
import { freePort } from '../scripts/free-port.ts'
import { COMPILE_CACHE, ROOT } from '../scripts/run.ts'

/** The built server in a run of `npm test`, which built it; otherwise the sources. */
export const MAIN = process.env['TEST_SERVER'] ?? 'packages/server/src/app/main.ts'

export type ServerProcess = {
  readonly url: string
  readonly child: ChildProcess
  /** All output so far, on both streams. */
  output(): string
  /** Like a power cut. */
  kill(): Promise<void>
  /** Like an operator; resolves to its exit status. */
  stop(signal?: 'SIGTERM' | 'SIGINT'): Promise<number | null>
}

type Settings = Record<string, string>

/** The password of the superadmin in `newSettings`. */
export const PASSWORD = 'correct horse battery'
export const SUPERADMIN = { username: 'superadmin', password: PASSWORD }

/** Settings for a server with its own ports and a new folder below `home`. */
export async function newSettings(home: string, more: Settings = {}) {
  const ports = { PORT: await freePort(), MQTT_PORT: await freePort() }
  return { ...ports, DATA_DIR: mkdtempSync(join(home, 'data-')), ADMIN_PASSWORD: PASSWORD, ...more }
}

/** A limit that the kernel enforces on the process: the maximum file size (`RLIMIT_FSIZE`). */
type Limit = { most_file_kb?: number }

/** Starts the server in its own process; resolves when it is ready. Rejects with its output if it ends before. */
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

/** Runs a program of the repository, by default the server, until it ends. */
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

function spawnProgram(
  program: string,
  args: string[],
  settings: Settings,
  cwd: string | undefined,
  { most_file_kb }: Limit,
) {
  const command = [process.execPath, join(ROOT, program), ...args]
  // In blocks of 512 bytes, as in POSIX.
  const limited = ['sh', '-c', `ulimit -f ${(most_file_kb ?? 0) * 2}; exec "$@"`, 'sh', ...command]
  const [file, ...rest] = most_file_kb === undefined ? command : limited
  const child = spawn(file!, rest, {
    // The cache's files would exceed the limit.
    env: { PATH: process.env.PATH, ...(most_file_kb === undefined && COMPILE_CACHE), ...settings },
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // A failing test stops no process, and a remaining one would keep the run from ending.
  atEndOfFile(() => child.kill('SIGKILL'))
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
