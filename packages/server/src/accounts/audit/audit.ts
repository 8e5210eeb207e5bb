import type { AuditEntry, AuditSelection, AuditSubject } from '@sdd/contract/accounts/audit.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Scope } from '#server/core/context.ts'
import { idOf, pageOf } from '#server/core/paging.ts'
import { newestIn } from '#server/core/spans.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { auditStore } from './store.ts'

/** Who did it, and from which address. Null where nobody is known: a stranger, whose name is not true. */
export type Actor = { user_id?: number | null; name: string | null; address: string | null }

/** What was done, in whose company. Never a secret or a password: for those, that they changed is enough. */
export type Change = {
  /** Null where it concerns none: for superadmins only. */
  company_id: number | null
  /** `device.disabled`, `api_key.revoked`: the subject and what happened to it. */
  action: `${AuditSubject | 'login'}.${string}`
  /** Which one, as people name it. */
  name: string | null
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
  by: Actor,
  { company_id, action, name, changes }: Change,
): Promise<void> {
  const differing = Object.entries(changes ?? {}).filter(
    ([, { from, to }]) => JSON.stringify(from) !== JSON.stringify(to),
  )
  if (changes !== undefined && differing.length === 0) return
  await addEntry(tx, clock, by, { company_id, action, name, changes: Object.fromEntries(differing) })
}

/** Writes an entry, as `recordChange` does, and returns its id. */
export function addEntry(
  tx: Tx,
  clock: Clock,
  by: Actor,
  { company_id, action, name, changes = {} }: Change,
): Promise<number> {
  return auditStore(tx, 'all').insert({
    company_id,
    at: instant(clock.now()),
    user_id: by.user_id ?? null,
    by_name: by.name,
    address: by.address,
    action,
    subject: subjectOf(action),
    name,
    changes: JSON.stringify(changes),
  })
}

/** Logins are about users. */
function subjectOf(action: Change['action']): AuditSubject {
  const subject = action.slice(0, action.indexOf('.'))
  return subject === 'login' ? 'user' : (subject as AuditSubject)
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
