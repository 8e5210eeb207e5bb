import { type Insertable, sql } from 'kysely'
import type { AuditSelection } from '@sdd/contract/audit.ts'
import type { Scope } from '#server/core/context.ts'
import type { Span } from '#server/core/spans.ts'
import { like } from '#server/database/dialect.ts'
import type { Tx } from '#server/database/schema.ts'
import type { AuditLog } from '#server/database/task-tables.ts'

/** Times are as the table has them. */
export type AuditFilter = Pick<AuditSelection, 'subject' | 'search' | 'from' | 'to'>

export function auditStore(tx: Tx, scope: Scope) {
  const inScope = tx
    .selectFrom('audit_log')
    .$if(scope !== 'all', (query) =>
      query.where('company_id', '=', (scope as { company_id: number }).company_id),
    )

  return {
    insert: (entry: Insertable<AuditLog>) => tx.insertInto('audit_log').values(entry).execute(),

    /** 0 where there is none. */
    newestId: async (): Promise<number> => {
      const row = await inScope
        .select((select) => select.fn.max<number | null>('id').as('id'))
        .executeTakeFirst()
      return row?.id ?? 0
    },

    /** Those of these ids that match, the newest first; without `from`, of all there are. */
    slice: (
      { subject, search, from, to }: AuditFilter,
      ids: Partial<Span> & { below: number },
      limit: number,
    ) =>
      inScope
        .select(['id', 'company_id', 'at', 'user_id', 'by_name', 'action', 'subject', 'name', 'changes'])
        .$if(ids.from !== undefined, (query) => query.where('id', '>=', ids.from!))
        .where('id', '<', ids.below)
        .$if(subject !== undefined, (query) => query.where('subject', '=', subject!))
        .$if(Boolean(search), (query) => query.where(names(tx, search!)))
        .$if(from !== undefined, (query) => query.where('at', '>=', from!))
        .$if(to !== undefined, (query) => query.where('at', '<=', to!))
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
  }
}

function names(tx: Tx, search: string) {
  const part = `%${search.replace(/[\\%_]/g, '\\$&')}%`
  return sql<boolean>`(by_name ${like(tx)} ${part} escape '\\' or name ${like(tx)} ${part} escape '\\')`
}
