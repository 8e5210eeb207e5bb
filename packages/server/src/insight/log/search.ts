import type { Scope } from '#server/core/context.ts'
import type { Tx } from '#server/database/schema.ts'
import { openPieceSearch, type Range } from './pieces-search.ts'
import { pieceStore } from './pieces.store.ts'
import { digitsOf, logStore, searchIndex } from './store.ts'
import { sampleOf } from './sample.ts'
import { termsOf } from './terms.ts'

/** Candidates that are looked at together. */
const SLICE = 500
/** A beginning that more guids than this share leads nowhere: what it finds is found sooner by looking. */
const MOST_GUIDS = 5_000

export type Search = {
  /** Messages up to this id are in the index. */
  reaches: number
  /** Ids of what may match, the newest first, a slice at a time; or a range in which the index helps nothing. */
  candidates(part: Range): AsyncGenerator<number[] | Range, void, undefined>
}

/** `undefined` where no index helps: what is searched for is short, or in nearly everything. */
export async function openSearch(tx: Tx, scope: Scope, search: string): Promise<Search | undefined> {
  const wanted = [search, digitsOf(search)].filter(Boolean)
  if (tx.engine === 'postgres') {
    const guids = await idsByGuid(tx, scope, search)
    const candidates = guids && openPieceSearch(tx, wanted, guids)
    return candidates && { reaches: await pieceStore(tx).reaches(), candidates }
  }
  const index = searchIndex(tx)
  const terms = termsOf(wanted, sharesIn(await sampleOf(tx)))
  if (terms === undefined) return undefined
  const guids = await idsByGuid(tx, scope, search)
  if (guids === undefined) return undefined

  async function* candidates({ from, below }: { from: number; below: number }) {
    for (let end = below; end > from;) {
      const found = await index.candidates(terms!, { from, below: end }, SLICE)
      // Where there are more of them, only what lies above the last is known to be complete.
      const complete = found.length === SLICE ? found.at(-1)! : from
      const named = guids!.filter((id) => id >= complete && id < end)
      const ids = [...new Set([...found, ...named])].sort((one, other) => other - one)
      if (ids.length > 0) yield ids
      end = complete
    }
  }

  return { reaches: await index.reaches(), candidates }
}

/** Of texts in small letters. */
function sharesIn(folded: readonly string[]): (term: string) => number {
  return (term) => {
    const wanted = term.toLowerCase()
    return folded.filter((text) => text.includes(wanted)).length / Math.max(1, folded.length)
  }
}

/** As it was typed, and in lower case, as ours are made; `undefined` where there are too many. */
async function idsByGuid(tx: Tx, scope: Scope, search: string): Promise<number[] | undefined> {
  const ids: number[] = []
  for (const beginning of new Set([search, search.toLowerCase()])) {
    ids.push(...(await logStore(tx, scope).idsByGuid(beginning, `${beginning}\u{10ffff}`, MOST_GUIDS)))
    if (ids.length >= MOST_GUIDS) return undefined
  }
  return ids
}
