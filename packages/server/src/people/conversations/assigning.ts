import type { Tx } from '#server/database/schema.ts'
import { endAssignments } from './store.ts'

/** Ends the assignments of a disabled user, of one in another company, and of one who may not read conversations. */
export function endAssignmentsOf(tx: Tx, user_id: number): Promise<void> {
  return endAssignments(tx, { user_id })
}

/** The same for all users of a company whose `inbox_role` was changed. */
export function endAssignmentsIn(tx: Tx, company_id: number): Promise<void> {
  return endAssignments(tx, { company_id })
}
