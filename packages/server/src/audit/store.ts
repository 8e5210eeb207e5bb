import type { Insertable } from 'kysely'
import type { Tx } from '#server/database/schema.ts'
import type { AuditLog } from '#server/database/task-tables.ts'

export function auditStore(tx: Tx) {
  return {
    insert: (entry: Insertable<AuditLog>) => tx.insertInto('audit_log').values(entry).execute(),
  }
}
