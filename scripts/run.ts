import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..')

/** For programs that tests start repeatedly: with it Node compiles a source once, which halves a server's start. */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(ROOT, 'node_modules/.cache/compile'),
}

type Options = { cwd?: string; env?: Record<string, string>; timeout_ms?: number }

/**
 * Runs a command in this terminal; resolves to its exit status, or 1 if a signal ended it. A SIGTERM to this process is
 * forwarded, so that nothing is left behind.
 */
export async function run(command: string, args: string[], { cwd = ROOT, env, timeout_ms }: Options = {}) {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: 'inherit',
    timeout: timeout_ms,
  })
  const end = () => child.kill()
  process.once('SIGTERM', end)
  try {
    const [status] = (await once(child, 'exit')) as [number | null]
    return status ?? 1
  } finally {
    process.off('SIGTERM', end)
  }
}

/** Like `run`, for a program of an installed package: `runInstalled('typescript/bin/tsc', …)`, with this same Node. */
export function runInstalled(program: string, args: string[], options?: Options): Promise<number> {
  return run(process.execPath, [join(ROOT, 'node_modules', program), ...args], options)
}

/** Ends this process with the result of `work`, or with 1 and the error's one sentence. */
export async function main(work: () => Promise<number | void>): Promise<void> {
  try {
    process.exitCode = (await work()) ?? 0
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
