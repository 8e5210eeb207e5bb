import { fold } from '@sdd/storage/fold.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Indexed } from './indexed.ts'
import { trigramStore } from './trigrams.store.ts'

/** The number of newest texts, and of texts from the whole log, that show which terms are rare. */
const MESSAGES = 200
/** Frequent terms rarely change, and reading texts all over the file takes longer than a search. */
const REMEMBERED_MS = 10 * 60_000

type Sample = { texts: Promise<string[]>; until_ms: number }

const remembered = { messages: new WeakMap<Tx, Sample>(), inbox: new WeakMap<Tx, Sample>() }

/** The folded texts of some messages, as they were a while ago. */
export function sampleOf(tx: Tx, table: Indexed): Promise<string[]> {
  const known = remembered[table].get(tx)
  if (known !== undefined && performance.now() < known.until_ms) return known.texts
  const texts = trigramStore(tx, table)
    .sample(MESSAGES)
    .then((found) => found.map(fold))
  remembered[table].set(tx, { texts, until_ms: performance.now() + REMEMBERED_MS })
  texts.catch(() => remembered[table].delete(tx))
  return texts
}
