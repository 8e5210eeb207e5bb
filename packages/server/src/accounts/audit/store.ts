import type { AuditSelection } from '@sdd/contract/accounts/audit.ts'
import { limit, lockedOrSkipped, sql, when } from '@sdd/storage/sql.ts'
import type { Insertable, Selectable } from '@sdd/storage/tables.ts'
import { lockName } from '@sdd/storage/tx.ts'
import { type InScope, type Scope, within } from '#server/core/context.ts'
import type { Span } from '#server/core/spans.ts'
import { LIKE, likePart } from '#server/database/like.ts'
import type { Tx } from '#server/database/schema.ts'
import type { AuditBursts, AuditLog } from '#server/database/task-tables.ts'

/** Times are in the format of the table. */
type AuditFilter = Pick<AuditSelection, 'subject' | 'action' | 'changed' | 'search' | 'from' | 'to'>

export function auditStore(tx: Tx, scope: Scope) {
  return {
    insert: (entry: Insertable<AuditLog>): Promise<number> => tx.insertRow('audit_log', entry),

    changesOf: async (id: number): Promise<string | undefined> =>
      (await tx.first(CHANGES, { id, ...within(scope) }))?.changes,

    setChanges: (id: number, changes: string) => tx.update('audit_log', { id }, { changes }),

    /** 0 if there is none. */
    newestId: async (): Promise<number> => (await tx.first(NEWEST, within(scope)))?.id ?? 0,

    /** The matching entries with these ids, newest first. Without `from`, all ids below `below`. */
    slice: (
      { subject, action, changed, search, from, to }: AuditFilter,
      ids: Partial<Span> & { below: number },
      most: number,
    ) =>
      tx.rows(SLICE, {
        ...within(scope),
        below: ids.below,
        from_id: ids.from,
        subject,
        action: action?.includes('.') ? action : undefined,
        actions: action === undefined || action.includes('.') ? undefined : `${action}.%`,
        changed: changed && `%"${changed}":%`,
        pattern: search ? likePart(search) : undefined,
        from,
        to,
        limit: most,
      }),
  }
}

export type GatheringEntry = Omit<AuditBursts, 'burst'>

type Between = { since: string; until: string }

/** The entries of one burst that gather repetitions. */
export function burstStore(tx: Tx, burst: string) {
  return {
    /** Locks the burst until the commit, and removes entries that were written outside of this time span. */
    async hold({ since, until }: Between): Promise<GatheringEntry[]> {
      await lockName(tx, burst)
      const rows = await tx.rows(OF_BURST, { burst })
      const over = rows.filter(({ at }) => at <= since || at >= until)
      await tx.runEach(
        REMOVE,
        over.map(({ what }) => ({ burst, what })),
      )
      return rows.filter((row) => !over.includes(row))
    },

    /** The approximate number of entries of all bursts of this kind. */
    async count(kind: string, { since }: Between): Promise<number> {
      const counted = await tx.first(COUNT, { pattern: `${kind} %`, since })
      return Number(counted!.count)
    },

    insert: (entry: GatheringEntry) => tx.insert('audit_bursts', [{ burst, ...entry }]),

    update: (what: string, change: Pick<GatheringEntry, 'times'>) =>
      tx.update('audit_bursts', { burst, what }, change),
  }
}

/** Removes the entries of all bursts that are over. */
export async function forgetBursts(tx: Tx, span: Between): Promise<void> {
  await tx.runEach(REMOVE, await tx.rows(OVER, span))
}

type Entry = Selectable<AuditLog>

const IN_SCOPE = when('company_id')`and company_id = :company_id`

const CHANGES = sql<Pick<Entry, 'changes'>, { id: number } & InScope>`
  select changes from audit_log where id = :id ${IN_SCOPE}`

const NEWEST = sql<{ id: number | null }, InScope>`
  select max(id) as id from audit_log where true ${IN_SCOPE}`

const SLICE = sql<
  Entry,
  InScope & {
    below: number
    from_id: number | undefined
    subject: AuditFilter['subject']
    action: string | undefined
    actions: string | undefined
    changed: string | undefined
    pattern: string | undefined
    from: string | undefined
    to: string | undefined
    limit: number
  }
>`
  select id, company_id, at, user_id, by_name, address, action, subject, name, changes from audit_log
  where id < :below ${IN_SCOPE}
    ${when('from_id')`and id >= :from_id`}
    ${when('subject')`and subject = :subject`}
    ${when('action')`and action = :action`}
    ${when('actions')`and action like :actions`}
    ${when('changed')`and changes like :changed`}
    ${when('pattern')`and (by_name ${LIKE} :pattern escape '\\' or name ${LIKE} :pattern escape '\\')`}
    ${when('from')`and at >= :from`}
    ${when('to')`and at <= :to`}
  order by id desc ${limit()}`

const OF_BURST = sql<GatheringEntry, { burst: string }>`
  select what, entry_id, at, times from audit_bursts where burst = :burst`

const REMOVE = sql<never, { burst: string; what: string }>`
  delete from audit_bursts where burst = :burst and what = :what`

const COUNT = sql<{ count: number }, { pattern: string; since: string }>`
  select count(*) as count from audit_bursts where burst like :pattern and at > :since`

const OVER = sql<Pick<AuditBursts, 'burst' | 'what'>, Between>`
  select burst, what from audit_bursts where at <= :since or at >= :until ${lockedOrSkipped('audit_bursts')}`
