import { isIn, sql } from '@sdd/storage/sql.ts'
import type { Tx } from '#server/database/schema.ts'

/** Those of these numbers whose contact has agreed to get marketing. */
export async function consentingNumbers(
  tx: Tx,
  company_id: number,
  numbers: readonly string[],
): Promise<Set<string>> {
  if (numbers.length === 0) return new Set()
  const rows = await tx.rows(CONSENTING, { company_id, numbers })
  return new Set(rows.map(({ number }) => number))
}

const CONSENTING = sql<{ number: string }, { company_id: number; numbers: readonly string[] }>`
  select number from contacts where company_id = :company_id and ${isIn('number', 'numbers')}
    and consent_at is not null`
