import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Refusal } from './refusal.ts'

/** Work that is done again and again, one run at a time. */
export type Loop = {
  /** Runs it soon; however often it is called, one run follows, and one more where a run is under way. */
  wake(): void
  /** Resolves when the run under way has ended; none follows. */
  stop(): Promise<void>
}

/** Waiting after a failure doubles from the first to the most. A wake-up does not cut it short. */
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 30_000

/**
 * Runs `work` at once, then every `every_ms`, or sooner where `work` returned in how many ms it wants to run again.
 * A run that fails is logged, and the next one waits longer with each failure.
 */
export function startLoop(needs: {
  name: string
  every_ms: number
  work: () => Promise<number | void>
  log: Pick<Logger, 'error'>
}): Loop {
  const { name, every_ms, work, log } = needs
  let stopped = false
  let woken = false
  let failures = 0
  let running: Promise<void> | undefined
  let timer = setTimeout(start, 0)

  function start(): void {
    woken = false
    // Not run() at once: the work may wake the loop before it first awaits, and must be seen running then.
    running = Promise.resolve()
      .then(run)
      .then((pause_ms) => {
        running = undefined
        if (!stopped) timer = setTimeout(start, woken && failures === 0 ? 0 : pause_ms)
      })
  }

  /** Resolves to the pause until the next run, in ms. */
  async function run(): Promise<number> {
    try {
      const wanted_ms = await work()
      failures = 0
      return Math.max(0, Math.min(wanted_ms ?? every_ms, every_ms))
    } catch (error) {
      const pause_ms = Math.min(FIRST_PAUSE_MS * 2 ** failures++, LONGEST_PAUSE_MS)
      // A refusal is no defect whose place one would look for: the disk is full, say.
      const why = error instanceof Refusal ? { why: error.message } : { err: error }
      log.error({ ...why, loop: name, pause_ms }, `The loop of ${name} failed; it goes on`)
      return pause_ms
    }
  }

  return {
    wake() {
      if (stopped || woken) return
      woken = true
      if (running || failures > 0) return
      clearTimeout(timer)
      timer = setTimeout(start, 0)
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}

/** One piece of work may keep the thread for this long. */
const THREAD_MS = 1

/**
 * To be awaited in each round of long work. Waits for the next turn of the event loop if the work has kept the thread for
 * `THREAD_MS`, so that other work is not held up.
 */
export function openYielding(): () => Promise<void> {
  let began = performance.now()
  return async () => {
    if (performance.now() - began < THREAD_MS) return
    await nextTurn()
    began = performance.now()
  }
}
