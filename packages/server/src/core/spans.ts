import { setImmediate as turn } from 'node:timers/promises'

/** How many ids one statement scans if no index finds the rows: this takes a few milliseconds. */
const SPAN = 10_000

/** Ids from `from` (inclusive) to `below` (exclusive). */
export type Span = { from: number; below: number }

/**
 * Finds the newest `limit` matching rows with ids below `below`, one span of ids at a time. Other work gets a turn
 * between two statements, even if the table is long and few rows match.
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
