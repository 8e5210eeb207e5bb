import { sql } from '@sdd/storage/sql.ts'
import type { Tx } from '#server/database/schema.ts'

export function doorStore(tx: Tx) {
  return {
    /** Whether a SIM in one of the company's linked devices has this number. */
    hasSim: async (company_id: number, number: string): Promise<boolean> =>
      (await tx.first(HAS_SIM, { company_id, number })) !== undefined,
  }
}

const HAS_SIM = sql<{ device_id: number }, { company_id: number; number: string }>`
  select device_id from device_sims cross join devices
  where device_sims.company_id = :company_id and number = :number and devices.id = device_id
    and unlinked_at is null limit 1`
