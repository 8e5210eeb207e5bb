import type { AuditSubject } from '@sdd/contract/audit.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import type { Tx } from '#server/database/schema.ts'
import { auditStore } from './store.ts'

/** What was changed, in whose company. Never a secret or a password: for those, that they changed is enough. */
export type Change = {
  company_id: number
  /** `device.disabled`, `api_key.revoked`: the subject and what happened to it. */
  action: `${AuditSubject}.${string}`
  /** Which one, as people name it. */
  name: string
  /** By field, what it was and what it is; equal ones are left out. */
  changes?: Readonly<Record<string, { from: unknown; to: unknown }>>
}

/** Writes into the audit log, in the transaction that makes the change: the one is never without the other. */
export function recordChange(
  tx: Tx,
  clock: Clock,
  caller: Pick<Caller, 'user_id' | 'name'>,
  { company_id, action, name, changes = {} }: Change,
): Promise<unknown> {
  const differing = Object.entries(changes).filter(
    ([, { from, to }]) => JSON.stringify(from) !== JSON.stringify(to),
  )
  return auditStore(tx).insert({
    company_id,
    at: instant(clock.now()),
    user_id: caller.user_id,
    by_name: caller.name,
    action,
    subject: action.slice(0, action.indexOf('.')) as AuditSubject,
    name,
    changes: JSON.stringify(Object.fromEntries(differing)),
  })
}
