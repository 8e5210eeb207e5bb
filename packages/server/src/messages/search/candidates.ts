import { fold } from '@sdd/storage/fold.ts'
import { monthsOf } from '#server/database/months/months.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Indexed } from './indexed.ts'
import { piecesOf } from './pieces.ts'
import { pieceStore } from './pieces.store.ts'
import { sampleOf } from './sample.ts'
import { trigramQuery } from './trigram-query.ts'
import { trigramStore } from './trigrams.store.ts'

export type Range = { from: number; below: number }

/** Each candidate is checked by the caller. */
type Candidates = {
  /** The index contains the rows up to this id. */
  reaches: number
  /** Candidates, newest first: ids in slices, or a range in which the index does not help. */
  candidates(part: Range): AsyncGenerator<number[] | Range, void, undefined>
}

/** Candidates per month. If there are more, the month is scanned from its end, which finds matches just as soon. */
const MOST = 40_000
/** Candidates to look at together. */
const SLICE = 500

/**
 * Sent messages that may have one of these texts; those of `named` may match too. `undefined` if no index helps: a text
 * is too short, occurs in nearly all messages, or `named` finds too many.
 */
export async function sentCandidates(
  tx: Tx,
  wanted: readonly string[],
  named: () => Promise<readonly number[] | undefined>,
): Promise<Candidates | undefined> {
  if (tx.engine === 'postgres') {
    const lists = pieceListsOf(wanted)
    const others = lists && (await named())
    if (lists === undefined || others === undefined) return undefined
    const reaches = await pieceStore(tx, 'messages').reaches()
    return { reaches, candidates: (part) => byMonth(tx, lists, others, part) }
  }
  const terms = await termsOf(tx, 'messages', wanted)
  const others = terms === undefined ? undefined : await named()
  if (terms === undefined || others === undefined) return undefined
  const reaches = await trigramStore(tx, 'messages').reaches()
  return { reaches, candidates: (part) => inSlices(tx, terms, others, part) }
}

/**
 * The ids of all rows that may have one of these texts, without an order. `undefined` if no index helps, or if there are
 * more than `most`.
 */
export async function allCandidates(
  tx: Tx,
  table: Indexed,
  wanted: readonly string[],
  most: number,
): Promise<{ reaches: number; ids: number[] } | undefined> {
  const range = { from: 0, below: Number.MAX_SAFE_INTEGER }
  if (tx.engine === 'postgres') {
    const lists = pieceListsOf(wanted)
    const store = pieceStore(tx, table)
    const reaches = await store.reaches()
    const ids = lists && (await store.candidates(lists, range, most))
    return ids && { reaches, ids }
  }
  const terms = await termsOf(tx, table, wanted)
  const store = trigramStore(tx, table)
  const reaches = await store.reaches()
  const ids = terms === undefined ? undefined : await store.candidates(terms, range, most)
  return ids && ids.length < most ? { reaches, ids } : undefined
}

async function* inSlices(
  tx: Tx,
  terms: string,
  named: readonly number[],
  { from, below }: Range,
): AsyncGenerator<number[], void, undefined> {
  for (let end = below; end > from;) {
    const found = await trigramStore(tx, 'messages').candidates(terms, { from, below: end }, SLICE)
    // If there are more, the result is complete only above the last id.
    const complete = found.length === SLICE ? found.at(-1)! : from
    const others = named.filter((id) => id >= complete && id < end)
    const ids = [...new Set([...found, ...others])].sort((one, other) => other - one)
    if (ids.length > 0) yield ids
    end = complete
  }
}

/** Many candidates are read month by month. */
async function* byMonth(
  tx: Tx,
  lists: readonly (readonly number[])[],
  named: readonly number[],
  part: Range,
): AsyncGenerator<number[] | Range, void, undefined> {
  const store = pieceStore(tx, 'messages')
  function* slicesOf(found: readonly number[], range: Range): Generator<number[]> {
    const others = named.filter((id) => id >= range.from && id < range.below)
    const ids = [...new Set([...found, ...others])].sort((one, other) => other - one)
    for (let at = 0; at < ids.length; at += SLICE) yield ids.slice(at, at + SLICE)
  }
  // Most searches are for something rare, so all months are searched at once.
  const all = await store.candidates(lists, part, MOST)
  if (all !== undefined) return yield* slicesOf(all, part)
  for (const month of (await monthsOf(tx)).reverse()) {
    const range = { from: Math.max(part.from, month.from), below: Math.min(part.below, month.below) }
    if (range.from >= range.below) continue
    const found = await store.candidates(lists, range, MOST)
    if (found === undefined) yield range
    else yield* slicesOf(found, range)
  }
}

function pieceListsOf(wanted: readonly string[]): number[][] | undefined {
  const lists = [...new Set(wanted)].map((text) => piecesOf([text]))
  return lists.some((pieces) => pieces.length === 0) ? undefined : lists
}

async function termsOf(tx: Tx, table: Indexed, wanted: readonly string[]): Promise<string | undefined> {
  return trigramQuery(wanted, sharesIn(await sampleOf(tx, table)))
}

/** The share of these folded texts that contain a term. */
function sharesIn(folded: readonly string[]): (term: string) => number {
  return (term) => {
    const wanted = fold(term)
    return folded.filter((text) => text.includes(wanted)).length / Math.max(1, folded.length)
  }
}
