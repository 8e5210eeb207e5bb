import type { Insertable } from 'kysely'
import type { Scope } from '#server/core/context.ts'
import { locked } from '#server/database/dialect.ts'
import type { LinkCodes, Tx } from '#server/database/schema.ts'

/** Link codes of the scope; who holds one looks it up before there is a scope: `all`. */
export function linkCodeStore(tx: Tx, scope: Scope) {
  /** Those that still work. A code is no better than its maker, who may make one now. */
  const working = (now: string) =>
    tx
      .selectFrom('link_codes')
      .innerJoin('users', 'users.id', 'link_codes.created_by')
      .where('uses_left', '>', 0)
      .where('expires_at', '>', now)
      .where('users.enabled', '=', 1)
      .where((where) =>
        where.or([
          where('users.role', '=', 'superadmin'),
          where.and([
            where('users.role', '=', 'admin'),
            where('users.companyId', '=', where.ref('link_codes.company_id')),
          ]),
        ]),
      )
      .$if(scope !== 'all', (query) =>
        query.where('link_codes.company_id', '=', (scope as { company_id: number }).company_id),
      )

  return {
    insert: (code: Insertable<LinkCodes>) =>
      tx.insertInto('link_codes').values(code).returning('id').executeTakeFirstOrThrow(),

    /** The newest first. */
    list: (now: string, maker?: number) =>
      working(now)
        .select(['link_codes.id', 'link_codes.company_id', 'hint', 'users.name as by', 'uses', 'uses_left'])
        .select(['link_codes.created_at', 'expires_at'])
        .$if(maker !== undefined, (query) => query.where('link_codes.created_by', '=', maker!))
        .orderBy('link_codes.id', 'desc')
        .execute(),

    byHash: (code_hash: string, now: string) =>
      working(now)
        .select(['link_codes.id', 'link_codes.company_id', 'hint', 'created_by', 'users.name as by'])
        .where('code_hash', '=', code_hash)
        .$call(locked(tx, 'link_codes'))
        .executeTakeFirst(),

    byId: (id: number, now: string) =>
      working(now)
        .select(['link_codes.company_id', 'hint', 'uses', 'expires_at'])
        .where('link_codes.id', '=', id)
        .$call(locked(tx, 'link_codes'))
        .executeTakeFirst(),

    remove: (id: number) => tx.deleteFrom('link_codes').where('id', '=', id).execute(),

    removeOf: (created_by: number) =>
      tx.deleteFrom('link_codes').where('created_by', '=', created_by).execute(),

    spend: (id: number) =>
      tx
        .updateTable('link_codes')
        .set((set) => ({ uses_left: set('uses_left', '-', 1) }))
        .where('id', '=', id)
        .execute(),

    giveBack: (id: number) =>
      tx
        .updateTable('link_codes')
        .set((set) => ({ uses_left: set('uses_left', '+', 1) }))
        .where('id', '=', id)
        .execute(),

    removeExpired: (now: string) => tx.deleteFrom('link_codes').where('expires_at', '<=', now).execute(),
  }
}
