import { fold } from '@sdd/storage/fold.ts'
import type { Tx } from '#server/database/schema.ts'
import { searchIndex } from './store.ts'

/** The number of newest texts, and of texts from the whole log, that show which terms are rare. */
const MESSAGES = 200
/** Frequent terms rarely change, and reading texts all over the file takes longer than a search. */
const REMEMBERED_MS = 10 * 60_000

const remembered = new WeakMap<Tx, { texts: Promise<string[]>; until_ms: number }>()

/** The folded texts of some messages, as they were a while ago. */
export function sampleOf(tx: Tx): Promise<string[]> {
  const known = remembered.get(tx)
  if (known !== undefined && performance.now() < known.until_ms) return known.texts
  const texts = searchIndex(tx)
    .sample(MESSAGES)
    .then((found) => found.map(fold))
  remembered.set(tx, { texts, until_ms: performance.now() + REMEMBERED_MS })
  texts.catch(() => remembered.delete(tx))
  return texts
}
