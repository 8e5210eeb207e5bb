import type { QueryClient } from '@tanstack/react-query'
import type { Live } from '#console/core/live/live.ts'

/** Least wait between two loads of the same list, in ms. */
const LEAST_GAP_MS = 500

/** A list that takes long to load is not loaded all the time: at most a tenth of it. */
const REST = 10

/**
 * Loads again what the server says has changed: a query's first key is its noun. After a reconnect, everything that
 * is on screen. Queries whose `meta.refresh` is `'own'` see to themselves.
 */
export function refreshOnChange(live: Live, client: QueryClient): () => void {
  const pokes = new Map<string, () => void>()
  return live.onChanged((nouns) => {
    if (nouns === undefined) {
      void client.invalidateQueries({ predicate: (query) => query.meta?.refresh !== 'own' })
      return
    }
    for (const noun of nouns) {
      const poke = pokes.get(noun) ?? merged(() => load(client, noun))
      pokes.set(noun, poke)
      poke()
    }
  })
}

/**
 * Runs `run` now, or once more after the run under way and its rest of `leastGapMs` at least; never two at a time, and
 * never none after a call.
 */
export function merged(run: () => Promise<unknown>, leastGapMs = LEAST_GAP_MS): () => void {
  let running = false
  let again = false
  async function runOn(): Promise<void> {
    running = true
    do {
      again = false
      const began = performance.now()
      await run().catch(() => undefined)
      const took = performance.now() - began
      await new Promise((rested) => setTimeout(rested, Math.max(leastGapMs, took * REST)))
    } while (again)
    running = false
  }

  return () => {
    if (running) again = true
    else void runOn()
  }
}

function load(client: QueryClient, noun: string): Promise<void> {
  return client.invalidateQueries({ queryKey: [noun], predicate: (query) => query.meta?.refresh !== 'own' })
}
