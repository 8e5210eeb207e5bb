import { locked, sql, when } from '@sdd/storage/sql.ts'
import type { Insertable, Selectable } from '@sdd/storage/tables.ts'
import { type InScope, type Scope, within } from '#server/core/context.ts'
import type { Change, Tx } from '#server/database/schema.ts'
import type { ApiKeys } from '#server/database/task-tables.ts'

/** Keys that are not revoked. Revoked keys stay in the table because old rows show their names. */
export function apiKeyStore(tx: Tx, scope: Scope) {
  return {
    /** Keys that have not expired either, newest first. */
    usable: (now: string, maker?: number) => tx.rows(USABLE, { now, maker, ...within(scope) }),

    byId: (id: number) => tx.first(BY_ID, { id, ...within(scope) }),

    insert: (key: Insertable<ApiKeys>): Promise<number> => tx.insertRow('api_keys', key),

    /** Stores new secrets. The old ones work until `previous_until`, or stop now if that is null. */
    rotate: (
      id: number,
      secrets: Pick<ApiKeys, 'key_hash' | 'hint' | 'webhook_secret'>,
      previous_until: string | null,
    ) => tx.run(ROTATE, { id, ...secrets, previous_until }),

    endPrevious: (id: number) =>
      tx.update(
        'api_keys',
        { id },
        { previous_key_hash: null, previous_webhook_secret: null, previous_until: null },
      ),

    update: (id: number, change: Change<ApiKeys>) => tx.update('api_keys', { id }, change),
  }
}

/** Authentication looks up a key before there is a scope. */
export function keyLookup(tx: Tx) {
  return {
    byHash: (key_hash: string) => tx.first(BY_HASH, { key_hash }),

    bySystemId: (system_id: string) => tx.first(BY_SYSTEM_ID, { system_id }),
  }
}

type ApiKey = Selectable<ApiKeys>

export type ApiKeyRow = Pick<
  ApiKey,
  | 'id'
  | 'company_id'
  | 'name'
  | 'may'
  | 'classes'
  | 'hint'
  | 'created_at'
  | 'last_used_at'
  | 'last_used_from'
  | 'expires_at'
  | 'previous_until'
> & { by: string | null }

const KEYS = `select api_keys.id, api_keys.company_id, api_keys.name, may, classes, hint, api_keys.created_at,
    users.name as "by", last_used_at, last_used_from, expires_at, previous_until
  from api_keys left join users on users.id = api_keys.created_by
  where revoked_at is null`

const IN_SCOPE = when('company_id')`and api_keys.company_id = :company_id`

const USABLE = sql<ApiKeyRow, { now: string; maker: number | undefined } & InScope>`
  ${KEYS} ${IN_SCOPE} and (expires_at is null or expires_at > :now)
    ${when('maker')`and api_keys.created_by = :maker`}
  order by api_keys.id desc`

const BY_ID = sql<ApiKeyRow, { id: number } & InScope>`
  ${KEYS} ${IN_SCOPE} and api_keys.id = :id ${locked('api_keys')}`

const ROTATE = sql<never, Pick<ApiKey, 'id' | 'key_hash' | 'hint' | 'webhook_secret' | 'previous_until'>>`
  update api_keys set key_hash = :key_hash, hint = :hint, webhook_secret = :webhook_secret,
    previous_key_hash = case when cast(:previous_until as text) is not null then key_hash end,
    previous_webhook_secret = case when cast(:previous_until as text) is not null then webhook_secret end,
    previous_until = :previous_until
  where id = :id`

const BY_SYSTEM_ID = sql<
  Pick<ApiKey, 'id' | 'company_id' | 'name' | 'may' | 'classes' | 'expires_at' | 'smpp_password_hash'>,
  { system_id: string }
>`
  select id, company_id, name, may, classes, expires_at, smpp_password_hash from api_keys
  where smpp_system_id = :system_id and revoked_at is null`

/** The key from before a rotation expires when the overlap ends, which is never later than the key itself. */
const BY_HASH = sql<
  Pick<ApiKey, 'id' | 'company_id' | 'name' | 'may' | 'classes' | 'last_used_at' | 'expires_at'>,
  { key_hash: string }
>`
  select id, company_id, name, may, classes, last_used_at, expires_at from api_keys
    where key_hash = :key_hash and revoked_at is null
  union all select id, company_id, name, may, classes, last_used_at, previous_until from api_keys
    where previous_key_hash = :key_hash and revoked_at is null`
