import type { AuditEntry, AuditSelection, AuditSubject } from '@sdd/contract/audit.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Caller, Scope } from '#server/core/context.ts'
import { idOf, pageOf } from '#server/core/paging.ts'
import { newestIn } from '#server/core/spans.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { auditStore } from './store.ts'

/** What was changed, in whose company. Never a secret or a password: for those, that they changed is enough. */
export type Change = {
  company_id: number
  /** `device.disabled`, `api_key.revoked`: the subject and what happened to it. */
  action: `${AuditSubject}.${string}`
  /** Which one, as people name it. */
  name: string
  /** By field, what it was and what it is; equal ones are left out. Where all are equal, nothing was changed. */
  changes?: Readonly<Record<string, { from: unknown; to: unknown }>>
}

/** Stands for what the log shall not keep. */
export const SECRET_CHANGED = { from: null, to: 'changed' } as const

/**
 * Writes into the audit log, in the transaction that makes the change: the one is never without the other. Nothing is
 * written where `changes` are given and none of them changes anything.
 */
export async function recordChange(
  tx: Tx,
  clock: Clock,
  caller: Pick<Caller, 'user_id' | 'name'>,
  { company_id, action, name, changes }: Change,
): Promise<void> {
  const differing = Object.entries(changes ?? {}).filter(
    ([, { from, to }]) => JSON.stringify(from) !== JSON.stringify(to),
  )
  if (changes !== undefined && differing.length === 0) return
  await auditStore(tx, { company_id }).insert({
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

/** Each field of a thing with what it was and what it is; new things were nothing. */
export function differences<Fields extends Record<string, unknown>>(
  before: Partial<Fields> | undefined,
  after: Fields,
): Record<string, { from: unknown; to: unknown }> {
  return Object.fromEntries(
    Object.entries(after).map(([field, to]) => [field, { from: before?.[field] ?? null, to }]),
  )
}

/** A page of who changed what, newest first; `next_cursor` is null on the last. */
export async function listAudit(
  { db }: { db: Pick<Database, 'readAside'> },
  scope: Scope,
  { limit, cursor, from, to, ...selection }: AuditSelection,
): Promise<{ entries: AuditEntry[]; next_cursor: string | null }> {
  const entries = auditStore(db.readAside, scope)
  const below = Math.min(idOf(cursor) ?? Infinity, (await entries.newestId()) + 1)
  const filter = {
    ...selection,
    search: selection.search?.trim(),
    ...(from !== undefined && { from: instant(Date.parse(from)) }),
    ...(to !== undefined && { to: instant(Date.parse(to)) }),
  }
  // An index leads to a company's entries, and to those about one kind of thing.
  const indexed = !(filter.search || from || to || (scope === 'all' && filter.subject))
  const rows = indexed
    ? await entries.slice(filter, { below }, limit + 1)
    : await newestIn({ below, limit: limit + 1 }, (ids, most) => entries.slice(filter, ids, most))
  const { page, next_cursor } = pageOf(rows, limit)
  return {
    entries: page.map(({ by_name, changes, ...entry }) => ({
      ...entry,
      by: by_name,
      changes: JSON.parse(changes) as AuditEntry['changes'],
    })),
    next_cursor,
  }
}
