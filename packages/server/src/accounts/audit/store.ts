import { type Insertable, sql } from 'kysely'
import type { AuditSelection } from '@sdd/contract/accounts/audit.ts'
import type { Scope } from '#server/core/context.ts'
import type { Span } from '#server/core/spans.ts'
import { holdName, like, lockedOrPassed } from '#server/database/dialect.ts'
import type { Tx } from '#server/database/schema.ts'
import type { AuditBursts, AuditLog } from '#server/database/task-tables.ts'

/** Times are as the table has them. */
export type AuditFilter = Pick<AuditSelection, 'subject' | 'search' | 'from' | 'to'>

export function auditStore(tx: Tx, scope: Scope) {
  const inScope = tx
    .selectFrom('audit_log')
    .$if(scope !== 'all', (query) =>
      query.where('company_id', '=', (scope as { company_id: number }).company_id),
    )

  return {
    insert: async (entry: Insertable<AuditLog>): Promise<number> => {
      const { id } = await tx.insertInto('audit_log').values(entry).returning('id').executeTakeFirstOrThrow()
      return id
    },

    changesOf: async (id: number): Promise<string | undefined> =>
      (await inScope.select('changes').where('id', '=', id).executeTakeFirst())?.changes,

    setChanges: (id: number, changes: string) =>
      tx.updateTable('audit_log').set({ changes }).where('id', '=', id).execute(),

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
        .select([
          'id',
          'company_id',
          'at',
          'user_id',
          'by_name',
          'address',
          'action',
          'subject',
          'name',
          'changes',
        ])
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

export type GatheringEntry = Omit<AuditBursts, 'burst'>

type Between = { since: string; until: string }

/** The entries of one burst that gather repetitions. */
export function burstStore(tx: Tx, burst: string) {
  const own = (what: string) =>
    tx.updateTable('audit_bursts').where('burst', '=', burst).where('what', '=', what)

  return {
    /** Nobody else adds to the burst before the commit. Forgets those that were written before, or after, this time. */
    async hold({ since, until }: Between): Promise<GatheringEntry[]> {
      await holdName(tx, burst)
      const rows = await tx.selectFrom('audit_bursts').selectAll().where('burst', '=', burst).execute()
      const over = rows.filter(({ at }) => at <= since || at >= until)
      for (const { what } of over)
        await tx.deleteFrom('audit_bursts').where('burst', '=', burst).where('what', '=', what).execute()
      return rows.filter((row) => !over.includes(row))
    },

    /** Of all bursts of this kind, about how many there are. */
    count: async (kind: string, { since }: Between): Promise<number> => {
      const { count } = await tx
        .selectFrom('audit_bursts')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('burst', 'like', `${kind} %`)
        .where('at', '>', since)
        .executeTakeFirstOrThrow()
      return Number(count)
    },

    insert: (entry: GatheringEntry) =>
      tx
        .insertInto('audit_bursts')
        .values({ burst, ...entry })
        .execute(),

    update: (what: string, change: Pick<GatheringEntry, 'times'>) => own(what).set(change).execute(),
  }
}

/** Forgets what gathers no more, of all bursts. */
export async function forgetBursts(tx: Tx, { since, until }: Between): Promise<void> {
  const rows = await tx
    .selectFrom('audit_bursts')
    .select(['burst', 'what'])
    .where((where) => where.or([where('at', '<=', since), where('at', '>=', until)]))
    .$call(lockedOrPassed(tx, 'audit_bursts'))
    .execute()
  for (const { burst, what } of rows)
    await tx.deleteFrom('audit_bursts').where('burst', '=', burst).where('what', '=', what).execute()
}

function names(tx: Tx, search: string) {
  const part = `%${search.replace(/[\\%_]/g, '\\$&')}%`
  return sql<boolean>`(by_name ${like(tx)} ${part} escape '\\' or name ${like(tx)} ${part} escape '\\')`
}
