import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atEndOfFile } from '../../../scripts/end-of-file.ts'
import { linkTestDevice } from './device.ts'
import { enter } from './seeds.ts'
import { ADMIN } from './server.ts'

/** The built server in a run of `npm test`, which built it; otherwise the sources. */
const MAIN = join(
  import.meta.dirname,
  '../../..',
  process.env['TEST_SERVER'] ?? 'packages/server/src/app/main.ts',
)

/** A failing test stops no process, and a remaining one would keep the run from ending. */
export function endWithFile(child: ChildProcess): void {
  atEndOfFile(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
}

export type ServerChild = Awaited<ReturnType<typeof startChild>>

/** The server as its own process on free ports, observed from outside; it ends with the test file. */
export async function startChild(settings: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-child-'))
  const env = {
    PATH: process.env.PATH,
    PORT: '0',
    MQTT_PORT: '0',
    DATA_DIR: folder,
    ADMIN_USERNAME: ADMIN.username,
    ADMIN_PASSWORD: ADMIN.password,
    ...settings,
  }
  const { child, output } = await startProgram(MAIN, env, /The console is at (http\S+?)"/)
  atEndOfFile(() => rmSync(folder, { recursive: true }))
  const url = /The console is at (http\S+?)"/.exec(output())![1]!
  const { token } = await enter({ url }, ADMIN.username, ADMIN.password)
  const { mqtt_url } = await linkTestDevice({ url }, token, 'first')
  return {
    url,
    token,
    folder,
    port: Number(new URL(url).port),
    mqtt_port: Number(new URL(mqtt_url).port),
    mqtt_url,
    /** All its log output so far. */
    output,
    memory_mib: () => memoryOf(child),
    /** The sum of a metric of `/metrics` over all its labels, or the given ones. */
    async figure(name: string, labels = ''): Promise<number> {
      const text = await (await fetch(`${url}/metrics`)).text()
      const lines = text.split('\n').filter((line) => line.startsWith(name) && line.includes(labels))
      return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
    },
  }
}

/** Runs a program until the test file ends; resolves once it has written the awaited text. */
export async function startProgram(
  program: string,
  env: NodeJS.ProcessEnv,
  ready: RegExp,
  args: string[] = [],
) {
  const child = spawn(process.execPath, [program, ...args], {
    env,
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  endWithFile(child)
  let written = ''
  await new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      written += text
      if (ready.test(written)) resolve()
    })
    child.once('exit', () => reject(new Error(`${program} ended:\n${written}`)))
  })
  return { child, output: () => written }
}

/** The process's memory in MiB, as the operating system reports it. */
export function memoryOf({ pid }: ChildProcess): number {
  const kib =
    process.platform === 'linux'
      ? /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]
      : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })
  return Number(kib) / 1_024
}
