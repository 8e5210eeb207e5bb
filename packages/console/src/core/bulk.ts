import { CallFault } from '@sdd/contract/core/client.ts'
import { useRef, useState } from 'react'
import { faultText } from '#console/core/api.ts'

/** An item that was not changed, and why, in a sentence. */
export type Refused = { name: string; said: string }

export type BulkOutcome = {
  changed: number
  refused: readonly Refused[]
  /** Items that were not tried, because the user stopped or the server did not answer. */
  left: number
}

type Job<Item> = {
  items: readonly Item[]
  nameOf: (item: Item) => string
  /** How many go into one call. */
  atOnce: number
  /** Makes one call; returns the refused ones. If it rejects, all of its items count as refused. */
  call: (some: readonly Item[]) => Promise<readonly Refused[]>
  /** The reason if the server gives none. */
  failed: string
}

export type Bulk = {
  /** Undefined if nothing is running. */
  progress: { done: number; total: number } | undefined
  /** Runs the calls one after the other. Undefined if one is running already. */
  run: <Item>(job: Job<Item>) => Promise<BulkOutcome | undefined>
  /** Ends the run after the current call. */
  stop: () => void
}

/** One action on many items, with its progress. */
export function useBulk(): Bulk {
  const [progress, setProgress] = useState<Bulk['progress']>()
  const running = useRef(false)
  const stopped = useRef(false)

  async function run<Item>({
    items,
    nameOf,
    atOnce,
    call,
    failed,
  }: Job<Item>): Promise<BulkOutcome | undefined> {
    if (running.current) return undefined
    running.current = true
    stopped.current = false
    const refused: Refused[] = []
    let done = 0
    let isOver = false
    while (done < items.length && !isOver && !stopped.current) {
      setProgress({ done, total: items.length })
      const some = items.slice(done, done + atOnce)
      try {
        refused.push(...(await call(some)))
      } catch (fault) {
        const said = faultText(fault, failed)
        refused.push(...some.map((item) => ({ name: nameOf(item), said })))
        isOver = isFinal(fault)
      }
      done += some.length
    }
    running.current = false
    setProgress(undefined)
    return { changed: done - refused.length, refused, left: items.length - done }
  }

  return { progress, run, stop: () => (stopped.current = true) }
}

/** Further calls would fail in the same way. */
function isFinal(fault: unknown): boolean {
  return (
    !(fault instanceof CallFault) ||
    fault.status === 0 ||
    fault.status >= 500 ||
    // The limit of one recipient says nothing about the others.
    ([401, 403, 429].includes(fault.status) && fault.code !== 'recipient_limit')
  )
}
