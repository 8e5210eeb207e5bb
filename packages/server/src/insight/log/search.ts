import { fold } from '@sdd/storage/fold.ts'
import { dropSeparators } from '@sdd/contract/core/fields.ts'
import type { Scope } from '#server/core/context.ts'
import type { Tx } from '#server/database/schema.ts'
import { openPieceSearch, type Range } from './pieces-search.ts'
import { pieceStore } from './pieces.store.ts'
import { logStore, searchIndex } from './store.ts'
import { sampleOf } from './sample.ts'
import { trigramQuery } from './trigram-query.ts'

/** Candidates to look at together. */
const SLICE = 500
/** With more guids than this, a prefix is no help: a scan finds matches sooner. */
const MOST_GUIDS = 5_000

export type Search = {
  /** The index contains the messages up to this id. */
  reaches: number
  /** Candidates, newest first: ids in slices, or a range in which the index does not help. */
  candidates(part: Range): AsyncGenerator<number[] | Range, void, undefined>
}

/** `undefined` if no index helps: the text is too short, or occurs in nearly all messages. */
export async function openSearch(tx: Tx, scope: Scope, search: string): Promise<Search | undefined> {
  const wanted = [search, dropSeparators(search)].filter(Boolean)
  if (tx.engine === 'postgres') {
    const guids = await idsByGuid(tx, scope, search)
    const candidates = guids && openPieceSearch(tx, wanted, guids)
    return candidates && { reaches: await pieceStore(tx).reaches(), candidates }
  }
  const index = searchIndex(tx)
  const terms = trigramQuery(wanted, sharesIn(await sampleOf(tx)))
  if (terms === undefined) return undefined
  const guids = await idsByGuid(tx, scope, search)
  if (guids === undefined) return undefined

  async function* candidates({ from, below }: { from: number; below: number }) {
    for (let end = below; end > from;) {
      const found = await index.candidates(terms!, { from, below: end }, SLICE)
      // If there are more, the result is complete only above the last id.
      const complete = found.length === SLICE ? found.at(-1)! : from
      const named = guids!.filter((id) => id >= complete && id < end)
      const ids = [...new Set([...found, ...named])].sort((one, other) => other - one)
      if (ids.length > 0) yield ids
      end = complete
    }
  }

  return { reaches: await index.reaches(), candidates }
}

/** The share of these folded texts that contain a term. */
function sharesIn(folded: readonly string[]): (term: string) => number {
  return (term) => {
    const wanted = fold(term)
    return folded.filter((text) => text.includes(wanted)).length / Math.max(1, folded.length)
  }
}

/** Looks for the typed text and its lower case, as our guids have it. `undefined` if there are too many. */
async function idsByGuid(tx: Tx, scope: Scope, search: string): Promise<number[] | undefined> {
  const ids: number[] = []
  for (const beginning of new Set([search, search.toLowerCase()])) {
    ids.push(...(await logStore(tx, scope).idsByGuid(beginning, `${beginning}\u{10ffff}`, MOST_GUIDS)))
    if (ids.length >= MOST_GUIDS) return undefined
  }
  return ids
}
