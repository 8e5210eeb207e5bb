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
    .leftJoin('users', 'users.id', 'api_keys.created_by')
    .select(['api_keys.id', 'api_keys.company_id', 'api_keys.name', 'may', 'hint'])
    .select(['api_keys.created_at', 'users.name as by', 'last_used_at', 'expires_at', 'previous_until'])

  return {
    /** Those that have not expired either, newest first. */
    usable: (now: string, maker?: number) =>
      inScope
        .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
        .$if(maker !== undefined, (query) => query.where('api_keys.created_by', '=', maker!))
        .orderBy('api_keys.id', 'desc')
        .execute(),

    byId: (id: number) =>
      inScope.where('api_keys.id', '=', id).$call(locked(tx, 'api_keys')).executeTakeFirst(),

    insert: (key: Insertable<ApiKeys>) =>
      tx.insertInto('api_keys').values(key).returning('id').executeTakeFirstOrThrow(),

    /** These are its secrets from now on; those of before work until then too, or no more. */
    rotate: (
      id: number,
      secrets: Pick<ApiKeys, 'key_hash' | 'hint' | 'webhook_secret'>,
      previous_until: string | null,
    ) =>
      tx
        .updateTable('api_keys')
        .set((column) => ({
          ...secrets,
          previous_key_hash: previous_until && column.ref('key_hash'),
          previous_webhook_secret: previous_until && column.ref('webhook_secret'),
          previous_until,
        }))
        .where('id', '=', id)
        .execute(),

    endPrevious: (id: number) =>
      tx
        .updateTable('api_keys')
        .set({ previous_key_hash: null, previous_webhook_secret: null, previous_until: null })
        .where('id', '=', id)
        .execute(),

    update: (id: number, change: Updateable<ApiKeys>) =>
      tx.updateTable('api_keys').set(change).where('id', '=', id).execute(),
  }
}

export type ApiKeyRow = Awaited<ReturnType<ReturnType<typeof apiKeyStore>['usable']>>[number]

/** A key is looked up by who holds it, before there is a scope. */
export function keyLookup(tx: Tx) {
  return {
    byHash: async (key_hash: string): Promise<FoundKey | undefined> =>
      (await rowsOf<FoundKey>(tx, BY_HASH, [key_hash, key_hash]))[0],
  }
}

type FoundKey = Pick<ApiKeys, 'company_id' | 'name' | 'may' | 'last_used_at' | 'expires_at'> & { id: number }

/** The one from before a rotation expires when the overlap ends, which is never later than the key itself. */
const BY_HASH = `select id, company_id, name, may, last_used_at, expires_at from api_keys
    where key_hash = ? and revoked_at is null
  union all select id, company_id, name, may, last_used_at, previous_until from api_keys
    where previous_key_hash = ? and revoked_at is null`
