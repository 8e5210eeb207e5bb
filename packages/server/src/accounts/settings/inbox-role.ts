import type { Caller, KeyCaller } from '#server/core/context.ts'
import type { Tx } from '#server/database/schema.ts'
import { settingsOf } from './settings.ts'

/**
 * Whether the caller may read received SMS, by the `inbox_role` of the company. API keys go by their permissions.
 * `unknown_company` outside a user's scope.
 */
export async function mayReadInbox(
  tx: Tx,
  caller: Pick<Caller, 'role' | 'scope' | 'company_id'> | KeyCaller,
  company_id: number = caller.company_id,
): Promise<boolean> {
  // Only the role `user` can be too low, and the setting of another company needs a check of the scope.
  if (!('role' in caller) || (caller.role !== 'user' && company_id === caller.company_id)) return true
  const { inbox_role } = await settingsOf(tx, caller.scope, company_id)
  return inbox_role === 'user' || caller.role !== 'user'
}
