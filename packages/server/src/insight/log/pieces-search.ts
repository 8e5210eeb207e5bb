import { monthsOf } from '#server/database/months/months.ts'
import type { Tx } from '#server/database/schema.ts'
import { piecesOf } from './pieces.ts'
import { pieceStore } from './pieces.store.ts'

export type Range = { from: number; below: number }

/** Candidates per month. If there are more, the month is scanned from its end, which finds matches just as soon. */
const MOST = 40_000
/** Candidates to look at together. */
const SLICE = 500

/**
 * Candidates that may match one of these texts on PostgreSQL, newest first: ids in slices, or a range in which the
 * index does not help. Many candidates are read month by month. The `named` ids may match too. `undefined` if one text
 * is too short for the index.
 */
export function openPieceSearch(
  tx: Tx,
  wanted: readonly string[],
  named: readonly number[],
): ((part: Range) => AsyncGenerator<number[] | Range, void, undefined>) | undefined {
  const lists = [...new Set(wanted)].map((text) => piecesOf([text]))
  if (lists.some((pieces) => pieces.length === 0)) return undefined

  function* slicesOf(found: readonly number[], range: Range): Generator<number[]> {
    const also = named.filter((id) => id >= range.from && id < range.below)
    const ids = [...new Set([...found, ...also])].sort((one, other) => other - one)
    for (let at = 0; at < ids.length; at += SLICE) yield ids.slice(at, at + SLICE)
  }

  return async function* candidates(part) {
    // Most searches are for something rare, so all months are searched at once.
    const all = await pieceStore(tx).candidates(lists, part, MOST)
    if (all !== undefined) return yield* slicesOf(all, part)
    for (const month of (await monthsOf(tx)).reverse()) {
      const range = { from: Math.max(part.from, month.from), below: Math.min(part.below, month.below) }
      if (range.from >= range.below) continue
      const found = await pieceStore(tx).candidates(lists, range, MOST)
      if (found === undefined) yield range
      else yield* slicesOf(found, range)
    }
  }
}
