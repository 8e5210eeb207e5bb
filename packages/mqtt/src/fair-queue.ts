/** Queues work. Urgent work comes before all other work. */
export type FairQueue = (work: () => unknown, urgent?: boolean) => void

type Share = {
  /** How many pieces of work may start in one turn of the event loop, and for how many ms. */
  per_turn?: number
  per_turn_ms?: number
  /** How many may be in progress at once, if they return promises. */
  at_once?: number
  /** Work that arrives while the turn has capacity left starts at once, not in the next turn. */
  eager?: boolean
}

/**
 * Does work in order of arrival, a share in each turn of the event loop. When thousands of connections cause work at
 * once, it is spread over many turns, so that other work is not delayed. At the limit of `at_once`, it sleeps until a
 * piece of work ends.
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
  /** A look at the queue is scheduled for the next turn of the event loop. */
  let due = false
  /** When this turn began, and how much work has started in it. */
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

/** A queue of work. Taking the first element costs the same for any length. */
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

/** How many taken elements to keep before their memory is released. */
const FORGET_AFTER = 1_000

/** Runs the work of each key one at a time: the next starts when the previous one has ended or failed. */
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
