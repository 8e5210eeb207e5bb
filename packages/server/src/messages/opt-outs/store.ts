import { isIn, limit, locked, sql, when } from '@sdd/storage/sql.ts'
import type { Selectable } from '@sdd/storage/tables.ts'
import { type InScope, type Scope, within } from '#server/core/context.ts'
import type { Span } from '#server/core/spans.ts'
import { LIKE, likePart } from '#server/database/like.ts'
import type { Tx } from '#server/database/schema.ts'
import type { OptOuts } from '#server/database/task-tables.ts'

export function optOutStore(tx: Tx, scope: Scope) {
  return {
    byId: (id: number) => tx.first(BY_ID, { id, ...within(scope) }),

    byNumber: (company_id: number, number: string) =>
      tx.first(BY_NUMBER, { in_company: company_id, number, ...within(scope) }),

    /** 0 if there is none. */
    newestId: async (): Promise<number> => (await tx.first(NEWEST_ID, within(scope)))?.id ?? 0,

    /** Newest first, with ids from `from` and below `below`. */
    slice: ({ from, below }: Partial<Span> & { below: number }, search: string | undefined, limit: number) =>
      tx.rows(SLICE, {
        from,
        below,
        part: search === undefined ? undefined : likePart(search),
        limit,
        ...within(scope),
      }),

    /** False if the number is blocked already. The existing block stays as it is. */
    insert: async (optOut: Omit<OptOuts, 'id'>): Promise<boolean> =>
      (await tx.first(INSERT, optOut)) !== undefined,

    /** Notes the person who blocks a number that an SMS blocked. False if there is no such block. */
    notePerson: async (by: { company_id: number; number: string; created_by: number }): Promise<boolean> =>
      (await tx.first(NOTE_PERSON, by)) !== undefined,

    remove: (id: number) => tx.run(REMOVE, { id }),
  }
}

/** The blocks of these numbers in a company. Each message is checked before it is stored. */
export function optOutsOf(tx: Tx, company_id: number, numbers: readonly string[]): Promise<OptOutRow[]> {
  return tx.rows(BY_NUMBERS, { company_id, numbers })
}

type OptOutRow = Omit<Selectable<OptOuts>, 'created_by'> & { created_by: string | null }

const VISIBLE = `select opt_outs.id, opt_outs.company_id, number, text, device_uid,
    users.name as created_by, opt_outs.created_at
  from opt_outs left join users on users.id = opt_outs.created_by`

const IN_SCOPE = when('company_id')`and opt_outs.company_id = :company_id`

const BY_ID = sql<OptOutRow, { id: number } & InScope>`
  ${VISIBLE} where opt_outs.id = :id ${IN_SCOPE} ${locked('opt_outs')}`

const BY_NUMBER = sql<OptOutRow, { in_company: number; number: string } & InScope>`
  ${VISIBLE} where opt_outs.company_id = :in_company and number = :number ${IN_SCOPE}`

const BY_NUMBERS = sql<OptOutRow, { company_id: number; numbers: readonly string[] }>`
  ${VISIBLE} where opt_outs.company_id = :company_id and ${isIn('number', 'numbers')}`

const NEWEST_ID = sql<{ id: number | null }, InScope>`
  select max(id) as id from opt_outs where true ${IN_SCOPE}`

const SLICE = sql<
  OptOutRow,
  { from: number | undefined; below: number; part: string | undefined; limit: number } & InScope
>`
  ${VISIBLE}
  where opt_outs.id < :below ${when('from')`and opt_outs.id >= :from`}
    ${when('part')`and number ${LIKE} :part escape '\\'`} ${IN_SCOPE}
  order by opt_outs.id desc ${limit()}`

const INSERT = sql<Pick<OptOutRow, 'id'>, Omit<OptOuts, 'id'>>`
  insert into opt_outs (company_id, number, text, device_uid, created_by, created_at)
  values (:company_id, :number, :text, :device_uid, :created_by, :created_at)
  on conflict (company_id, number) do nothing returning id`

const NOTE_PERSON = sql<Pick<OptOutRow, 'id'>, { company_id: number; number: string; created_by: number }>`
  update opt_outs set created_by = :created_by
  where company_id = :company_id and number = :number and text is not null and created_by is null
  returning id`

const REMOVE = sql<never, { id: number }>`delete from opt_outs where id = :id`
