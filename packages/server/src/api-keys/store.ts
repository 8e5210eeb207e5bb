import type { Insertable, Updateable } from 'kysely'
import type { Scope } from '#server/core/context.ts'
import { locked } from '#server/database/dialect.ts'
import { rowsOf } from '#server/database/direct.ts'
import type { Tx } from '#server/database/schema.ts'
import type { ApiKeys } from '#server/database/task-tables.ts'

/** Keys that are not revoked; those that are stay as names in old rows. */
export function apiKeyStore(tx: Tx, scope: Scope) {
  const inScope = tx
    .selectFrom('api_keys')
    .where('revoked_at', 'is', null)
    .$if(scope !== 'all', (query) =>
      query.where('api_keys.company_id', '=', (scope as { company_id: number }).company_id),
    )

  return {
    /** Those that have not expired either, newest first. */
    usable: (now: string, maker?: number) =>
      inScope
        .leftJoin('users', 'users.id', 'api_keys.created_by')
        .select(['api_keys.id', 'api_keys.company_id', 'api_keys.name', 'may', 'hint'])
        .select(['api_keys.created_at', 'users.name as by', 'last_used_at', 'expires_at'])
        .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
        .$if(maker !== undefined, (query) => query.where('api_keys.created_by', '=', maker!))
        .orderBy('api_keys.id', 'desc')
        .execute(),

    byId: (id: number) =>
      inScope
        .select(['id', 'company_id', 'name'])
        .where('id', '=', id)
        .$call(locked(tx, 'api_keys'))
        .executeTakeFirst(),

    insert: (key: Insertable<ApiKeys>) =>
      tx.insertInto('api_keys').values(key).returning('id').executeTakeFirstOrThrow(),

    update: (id: number, change: Updateable<ApiKeys>) =>
      tx.updateTable('api_keys').set(change).where('id', '=', id).execute(),
  }
}

/** A key is looked up by who holds it, before there is a scope. */
export function keyLookup(tx: Tx) {
  return {
    byHash: async (key_hash: string): Promise<FoundKey | undefined> =>
      (await rowsOf<FoundKey>(tx, BY_HASH, [key_hash]))[0],
  }
}

type FoundKey = Pick<ApiKeys, 'company_id' | 'name' | 'may' | 'last_used_at' | 'expires_at'> & { id: number }

const BY_HASH = `select id, company_id, name, may, last_used_at, expires_at from api_keys
  where key_hash = ? and revoked_at is null`
