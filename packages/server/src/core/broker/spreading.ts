import { setImmediate as turn } from 'node:timers/promises'

/** In ms and works, what one turn of the event loop may have of them. */
type Share = { most?: number; most_ms?: number }

/**
 * Does what it is given in the order in which that came, in many turns of the event loop, at most so many in each: what
 * thousands of connections bring about in one moment is worked through piece by piece, and nobody else has to wait for all of it.
 */
export function openSpreading({ most = Infinity, most_ms = 1 }: Share = {}): (work: () => void) => void {
  let waiting: (() => void)[] = []
  let going = false

  async function workThrough(): Promise<void> {
    let [began, done] = [performance.now(), 0]
    while (waiting.length > 0) {
      const some = waiting
      waiting = []
      for (const work of some) {
        work()
        if (++done < most && performance.now() - began < most_ms) continue
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

/** Does at once what it is given in the first so many ms of a turn of the event loop, and spreads the rest over later ones. */
export function openYielding(most_ms: number): (work: () => void) => void {
  const spread = openSpreading({ most_ms })
  let began: number | undefined
  const over = () => void (began = undefined)

  return (work) => {
    const now = performance.now()
    if (began === undefined) {
      began = now
      setImmediate(over)
    }
    if (now - began < most_ms) work()
    else spread(work)
  }
}
