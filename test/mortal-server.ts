import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CrashPoint } from '../packages/server/src/core/crash-points.ts'
import { eventually } from '../packages/server/test/device.ts'
import { ROOT } from '../scripts/run.ts'
import { newSettings, type ServerProcess, startProcess } from './server-process.ts'

/** `received`: another system has the server's request, and the server dies before it gets the answer. */
export type Step = CrashPoint | 'received'

/** A server in its own process that is killed at chosen steps, with a clock that a test sets forward. */
export async function openMortalServer(
  home: string,
  preloads: readonly string[],
  more: Record<string, string>,
) {
  const [shift, kill] = [join(home, 'shift'), join(home, 'kill')]
  const all = ['shifted-clock', 'kill-at', ...preloads]
  const settings = await newSettings(home, {
    LOG_LEVEL: 'warn',
    NODE_OPTIONS: all.map((name) => `--import=${join(ROOT, `test/preload/${name}.ts`)}`).join(' '),
    CLOCK_SHIFT: shift,
    KILL_AT: kill,
    ...more,
  })
  let shift_ms = 0
  writeFileSync(shift, '0')
  let armed: Step | undefined
  let starting: Promise<ServerProcess | undefined> = Promise.resolve(undefined)
  let server: ServerProcess | undefined

  const isAlive = () =>
    server !== undefined && server.child.exitCode === null && server.child.signalCode === null

  return {
    url: `http://127.0.0.1:${settings.PORT}`,
    /** Sets the clock of the server forward. */
    pass(ms: number): void {
      writeFileSync(shift, String((shift_ms += ms)))
    },
    /** Starts it unless it runs. Resolves to false if it dies before `isBack`. */
    async start(isBack: () => Promise<boolean>): Promise<boolean> {
      if (!isAlive()) {
        starting = startProcess(settings).catch((error: unknown) => {
          if (armed === undefined) throw error
          return undefined
        })
        server = await starting
      }
      await eventually(async () => !isAlive() || (await isBack()))
      return isAlive()
    },
    /** Has it killed when it next reaches this step. */
    arm(step: Step): void {
      armed = step
      if (step !== 'received') writeFileSync(kill, step)
    },
    /** Resolves when it has been killed. */
    async dead(): Promise<void> {
      if (isAlive()) await once(server!.child, 'exit')
      armed = undefined
      rmSync(kill, { force: true })
    },
    /** Another system calls this when it has a request, and answers only if it resolves to true. */
    async received(): Promise<boolean> {
      if (armed !== 'received') return true
      armed = undefined
      await (await starting)?.kill()
      return false
    },
    stop: () => server?.stop(),
  }
}
