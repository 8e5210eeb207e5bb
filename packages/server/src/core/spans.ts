import { setImmediate as turn } from 'node:timers/promises'

/** Ids that one statement goes through where no index finds what is asked for: a few milliseconds. */
const SPAN = 10_000

/** Ids from `from` to below `below`. */
export type Span = { from: number; below: number }

/**
 * The newest `limit` rows that match, from below the id `below` on, found in one span of ids after the other. However
 * long the list is and however little of it matches, everybody else has a turn between two statements.
 */
export async function newestIn<Row extends { id: number }>(
  { below, limit }: { below: number; limit: number },
  slice: (span: Span, limit: number) => Promise<Row[]>,
): Promise<Row[]> {
  const found: Row[] = []
  for (let end = below; end > 1 && found.length < limit; end -= SPAN) {
    if (end !== below) await turn()
    found.push(...(await slice({ from: Math.max(1, end - SPAN), below: end }, limit - found.length)))
  }
  return found
}
