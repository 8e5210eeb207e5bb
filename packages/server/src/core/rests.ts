import { setImmediate as turn } from 'node:timers/promises'

/** For so long one work may have the thread. */
const MOST_MS = 1

/**
 * For each round of a long work: awaits a turn of the event loop where the work has had the thread for some milliseconds,
 * so that everybody else goes on meanwhile.
 */
export function openRests(): () => Promise<void> {
  let began = performance.now()
  return async () => {
    if (performance.now() - began < MOST_MS) return
    await turn()
    began = performance.now()
  }
}
