import { dropSeparators } from '@sdd/contract/core/fields.ts'
import type { Numbers } from '#server/accounts/settings/numbers.ts'
import type { Tx } from '#server/database/schema.ts'
import { allCandidates } from '#server/messages/search/candidates.ts'
import type { Indexed } from '#server/messages/search/indexed.ts'
import type { Searched, SearchedIn } from './search.store.ts'

/** With more messages than this in the index, all are read: the text is in so many that it takes no longer. */
const MOST_CANDIDATES = 40_000

/** What a user wrote into a search, and the numbers that it may be part of. `undefined` if it is blank. */
export function searchedOf(
  numbers: Pick<Numbers, 'kept'>,
  company_id: number,
  search: string | undefined,
): Searched | undefined {
  const text = search?.trim().normalize()
  if (!text) return undefined
  const bare = dropSeparators(text)
  // A sender that is no number is stored as it was written.
  const typed = /^\+?\d+$/.test(bare) ? bare : text
  const number = numbers.kept(company_id, text)
  return { text, numbers: [...new Set([typed, number ?? ''])].filter(Boolean) }
}

/** Candidates from the index of sent or received messages; without its help, all of them are after what it reaches. */
export async function candidatesIn(tx: Tx, table: Indexed, { text, numbers }: Searched): Promise<SearchedIn> {
  const found = await allCandidates(tx, table, [text, ...numbers], MOST_CANDIDATES)
  return found ?? { ids: [], reaches: 0 }
}
