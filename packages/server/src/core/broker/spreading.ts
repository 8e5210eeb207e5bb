import { setImmediate as turn } from 'node:timers/promises'

/** For so long they have a turn of the event loop. */
const MOST_MS = 1

/**
 * Does what it is given in the order in which that came, in many turns of the event loop, at most so many in each: what
 * thousands of connections bring about in one moment is worked through piece by piece, and nobody else has to wait for all of it.
 */
export function openSpreading(most = Infinity): (work: () => void) => void {
  let waiting: (() => void)[] = []
  let going = false

  async function workThrough(): Promise<void> {
    let [began, done] = [performance.now(), 0]
    while (waiting.length > 0) {
      const some = waiting
      waiting = []
      for (const work of some) {
        work()
        if (++done < most && performance.now() - began < MOST_MS) continue
        await turn()
        began = performance.now()
        done = 0
      }
    }
    going = false
  }

  return (work) => {
    waiting.push(work)
    if (going) return
    going = true
    setImmediate(() => void workThrough())
  }
}
