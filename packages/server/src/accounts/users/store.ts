import type { Scope } from '#server/core/context.ts'
import { holdName, locked, shared } from '#server/database/dialect.ts'
import type { Change, Tx, Users } from '#server/database/schema.ts'
import type { Insertable } from 'kysely'

/** What rules about all users hold: a name of one may be another's e-mail, and one superadmin stays. */
const ALL = 'users'

export function userStore(tx: Tx, scope: Scope) {
  const visible = tx
    .selectFrom('users')
    .innerJoin('companies', 'companies.id', 'users.companyId')
    .select(['users.id', 'users.name', 'users.email', 'users.role', 'users.enabled', 'users.companyId'])
    .select('users.created_at')
    .leftJoin('second_factors', 'second_factors.user_id', 'users.id')
    .select(['companies.name as company', 'second_factors.enabled_at as second_factor_at'])
    .$if(scope !== 'all', (query) =>
      query.where('users.companyId', '=', (scope as { company_id: number }).company_id),
    )

  return {
    list: () => visible.orderBy('users.id').execute(),

    byId: (id: number) => visible.where('users.id', '=', id).$call(locked(tx, 'users')).executeTakeFirst(),

    /** The user with this name, else the one with this e-mail; `key` in lower case. */
    byLogin: (key: string) =>
      tx
        .selectFrom('users')
        .select(['id', 'name', 'companyId', 'role', 'enabled', 'password_hash'])
        .where((where) => where.or([where('name_key', '=', key), where('email_key', '=', key)]))
        .$call(shared(tx, 'users'))
        .executeTakeFirst(),

    async passwordHashOf(id: number): Promise<string | undefined> {
      const user = tx.selectFrom('users').select('password_hash').where('id', '=', id)
      return (await user.$call(shared(tx, 'users')).executeTakeFirst())?.password_hash
    },

    /** Whether a user but this one has the key as name or e-mail. */
    async claimed(key: string, but: number | undefined): Promise<boolean> {
      await holdName(tx, ALL)
      const row = await tx
        .selectFrom('users')
        .select('id')
        .where((where) => where.or([where('name_key', '=', key), where('email_key', '=', key)]))
        .where('id', '<>', but ?? 0)
        .executeTakeFirst()
      return row !== undefined
    },

    /** Whether there is an enabled superadmin but this one. */
    async otherSuperadmin(but: number): Promise<boolean> {
      await holdName(tx, ALL)
      const row = await tx
        .selectFrom('users')
        .select('id')
        .where('role', '=', 'superadmin')
        .where('enabled', '=', 1)
        .where('id', '<>', but)
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },

    async any(): Promise<boolean> {
      await holdName(tx, ALL)
      const row = await tx.selectFrom('users').select('id').limit(1).executeTakeFirst()
      return row !== undefined
    },

    update: (id: number, change: Change<Users>) =>
      tx.updateTable('users').set(change).where('id', '=', id).execute(),

    insert: (user: Insertable<Users>) =>
      tx.insertInto('users').values(user).returning('id').executeTakeFirstOrThrow(),
  }
}
