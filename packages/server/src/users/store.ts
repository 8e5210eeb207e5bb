import type { Scope } from '#server/core/context.ts'
import type { Tx, Users } from '#server/database/schema.ts'
import type { Insertable } from 'kysely'

export function userStore(tx: Tx, scope: Scope) {
  const visible = tx
    .selectFrom('users')
    .innerJoin('companies', 'companies.id', 'users.companyId')
    .select(['users.id', 'users.name', 'users.email', 'users.role', 'users.enabled', 'users.companyId'])
    .select('companies.name as company')
    .$if(scope !== 'all', (query) =>
      query.where('users.companyId', '=', (scope as { company_id: number }).company_id),
    )

  return {
    byId: (id: number) => visible.where('users.id', '=', id).executeTakeFirst(),

    /** The user with this name, else the one with this e-mail; `key` in lower case. */
    byLogin: (key: string) =>
      tx
        .selectFrom('users')
        .select(['id', 'role', 'enabled', 'password_hash'])
        .where((where) => where.or([where('name_key', '=', key), where('email_key', '=', key)]))
        .executeTakeFirst(),

    any: () => tx.selectFrom('users').select('id').limit(1).executeTakeFirst(),

    insert: (user: Insertable<Users>) =>
      tx.insertInto('users').values(user).returning('id').executeTakeFirstOrThrow(),
  }
}
