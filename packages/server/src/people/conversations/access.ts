import type { InboxRole } from '@sdd/contract/accounts/settings.ts'
import { mayReadInbox } from '#server/accounts/settings/inbox-role.ts'
import type { Caller, KeyCaller, Scope } from '#server/core/context.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Tx } from '#server/database/schema.ts'

/** Whether a role may read conversations in a company with this setting. */
export function mayRead(role: Caller['role'], least: InboxRole): boolean {
  return least === 'user' || role !== 'user'
}

/** Refuses a user whose role is below the company's `inbox_role`: `forbidden`. `unknown_company` outside the scope. */
export async function refuseReader(
  tx: Tx,
  caller: Caller | KeyCaller,
  company_id: number = caller.company_id,
): Promise<void> {
  if ((await mayReadInbox(tx, caller, company_id)) || !('role' in caller)) return
  throw new Refusal(
    'forbidden',
    `The role ${caller.role} may not read conversations here (inbox_role): ask an administrator.`,
    { params: { reason: 'role', role: caller.role } },
  )
}

/** The scope of a caller who may read conversations. */
export async function scopeOfReader(tx: Tx, caller: Caller | KeyCaller): Promise<Scope> {
  await refuseReader(tx, caller)
  return caller.scope
}
