import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

const MAIN = join(import.meta.dirname, '../packages/server/src/main.ts')

export type ServerProcess = {
  readonly url: string
  readonly child: ChildProcess
  /** Everything it wrote, on both streams. */
  output(): string
  /** As the power would. */
  kill(): Promise<void>
  /** As an operator would; resolves to its exit status. */
  stop(): Promise<number | null>
}

/** Starts the server as a process of its own and resolves when it is ready. Rejects with its output where it ends. */
export async function startProcess(settings: Record<string, string>): Promise<ServerProcess> {
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env.PATH, ...settings },
    cwd: settings.DATA_DIR,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text))
  const exited = once(child, 'exit') as Promise<[number | null]>
  const url = `http://127.0.0.1:${settings.PORT}`
  while (!(await isReady(url))) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`The server ended:\n${output}`)
    await wait(20)
  }
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    child.kill(signal)
    return (await exited)[0]
  }
  return {
    url,
    child,
    output: () => output,
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  }
}

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`).catch(() => undefined)
  return answer?.ok ?? false
}

/** A port that is free now. */
export async function freePort(): Promise<string> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  probe.close()
  return String(port)
}
