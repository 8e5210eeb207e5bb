import { type Insertable, sql } from 'kysely'
import type { Scope } from '#server/core/context.ts'
import type { Span } from '#server/core/spans.ts'
import { inList, like, listValue, locked } from '#server/database/dialect.ts'
import { rowsOf } from '#server/database/direct.ts'
import type { Tx } from '#server/database/schema.ts'
import type { OptOuts } from '#server/database/task-tables.ts'

export type OptOutRow = NonNullable<Awaited<ReturnType<ReturnType<typeof optOutStore>['byId']>>>

export function optOutStore(tx: Tx, scope: Scope) {
  const inScope = tx
    .selectFrom('opt_outs')
    .$if(scope !== 'all', (query) =>
      query.where('opt_outs.company_id', '=', (scope as { company_id: number }).company_id),
    )
  const visible = inScope
    .leftJoin('users', 'users.id', 'opt_outs.created_by')
    .select(['opt_outs.id', 'opt_outs.company_id', 'number', 'number_key', 'text', 'device_uid'])
    .select(['users.name as created_by', 'opt_outs.created_at'])

  return {
    byId: (id: number) =>
      visible.where('opt_outs.id', '=', id).$call(locked(tx, 'opt_outs')).executeTakeFirst(),

    byKey: (company_id: number, number_key: string) =>
      visible
        .where('opt_outs.company_id', '=', company_id)
        .where('number_key', '=', number_key)
        .executeTakeFirst(),

    /** 0 where there is none. */
    newestId: async (): Promise<number> => {
      const row = await inScope
        .select((select) => select.fn.max<number | null>('opt_outs.id').as('id'))
        .executeTakeFirst()
      return row?.id ?? 0
    },

    /** The newest first, with ids from `from` to below `below`. */
    slice: ({ from, below }: Partial<Span> & { below: number }, search: string | undefined, limit: number) =>
      visible
        .$if(from !== undefined, (query) => query.where('opt_outs.id', '>=', from!))
        .where('opt_outs.id', '<', below)
        .$if(search !== undefined, (query) => query.where(hasPart(tx, search!)))
        .orderBy('opt_outs.id', 'desc')
        .limit(limit)
        .execute(),

    /** False where the number is blocked already: then it stays as it is. */
    async insert(optOut: Insertable<OptOuts>): Promise<boolean> {
      const row = await tx
        .insertInto('opt_outs')
        .values(optOut)
        .onConflict((conflict) => conflict.columns(['company_id', 'number_key']).doNothing())
        .returning('id')
        .executeTakeFirst()
      return row !== undefined
    },

    remove: (id: number) => tx.deleteFrom('opt_outs').where('id', '=', id).execute(),
  }
}

/** For what every message asks before it is stored. */
export function optOutLookup(tx: Tx) {
  return {
    /** Those of these keys that the company has blocked: one look-up in an index for each. */
    byKeys: (company_id: number, keys: readonly string[]) =>
      rowsOf<OptOutRow>(tx, byKeys(tx), [company_id, listValue(tx, keys)]),
  }
}

/** Written by hand, as the builder takes ten times as long as the statement; one text however many keys there are. */
const byKeys = (tx: Tx) => `select opt_outs.id, opt_outs.company_id, number, number_key, text, device_uid,
    users.name as created_by, opt_outs.created_at
  from opt_outs left join users on users.id = opt_outs.created_by
  where opt_outs.company_id = ? and number_key ${inList(tx)}`

function hasPart(tx: Tx, search: string) {
  const part = search.replace(/[\s.()[\]-]/g, '').replace(/[\\%_]/g, '\\$&')
  return sql<boolean>`number ${like(tx)} ${`%${part}%`} escape '\\'`
}
