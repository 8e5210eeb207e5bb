import { sql } from '@sdd/storage/sql.ts'
import type { Tx } from '#server/database/schema.ts'

export function doorStore(tx: Tx) {
  return {
    /** Whether one of the company's SIMs has this number. */
    hasSim: async (company_id: number, number: string): Promise<boolean> =>
      (await tx.first(HAS_SIM, { company_id, number })) !== undefined,
  }
}

const HAS_SIM = sql<{ device_id: number }, { company_id: number; number: string }>`
  select device_id from device_sims where company_id = :company_id and number = :number limit 1`
