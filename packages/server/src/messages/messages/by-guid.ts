import { companiesOfGuid } from './store.ts'
import { type Scope, isInScope } from '#server/core/context.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Tx } from '#server/database/schema.ts'

/** A requested guid. `company` is set if a superadmin names one. */
export type GuidAsked = { guid: string; company?: number | undefined }

/**
 * The scope in which a guid names a single message or task; undefined if none has it. A guid is unique only within a
 * company, so a superadmin may see several: `ambiguous_guid` unless they name the company.
 */
export async function scopeOfGuid(
  tx: Tx,
  scope: Scope,
  { guid, company }: GuidAsked,
  among: 'messages' | 'tasks',
): Promise<Scope | undefined> {
  if (company !== undefined) return isInScope(scope, company) ? { company_id: company } : undefined
  if (scope !== 'all') return scope
  const companies = await companiesOfGuid(tx, guid, among)
  if (companies.length < 2) return companies[0] === undefined ? undefined : { company_id: companies[0] }
  throw new Refusal(
    'ambiguous_guid',
    `The companies ${companies.join(', ')} each have a ${among === 'tasks' ? 'task' : 'message'} ` +
      `${JSON.stringify(guid.slice(0, 64))}. Name one of them with ?company=.`,
    { facts: { companies } },
  )
}
