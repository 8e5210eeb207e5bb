import { locked, sql, when } from '@sdd/storage/sql.ts'
import type { Insertable, Selectable } from '@sdd/storage/tables.ts'
import { type InScope, type Scope, within } from '#server/core/context.ts'
import type { LinkCodes, Tx } from '#server/database/schema.ts'

/** Link codes of the scope that still work. */
export function linkCodeStore(tx: Tx, scope: Scope) {
  return {
    insert: (code: Insertable<LinkCodes>): Promise<number> => tx.insertRow('link_codes', code),

    /** Newest first. */
    list: (now: string, maker?: number) => tx.rows(LIST, { now, maker, ...within(scope) }),

    /** Of any company: a device that gives its code has no scope yet. */
    byHash: (code_hash: string, now: string) => tx.first(BY_HASH, { code_hash, now }),

    byId: (id: number, now: string) => tx.first(BY_ID, { id, now, ...within(scope) }),

    remove: (id: number) => tx.run(REMOVE, { id }),

    removeOf: (created_by: number) => tx.run(REMOVE_OF, { created_by }),

    spend: (id: number) => tx.run(SPEND, { id }),

    giveBack: (id: number) => tx.run(GIVE_BACK, { id }),

    removeExpired: (now: string) => tx.run(REMOVE_EXPIRED, { now }),
  }
}

type LinkCode = Selectable<LinkCodes>
type Asked = { now: string } & InScope

/** A code works only while its maker may still make one. */
const WORKING = `from link_codes join users on users.id = link_codes.created_by
  where uses_left > 0 and expires_at > :now and users.enabled = 1
    and (users.role = 'superadmin' or (users.role = 'admin' and users."companyId" = link_codes.company_id))`

const IN_SCOPE = when('company_id')`and link_codes.company_id = :company_id`

const LIST = sql<
  Pick<LinkCode, 'id' | 'company_id' | 'hint' | 'uses' | 'uses_left' | 'created_at' | 'expires_at'> & {
    by: string
  },
  { maker: number | undefined } & Asked
>`
  select link_codes.id, link_codes.company_id, hint, users.name as "by", uses, uses_left, link_codes.created_at,
    expires_at
  ${WORKING} ${IN_SCOPE} ${when('maker')`and link_codes.created_by = :maker`}
  order by link_codes.id desc`

const BY_HASH = sql<
  Pick<LinkCode, 'id' | 'company_id' | 'hint' | 'created_by'> & { by: string },
  { code_hash: string; now: string }
>`
  select link_codes.id, link_codes.company_id, hint, created_by, users.name as "by"
  ${WORKING} and code_hash = :code_hash ${locked('link_codes')}`

const BY_ID = sql<Pick<LinkCode, 'company_id' | 'hint' | 'uses' | 'expires_at'>, { id: number } & Asked>`
  select link_codes.company_id, hint, uses, expires_at
  ${WORKING} ${IN_SCOPE} and link_codes.id = :id ${locked('link_codes')}`

const REMOVE = sql<never, { id: number }>`delete from link_codes where id = :id`

const REMOVE_OF = sql<never, { created_by: number }>`delete from link_codes where created_by = :created_by`

const SPEND = sql<never, { id: number }>`update link_codes set uses_left = uses_left - 1 where id = :id`

const GIVE_BACK = sql<never, { id: number }>`update link_codes set uses_left = uses_left + 1 where id = :id`

const REMOVE_EXPIRED = sql<never, { now: string }>`delete from link_codes where expires_at <= :now`
