import { sql } from '@sdd/storage/sql.ts'
import type { SimRecipients } from '#server/database/device-tables.ts'
import type { Tx } from '#server/database/schema.ts'

/** The recipients that count against plans. */
export function planStore(tx: Tx) {
  return {
    clear: (sim_id: number) => tx.run(CLEAR, { sim_id }),

    add: async (rows: readonly SimRecipients[]): Promise<void> => {
      if (rows.length > 0) await tx.insert('sim_recipients', rows)
    },
  }
}

const CLEAR = sql<never, { sim_id: number }>`delete from sim_recipients where sim_id = :sim_id`
