import type { Tx } from '#server/database/schema.ts'
import { simStore } from './store.ts'

/** The code of a report that the network took nothing, as the SIM has no credit. */
export const NO_CREDIT = 'no_credit'

/** A SIM has no credit, until a message goes out or its balance is read. */
export function noteCreditGone(tx: Tx, sim_id: number, now: string): Promise<void> {
  return simStore(tx, 'all').update(sim_id, { credit_gone_at: now })
}

export function clearCreditGone(tx: Tx, sim_id: number): Promise<void> {
  return simStore(tx, 'all').update(sim_id, { credit_gone_at: null })
}
