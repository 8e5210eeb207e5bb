import type { AuditAction, AuditEntry, AuditSelection, AuditSubject } from '@sdd/contract/accounts/audit.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Scope } from '#server/core/context.ts'
import { cursorId, pageOf } from '#server/core/paging.ts'
import { newestIn } from '#server/core/spans.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { auditStore } from './store.ts'

/** The user and address behind the change. The name is null for a stranger: a typed name proves nothing. */
export type Actor = { user_id?: number | null; name: string | null; address: string | null }

/** A change and its company. Never contains a secret or a password: for those, the log only says that they changed. */
export type AuditChange = {
  /** Null if the change concerns no company: only superadmins see it. */
  company_id: number | null
  action: AuditAction
  /** The subject's name, as people know it. */
  name: string | null
  /** The old and the new value of each field. Equal values are left out; if all are equal, nothing changed. */
  changes?: Readonly<Record<string, { from: unknown; to: unknown }>>
}

/** Replaces values that the log must not contain. */
export const SECRET_CHANGED = { from: null, to: 'changed' } as const

/**
 * Writes an entry into the audit log in the transaction of the change, so that both commit or neither does. Writes
 * nothing if `changes` is given and all its values are equal.
 */
export async function recordChange(
  tx: Tx,
  clock: Clock,
  by: Actor,
  { company_id, action, name, changes }: AuditChange,
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
  { company_id, action, name, changes = {} }: AuditChange,
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

/** The subject of a login is a user, that of an order a device, and that of rules for alerts alerts. */
function subjectOf(action: AuditAction): AuditSubject {
  const subject = action.slice(0, action.indexOf('.'))
  if (subject === 'order') return 'device'
  if (subject.startsWith('alert_')) return 'alert'
  return subject === 'login' ? 'user' : (subject as AuditSubject)
}

/** The old and the new value of each field. Without `before`, each old value is null. */
export function differences<Fields extends Record<string, unknown>>(
  before: Partial<Fields> | undefined,
  after: Fields,
): Record<string, { from: unknown; to: unknown }> {
  return Object.fromEntries(
    Object.entries(after).map(([field, to]) => [field, { from: before?.[field] ?? null, to }]),
  )
}

/** A page of the audit log, newest first. `next_cursor` is null on the last page. */
export async function listAudit(
  { db }: { db: Pick<Database, 'readInWorker'> },
  scope: Scope,
  { limit, cursor, from, to, ...selection }: AuditSelection,
): Promise<{ entries: AuditEntry[]; next_cursor: string | null }> {
  const entries = auditStore(db.readInWorker, scope)
  const below = Math.min(cursorId(cursor) ?? Infinity, (await entries.newestId()) + 1)
  const filter = {
    ...selection,
    search: selection.search?.trim(),
    ...(from !== undefined && { from: instant(Date.parse(from)) }),
    ...(to !== undefined && { to: instant(Date.parse(to)) }),
  }
  // An index covers a company's entries, and its entries about one subject.
  const { search, subject, action, changed } = filter
  const indexed = !(search || from || to || action || changed || (scope === 'all' && subject))
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
