import type { Value } from '@sdd/storage/sql.ts'
import type { Total } from '@sdd/storage/totals.ts'
import type { Tx } from './schema.ts'

export type { Total } from '@sdd/storage/totals.ts'

export function addUp(
  tx: Tx,
  total: Total,
  key: readonly Value[],
  by: number,
  rest: readonly Value[] = [],
): Promise<void> {
  return tx.add(total, key, by, rest)
}

export function writeTotals(tx: Tx): Promise<void> {
  return tx.writeTotals()
}
