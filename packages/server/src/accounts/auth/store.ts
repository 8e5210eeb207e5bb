import { isIn } from '#server/database/dialect.ts'
import type { Sessions, Tx } from '#server/database/schema.ts'
import type { Selectable } from 'kysely'

/** Sessions are looked up by their token, before there is a scope. */
export function sessionStore(tx: Tx) {
  const withUser = tx
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .leftJoin('settings', 'settings.company_id', 'users.companyId')
    .leftJoin('second_factors', 'second_factors.user_id', 'users.id')
    .where('users.enabled', '=', 1)
    .select(['users.role', 'users.must_change_password'])
    .select(['settings.require_second_factor', 'second_factors.enabled_at as second_factor_at'])

  return {
    insert: (session: Omit<Selectable<Sessions>, 'id' | 'proved_at'>) =>
      tx.insertInto('sessions').values(session).returning('id').executeTakeFirstOrThrow(),

    /** The session and its user, if the user may still come in. */
    byToken: (token_hash: string) =>
      withUser
        .select([
          'sessions.id as session_id',
          'sessions.created_at',
          'sessions.expires_at',
          'sessions.last_used_at',
          'sessions.proved_at',
          'users.id as user_id',
          'users.name',
          'users.companyId as company_id',
        ])
        .where('sessions.token_hash', '=', token_hash)
        .executeTakeFirst(),

    /** Those of these sessions that may still be used. */
    alive: (ids: readonly number[], now: string) =>
      withUser
        .select('sessions.id')
        .where(isIn(tx, 'sessions.id', ids))
        .where('sessions.expires_at', '>', now)
        .execute(),

    use: (id: number, used: { last_used_at: string; expires_at: string }) =>
      tx.updateTable('sessions').set(used).where('id', '=', id).execute(),

    noteProof: (id: number, proved_at: string) =>
      tx.updateTable('sessions').set({ proved_at }).where('id', '=', id).execute(),

    /** A user's that are open, the latest used first. */
    ofUser: (user_id: number, now: string) =>
      tx
        .selectFrom('sessions')
        .select(['id', 'created_at', 'last_used_at', 'expires_at', 'address', 'user_agent'])
        .where('user_id', '=', user_id)
        .where('expires_at', '>', now)
        .orderBy('last_used_at', 'desc')
        .orderBy('id', 'desc')
        .execute(),

    /** Whose it is; `undefined` where it is not open. */
    async ownerOf(id: number, now: string): Promise<number | undefined> {
      const row = await tx
        .selectFrom('sessions')
        .select('user_id')
        .where('id', '=', id)
        .where('expires_at', '>', now)
        .executeTakeFirst()
      return row?.user_id
    },

    remove: (id: number) => tx.deleteFrom('sessions').where('id', '=', id).execute(),

    /** The ids of those that went. */
    async removeOthers(user_id: number, but: number): Promise<number[]> {
      const rows = await tx
        .deleteFrom('sessions')
        .where('user_id', '=', user_id)
        .where('id', '<>', but)
        .returning('id')
        .execute()
      return rows.map((row) => row.id)
    },

    /** Leaves a user so many sessions: those that were used last. */
    removeUnused: (user_id: number, most: number) =>
      tx
        .deleteFrom('sessions')
        .where('id', 'in', (from) =>
          from
            .selectFrom('sessions')
            .select('id')
            .where('user_id', '=', user_id)
            .orderBy('last_used_at', 'desc')
            .orderBy('id', 'desc')
            .limit(1_000_000)
            .offset(most),
        )
        .execute(),

    removeExpired: (now: string) => tx.deleteFrom('sessions').where('expires_at', '<=', now).execute(),
  }
}
