import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuOf, mainThreadCpuOf, residentOf } from './machine.ts'

/** A program that the benchmark started. */
export type Child = {
  readonly pid: number
  /** Processor time so far, in µs. */
  cpu(): number
  /** The same of its main thread only. */
  mainThreadCpu(): number
  resident_mib(): number
  /** Its output. */
  output(): string
  ended(): boolean
  stop(signal?: NodeJS.Signals): Promise<void>
}

const running = new Set<ChildProcess>()
// However this process ends, nothing is left behind.
process.on('exit', killAll)

/** Ends every started program that still runs. */
export function killAll(): void {
  for (const child of running) child.kill('SIGKILL')
}

/** Starts a program whose output goes to `<folder>/<name>.log`, because reading a pipe would cost this process time. */
export function startChild(needs: {
  name: string
  folder: string
  command: string
  args: readonly string[]
  env?: Record<string, string>
  cwd?: string
}): Child {
  const { name, folder, command, args, env, cwd } = needs
  const path = join(folder, `${name}.log`)
  const log = openSync(path, 'a')
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, TZ: 'UTC', ...env },
    stdio: ['ignore', log, log],
    ...(cwd !== undefined && { cwd }),
  })
  running.add(child)
  const gone = once(child, 'exit').finally(() => running.delete(child))
  gone.catch(() => {})
  const ended = () => child.exitCode !== null || child.signalCode !== null
  return {
    get pid() {
      if (child.pid === undefined) throw new Error(`${command} could not be started`)
      return child.pid
    },
    cpu: () => cpuOf(child.pid!),
    mainThreadCpu: () => mainThreadCpuOf(child.pid!),
    resident_mib: () => residentOf(child.pid!),
    output: () => readFileSync(path, 'utf8'),
    ended,
    async stop(signal = 'SIGTERM') {
      if (ended()) return
      child.kill(signal)
      const late = setTimeout(() => child.kill('SIGKILL'), 15_000)
      await gone
      clearTimeout(late)
    },
  }
}

/** Resolves when `look` resolves to anything but false; rejects with the child's output if it ends first. */
export async function untilReady(
  child: Child,
  look: () => Promise<boolean>,
  within_ms = 60_000,
): Promise<void> {
  const began = performance.now()
  while (!(await look().catch(() => false))) {
    if (child.ended()) throw new Error(`A program ended too early:\n${child.output().slice(-2_000)}`)
    if (performance.now() - began > within_ms)
      throw new Error(`A program was not ready within ${within_ms / 1000} s`)
    await sleep(5)
  }
}
