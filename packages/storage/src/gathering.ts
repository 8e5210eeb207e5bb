import type { Database } from './database.ts'
import type { Tx } from './tx.ts'

/** What came of a caller's own items: committed, and `kept` once it is on disk. It rejects where it never will be. */
export type Gathered<Outcome> = { outcomes: Outcome[]; kept: Promise<void> | undefined }

/**
 * Many callers' items in one work of one transaction: whoever calls while others' items are being written waits for the
 * next. Resolves once they are committed, so that what is said of them can be prepared while the disk is waited for;
 * nobody hears it before it is `kept`. Where a work with the items of several fails, each caller's are tried by
 * themselves, so that only the one at fault hears of it. `stored` hears of each work before its callers do.
 */
export function openGathering<Tables, Item, Outcome>(
  db: Pick<Database<Tables>, 'write'>,
  most: number,
  work: (tx: Tx<Tables>, items: readonly Item[]) => Promise<Outcome[]>,
  stored: (items: readonly Item[], outcomes: readonly Outcome[]) => void = () => {},
): (items: readonly Item[]) => Promise<Gathered<Outcome>> {
  type Call = {
    items: readonly Item[]
    resolve(gathered: Gathered<Outcome>): void
    reject(error: unknown): void
  }
  let waiting: Call[] = []
  let asked = false

  function ask(): void {
    asked = true
    void writeSome()
  }

  /** Resolves once these calls have their outcomes; rejects where there are none. */
  async function write(calls: () => readonly Call[], items: () => readonly Item[]): Promise<void> {
    let given = false
    function give(outcomes: readonly Outcome[], kept?: Promise<void>): void {
      if (given) return
      given = true
      stored(items(), outcomes)
      let done = 0
      for (const { items, resolve } of calls())
        resolve({ outcomes: outcomes.slice(done, (done += items.length)), kept })
    }
    try {
      give(await db.write((tx) => work(tx, items()), { callers: () => waiting.length, early: give }))
    } catch (error) {
      if (!given) throw error // else they hear it from `kept`
    }
  }

  async function writeSome(): Promise<void> {
    let calls: Call[] | undefined
    let items: Item[] = []
    const taken = (): Call[] => {
      if (calls === undefined) {
        calls = takeSome()
        items = calls.flatMap((call) => call.items)
      }
      return calls
    }
    try {
      await write(taken, () => (taken(), items))
    } catch (error) {
      const [first, ...others] = taken()
      if (others.length === 0) return first!.reject(error)
      for (const call of taken())
        write(
          () => [call],
          () => call.items,
        ).catch(call.reject)
    }
  }

  function takeSome(): Call[] {
    let count = 0
    let end = 0
    while (end < waiting.length && count < most) count += waiting[end++]!.items.length
    const calls = waiting.slice(0, end)
    waiting = waiting.slice(end)
    asked = false
    if (waiting.length > 0) ask()
    return calls
  }

  return (items) =>
    new Promise((resolve, reject) => {
      waiting.push({ items, resolve, reject })
      if (!asked) ask()
    })
}
