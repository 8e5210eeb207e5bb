import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Refusal } from './refusal.ts'

/** Work that is repeated, one run at a time. */
export type Loop = {
  /** Requests a run soon, or right after the current one. Several calls before it starts cause only one run. */
  wake(): void
  /** Resolves when the current run has ended. No other run starts. */
  stop(): Promise<void>
}

/** The pause after a failure doubles from the first value to the longest. A wake-up does not cut it short. */
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 30_000

/**
 * Runs `work` at once, then every `every_ms`, or earlier if `work` returns the ms until its next run. A failed run is
 * logged, and the pause grows with each further failure.
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
    // Deferred, because the work may call `wake` before its first await, and `running` must be set by then.
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
      // A refusal, such as a full disk, is not a defect and needs no stack.
      const why = error instanceof Refusal ? { why: error.message } : { err: error }
      log.error({ ...why, loop: name, pause_ms }, `The loop ${name} failed; it will be retried`)
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

/** How long one piece of work may block the thread. */
const THREAD_MS = 1

/**
 * Await the returned function in each round of long work. It waits for the next turn of the event loop if the work has
 * blocked the thread for `THREAD_MS`, so that other work is not delayed.
 */
export function openYielding(): () => Promise<void> {
  let began = performance.now()
  return async () => {
    if (performance.now() - began < THREAD_MS) return
    await nextTurn()
    began = performance.now()
  }
}
