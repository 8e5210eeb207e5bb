import { locked, shared, sql, when } from '@sdd/storage/sql.ts'
import type { Insertable, Selectable } from '@sdd/storage/tables.ts'
import { lockName } from '@sdd/storage/tx.ts'
import { type InScope, type Scope, within } from '#server/core/context.ts'
import type { Change, Tx, Users } from '#server/database/schema.ts'

/** The lock for rules about all users: no user's name is another's e-mail, and one superadmin remains. */
const ALL = 'users'

export function userStore(tx: Tx, scope: Scope) {
  return {
    list: () => tx.rows(LIST, within(scope)),

    byId: (id: number) => tx.first(BY_ID, { id, ...within(scope) }),

    /** The user with this name, or else with this e-mail. `key` is in lower case. */
    byLogin: (key: string) => tx.first(BY_LOGIN, { key }),

    passwordHashOf: async (id: number) => (await tx.first(PASSWORD_HASH, { id }))?.password_hash,

    /** Whether a user other than `except` has the key as name or e-mail. */
    async claimed(key: string, except: number | undefined): Promise<boolean> {
      await lockName(tx, ALL)
      return (await tx.first(CLAIMED, { key, except: except ?? 0 })) !== undefined
    },

    /** Whether there is an enabled superadmin other than `except`. */
    async otherSuperadmin(except: number): Promise<boolean> {
      await lockName(tx, ALL)
      return (await tx.first(OTHER_SUPERADMIN, { except })) !== undefined
    },

    async any(): Promise<boolean> {
      await lockName(tx, ALL)
      return (await tx.first(ANY)) !== undefined
    },

    update: (id: number, change: Change<Users>) => tx.update('users', { id }, change),

    insert: (user: Insertable<Users>): Promise<number> => tx.insertRow('users', user),
  }
}

type User = Selectable<Users>
type VisibleUser = Pick<
  User,
  'id' | 'name' | 'email' | 'role' | 'enabled' | 'companyId' | 'language' | 'created_at'
> & {
  company: string
  second_factor_at: string | null
  last_login_at: string | null
}

const VISIBLE = `select users.id, users.name, users.email, users.role, users.enabled, users."companyId",
    users.language, users.created_at, companies.name as company, second_factors.enabled_at as second_factor_at,
    last_logins.at as last_login_at
  from users
  join companies on companies.id = users."companyId"
  left join second_factors on second_factors.user_id = users.id
  left join last_logins on last_logins.user_id = users.id`

const IN_SCOPE = when('company_id')`and users."companyId" = :company_id`

const LIST = sql<VisibleUser, InScope>`${VISIBLE} where true ${IN_SCOPE} order by users.id`

const BY_ID = sql<VisibleUser, { id: number } & InScope>`
  ${VISIBLE} where users.id = :id ${IN_SCOPE} ${locked('users')}`

const BY_LOGIN = sql<
  Pick<User, 'id' | 'name' | 'companyId' | 'role' | 'enabled' | 'language' | 'password_hash'>,
  { key: string }
>`
  select id, name, "companyId", role, enabled, language, password_hash from users
  where name_key = :key or email_key = :key ${shared('users')}`

const PASSWORD_HASH = sql<Pick<User, 'password_hash'>, { id: number }>`
  select password_hash from users where id = :id ${shared('users')}`

const CLAIMED = sql<Pick<User, 'id'>, { key: string; except: number }>`
  select id from users where (name_key = :key or email_key = :key) and id <> :except`

const OTHER_SUPERADMIN = sql<Pick<User, 'id'>, { except: number }>`
  select id from users where role = 'superadmin' and enabled = 1 and id <> :except limit 1`

const ANY = sql<Pick<User, 'id'>>`select id from users limit 1`
