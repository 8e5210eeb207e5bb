/** Rows as the table shows them, and how many wait to be shown. */
export type SteadyRows<Row> = { rows: readonly Row[]; fresh: number }

type Numbered = { row: number }

/**
 * The rows to show after the list was loaded again. Shown rows change in place and none moves. Rows that belong above
 * the last shown one wait in `fresh`; those below it are added, as the next page is.
 */
export function steadyRows<Row extends Numbered>(
  shown: readonly Row[] | undefined,
  loaded: readonly Row[],
): SteadyRows<Row> {
  if (shown === undefined || shown.length === 0) return { rows: loaded, fresh: 0 }
  const known = new Set(shown.map(({ row }) => row))
  const latest = new Map(loaded.map((row) => [row.row, row]))
  const end = loaded.findLastIndex(({ row }) => known.has(row)) + 1
  const isNew = ({ row }: Row) => !known.has(row)
  // No shown row is among the loaded ones if more than the loaded pages came before them.
  const below = end === 0 ? [] : loaded.slice(end).filter(isNew)
  const fresh = (end === 0 ? loaded : loaded.slice(0, end)).filter(isNew).length
  const kept = shown.map((row) => latest.get(row.row) ?? row)
  const same = below.length === 0 && kept.every((row, n) => row === shown[n])
  return { rows: same ? shown : [...kept, ...below], fresh }
}
