/** Does the work when it is its turn; work that is urgent comes before all other work. */
export type FairQueue = (work: () => unknown, urgent?: boolean) => void

type Share = {
  /** How many works may begin in one turn of the event loop, and for how many ms. */
  per_turn?: number
  per_turn_ms?: number
  /** How many may be under way at once, if they return promises. */
  at_once?: number
  /** The first works of a turn begin when they come, not in the next turn. */
  eager?: boolean
}

/**
 * Does works in the order in which they come, a share of them in each turn of the event loop: what thousands of
 * connections cause in one moment is done piece by piece, and nobody else waits for all of it. While none may begin, it
 * does nothing until one ends.
 */
export function openFairQueue({
  per_turn = Infinity,
  per_turn_ms = 1,
  at_once = Infinity,
  eager = false,
}: Share = {}): FairQueue {
  const urgent = openLine()
  const others = openLine()
  let under_way = 0
  /** The next turn of the event loop is due to look again. */
  let due = false
  /** When this turn began, and how many works in it. */
  let began_ms = 0
  let begun = 0

  const waiting = () => urgent.length() + others.length() > 0

  function mayBegin(): boolean {
    if (under_way >= at_once || begun >= per_turn) return false
    return begun === 0 || performance.now() - began_ms < per_turn_ms
  }

  function begin(work: () => unknown): void {
    begun++
    const result = work()
    if (!(result instanceof Promise)) return
    under_way++
    result.then(end, end)
  }

  function end(): void {
    under_way--
    if (!due) beginTurn()
  }

  function beginTurn(): void {
    began_ms = performance.now()
    begun = 0
    lookAgain()
    while (waiting() && mayBegin()) begin(urgent.next() ?? others.next()!)
  }

  function lookAgain(): void {
    due = true
    setImmediate(look)
  }

  function look(): void {
    due = false
    if (waiting() && under_way < at_once) beginTurn()
  }

  return (work, is_urgent = false) => {
    if (!due) {
      if (eager) beginTurn()
      else lookAgain()
    }
    if (eager && !waiting() && mayBegin()) begin(work)
    else (is_urgent ? urgent : others).add(work)
  }
}

/** Works in their order; taking the first costs the same however many wait. */
function openLine() {
  let line: (() => unknown)[] = []
  let first = 0
  return {
    length: () => line.length - first,
    add: (work: () => unknown) => void line.push(work),
    next(): (() => unknown) | undefined {
      if (first === line.length) return undefined
      const work = line[first++]
      if (first === line.length) {
        line = []
        first = 0
      } else if (first === FORGET_AFTER) {
        line = line.slice(first)
        first = 0
      }
      return work
    },
  }
}

/** Works that are done and whose memory is not free yet. */
const FORGET_AFTER = 1_000

/** Does the works of one key one after the other: each begins when the one before it has ended, however that ended. */
export function openTurns(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return (key, work) => {
    const turn = Promise.resolve(last.get(key)).then(work, work)
    last.set(key, turn)
    const leave = () => void (last.get(key) === turn && last.delete(key))
    turn.then(leave, leave)
    return turn
  }
}
