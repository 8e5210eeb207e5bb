import type { Database } from './database.ts'
import { isUnavailable } from './errors.ts'
import type { Tx } from './tx.ts'

/**
 * The outcomes of one caller's items. They are committed; `durable` resolves once they are on disk, or rejects if the
 * disk fails.
 */
type Batched<Outcome> = { outcomes: Outcome[]; durable: Promise<void> | undefined }

/**
 * Stores many callers' items in one write. Calls that arrive while a write runs wait for the next one. Resolves after
 * the commit, so that answers can be prepared during the sync to disk; send them only after `durable`. If a write with
 * items of several callers fails, each caller's items are tried separately, so that only the failing caller gets the
 * error. If nothing can be stored now, every caller gets that error. `stored` is called for each write before its
 * callers are answered.
 */
export function openBatching<Tables, Item, Outcome>(
  db: Pick<Database<Tables>, 'write'>,
  most: number,
  work: (tx: Tx<Tables>, items: readonly Item[]) => Promise<Outcome[]>,
  stored: (items: readonly Item[], outcomes: readonly Outcome[]) => void = () => {},
): (items: readonly Item[]) => Promise<Batched<Outcome>> {
  type Call = {
    items: readonly Item[]
    resolve(gathered: Batched<Outcome>): void
    reject(error: unknown): void
  }
  let waiting: Call[] = []
  let asked = false

  function ask(): void {
    asked = true
    void writeSome()
  }

  /** Resolves once these calls have their outcomes. Rejects if the write failed before there were any. */
  async function write(calls: () => readonly Call[], items: () => readonly Item[]): Promise<void> {
    let given = false
    function give(outcomes: readonly Outcome[], durable?: Promise<void>): void {
      if (given) return
      given = true
      stored(items(), outcomes)
      let done = 0
      for (const { items, resolve } of calls())
        resolve({ outcomes: outcomes.slice(done, (done += items.length)), durable })
    }
    try {
      give(await db.write((tx) => work(tx, items()), { callers: () => waiting.length, onCommitted: give }))
    } catch (error) {
      if (!given) throw error // otherwise they hear it from `durable`
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
      const failed = taken()
      // The commit may have been made, which another try would not know.
      if (failed.length === 1 || isUnavailable(error)) return failed.forEach((call) => call.reject(error))
      for (const call of failed)
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
