import type { Query, QueryClient } from '@tanstack/react-query'
import type { Live, LiveGap } from '#console/core/live/live.ts'

/** The shortest pause between two loads of the same list, in ms. */
const LEAST_GAP_MS = 500

/** In a busy browser a fast list takes this long, mostly with work of the browser itself. */
const USUAL_LOAD_MS = 100

/** The pause is at least this many times the rest of the load time, so that a slow list does not load constantly. */
const REST = 10

/**
 * Reloads the queries whose noun changed: the noun is a query's first key. After a gap without events, reloads all active
 * queries. Queries with `meta.refresh: 'own'` reload themselves.
 */
export function refreshOnChange(live: Live, client: QueryClient): () => void {
  const pokes = new Map<string, () => void>()
  return live.onChanged((change) => {
    if (typeof change === 'string') {
      reload(client, change)
      return
    }
    for (const noun of change) {
      const poke = pokes.get(noun) ?? throttled(() => load(client, noun))
      pokes.set(noun, poke)
      poke()
    }
  })
}

function reload(client: QueryClient, gap: LiveGap): void {
  // A load that failed before the first connection shows nothing that could have changed: a person repeats it.
  const predicate = (query: Query) =>
    query.meta?.refresh !== 'own' && (gap === 'cut' || query.state.status !== 'error')
  // Interrupting a first load would show its screen later, so it is finished, and then repeated.
  const first = client.getQueryCache().findAll({ predicate: isFirstLoad })
  void client.invalidateQueries({ predicate: (query) => predicate(query) && !isFirstLoad(query) })
  for (const query of first.filter(predicate)) {
    const again = () => client.invalidateQueries({ queryKey: query.queryKey, exact: true })
    query.promise?.then(again, () => undefined)
  }
}

function isFirstLoad({ state }: Query): boolean {
  return state.data === undefined && state.fetchStatus === 'fetching'
}

/**
 * Runs `run` at once or, if a run or its pause is under way, once more afterwards. The pause is `leastGapMs` or longer.
 * Runs are never concurrent, and at least one starts after each call.
 */
export function throttled(run: () => Promise<unknown>, leastGapMs = LEAST_GAP_MS): () => void {
  let running = false
  let again = false
  async function runOn(): Promise<void> {
    running = true
    do {
      again = false
      const began = performance.now()
      await run().catch(() => undefined)
      const took = performance.now() - began
      await new Promise((rested) => setTimeout(rested, Math.max(leastGapMs, (took - USUAL_LOAD_MS) * REST)))
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
