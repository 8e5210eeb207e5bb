import { dropSeparators } from '@sdd/contract/core/fields.ts'
import type { Scope } from '#server/core/context.ts'
import type { Tx } from '#server/database/schema.ts'
import { sentCandidates } from '#server/messages/search/candidates.ts'
import { logStore } from './store.ts'

/** With more guids than this, a prefix is no help: a scan finds matches sooner. */
const MOST_GUIDS = 5_000

/** `undefined` if no index helps: the text is too short, or occurs in nearly all messages. */
export function openSearch(tx: Tx, scope: Scope, search: string): ReturnType<typeof sentCandidates> {
  const wanted = [search, dropSeparators(search)].filter(Boolean)
  return sentCandidates(tx, wanted, () => idsByGuid(tx, scope, search))
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
