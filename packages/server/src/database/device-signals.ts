import { columnTypes } from './column-types.ts'
import type { Tx } from './schema.ts'

/** Adds columns to devices that the next snapshot of each one fills. */
export async function addDeviceSignals(tx: Tx): Promise<void> {
  const { text } = columnTypes(tx.engine)
  for (const column of ['signal', 'sim_ids'])
    await tx.query(`alter table devices add column ${column} ${text}`)
}
