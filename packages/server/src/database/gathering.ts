import type { Database } from './open.ts'
import type { Tx } from './schema.ts'

/**
 * Many callers' items in one work of one transaction: whoever calls while others' items are being written waits for the
 * next. Resolves to the outcomes of the caller's own items, once they are on disk. Where a work with the items of several
 * fails, each caller's are tried by themselves, so that only the one at fault hears of it. `stored` hears of each work
 * that is on disk, before its callers do.
 */
export function openGathering<Item, Outcome>(
  db: Pick<Database, 'write'>,
  most: number,
  work: (tx: Tx, items: readonly Item[]) => Promise<Outcome[]>,
  stored: (items: readonly Item[], outcomes: readonly Outcome[]) => void = () => {},
): (items: readonly Item[]) => Promise<Outcome[]> {
  type Call = { items: readonly Item[]; resolve(outcomes: Outcome[]): void; reject(error: unknown): void }
  let waiting: Call[] = []
  let asked = false

  function ask(): void {
    asked = true
    void writeSome()
  }

  async function write(items: () => readonly Item[]): Promise<Outcome[]> {
    const outcomes = await db.write((tx) => work(tx, items()), { callers: () => waiting.length })
    stored(items(), outcomes)
    return outcomes
  }

  async function writeSome(): Promise<void> {
    let calls: Call[] | undefined
    let items: Item[] = []
    try {
      const outcomes = await write(() => {
        if (calls === undefined) {
          calls = takeSome()
          items = calls.flatMap((call) => call.items)
        }
        return items
      })
      let done = 0
      for (const { items, resolve } of calls!) resolve(outcomes.slice(done, (done += items.length)))
    } catch (error) {
      calls ??= takeSome()
      if (calls.length === 1) calls[0]!.reject(error)
      else for (const { items, resolve, reject } of calls) write(() => items).then(resolve, reject)
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
