import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DATABASE_FILE } from '../../packages/server/src/database/files.ts'
import { SERVER } from '../../scripts/build-server.ts'
import { COMPILE_CACHE, ROOT } from '../../scripts/run.ts'
import { killAtCheckpoint } from './checkpoint.ts'
import { type Kill, places } from './plan.ts'

/** How one life of the server ended. */
export type Death = {
  /** Whether it ended at the planned place; if that is not reached in time, it is killed anyway. */
  reached: boolean
  /** From the start of the process until /readyz answered 200; `undefined` if it died first. */
  ready_ms: number | undefined
}

/** The server to be killed. The load and the checks know only its address. */
export type Victim = {
  readonly url: string
  /** Since when it has been ready, in ms since 1970; `undefined` if it is not. */
  readyAt(): number | undefined
  /** Starts it, lets it serve until this kill, and resolves once it is dead. */
  live(kill: Kill): Promise<Death>
  /** Starts it to serve until `stop`; resolves to the time until it was ready. */
  serve(): Promise<number>
  /** Like an operator; resolves to its exit status. */
  stop(): Promise<number | null>
  /** Like a power cut, at any moment; resolves once it is dead. */
  kill(): Promise<void>
  /** Pauses it like a sleeping machine; and resumes it. */
  freeze(): void
  thaw(): void
  /** Logged warnings and errors, and any other output; each once. */
  complaints(): string[]
}

const MAIN = join(ROOT, SERVER)
const END_AT = join(import.meta.dirname, 'end-at.ts')
/** A place not reached within this time counts as missed. */
const PLACE_WITHIN_MS = 15_000
const READY_WITHIN_MS = 60_000
const LOOK_EVERY_MS = 10
const COMPLAINING: ReadonlySet<string> = new Set(['warn', 'error', 'fatal'])

type Logged = { level: string; msg: string; why?: string; err?: { message: string } }
type Settings = Record<string, string> & { PORT: string; DATA_DIR: string }
type Life = { child: ChildProcess; began: number; dead: Promise<[number | null, NodeJS.Signals | null]> }

/** One built server in its own process, always with the same ports and folder. */
export function openVictim(settings: Settings): Victim {
  const url = `http://127.0.0.1:${settings.PORT}`
  const complaints = new Set<string>()
  let ready_at: number | undefined
  let current: Life | undefined

  function start(kill?: Kill): Life {
    const armed = kill !== undefined && kill.place !== 'anywhere' && places[kill.place].point !== undefined
    const child = spawn(process.execPath, [...(armed ? ['--import', END_AT] : []), MAIN], {
      env: {
        PATH: process.env.PATH,
        ...COMPILE_CACHE,
        ...settings,
        ...(armed && { TORTURE: JSON.stringify(kill) }),
      },
      cwd: settings.DATA_DIR,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr]) hear(stream)
    const dead = once(child, 'exit') as Life['dead']
    void dead.then(() => (ready_at = undefined))
    return (current = { child, began: performance.now(), dead })
  }

  function hear(stream: NodeJS.ReadableStream): void {
    let rest = ''
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop()!
      for (const line of lines) judgeLine(line)
    })
  }

  function judgeLine(line: string): void {
    try {
      const { level, msg, why, err } = JSON.parse(line) as Logged
      const reason = why ?? err?.message
      if (COMPLAINING.has(level)) complaints.add(`it logged '${msg}'${reason ? ` (${reason})` : ''}`)
    } catch {
      if (line.trim() !== '') complaints.add(`it wrote '${line.slice(0, 200)}'`)
    }
  }

  /** The time it took, or `undefined` if it died first. */
  async function untilReady({ child, began }: Life): Promise<number | undefined> {
    const alive = () => child.exitCode === null && child.signalCode === null
    while (alive()) {
      const answer = await fetch(`${url}/readyz`).catch(() => undefined)
      if (answer?.ok && alive()) {
        ready_at = Date.now()
        return performance.now() - began
      }
      if (performance.now() - began > READY_WITHIN_MS)
        throw new Error(`The server was not ready within ${READY_WITHIN_MS / 1000} s`)
      await sleep(LOOK_EVERY_MS)
    }
    return undefined
  }

  /** Only a kill -9 may end it. */
  async function death({ dead }: Life): Promise<void> {
    const [status, signal] = await dead
    if (signal !== 'SIGKILL')
      throw new Error(`The server ended by itself, with ${signal ?? status}: ${[...complaints].join('; ')}`)
  }

  async function live(kill: Kill): Promise<Death> {
    const life = start(kill)
    const end = () => void life.child.kill('SIGKILL')
    if (kill.place === 'anywhere' && kill.from === 'start') {
      setTimeout(end, kill.after_ms)
      const ready_ms = await untilReady(life)
      await death(life)
      return { reached: true, ready_ms }
    }
    const ready_ms = await untilReady(life)
    if (kill.place === 'anywhere') {
      await sleep(kill.after_ms)
      end()
      await death(life)
      return { reached: true, ready_ms }
    }
    let late = false
    const timer = setTimeout(() => {
      late = true
      end()
    }, PLACE_WITHIN_MS)
    const watch =
      kill.place === 'checkpoint'
        ? killAtCheckpoint({
            pid: life.child.pid!,
            shm_path: join(settings.DATA_DIR, `${DATABASE_FILE}-shm`),
          })
        : undefined
    await death(life)
    clearTimeout(timer)
    const reached = watch === undefined || (await watch.stop())
    return { reached: reached && !late, ready_ms }
  }

  return {
    url,
    readyAt: () => ready_at,
    live,
    async serve() {
      const life = start()
      const ready_ms = await untilReady(life)
      if (ready_ms !== undefined) return ready_ms
      const [status] = await life.dead
      throw new Error(`The server did not start (exit status ${status}): ${[...complaints].join('; ')}`)
    },
    async stop() {
      current!.child.kill('SIGTERM')
      const [status] = await current!.dead
      return status
    },
    async kill() {
      current?.child.kill('SIGKILL')
      await current?.dead
    },
    freeze: () => void current!.child.kill('SIGSTOP'),
    thaw: () => void current!.child.kill('SIGCONT'),
    complaints: () => [...complaints],
  }
}
