import { isIn, sql } from '@sdd/storage/sql.ts'
import type { Selectable } from '@sdd/storage/tables.ts'
import type { SecondFactors, Sessions, Settings, Tx, Users } from '#server/database/schema.ts'

/** Sessions are looked up by their token, before there is a scope. */
export function sessionStore(tx: Tx) {
  return {
    insert: (session: Omit<Session, 'id' | 'proved_at'>): Promise<number> =>
      tx.insertRow('sessions', session),

    noteLogin: (user_id: number, at: string) => tx.run(NOTE_LOGIN, { user_id, at }),

    /** The session and its user, if the user is enabled. */
    byToken: (token_hash: string) => tx.first(BY_TOKEN, { token_hash }),

    /** The subset of these sessions that can still be used. */
    alive: (ids: readonly number[], now: string) => tx.rows(ALIVE, { ids, now }),

    use: (id: number, used: Pick<Session, 'last_used_at' | 'expires_at'>) =>
      tx.update('sessions', { id }, used),

    noteProof: (id: number, proved_at: string) => tx.update('sessions', { id }, { proved_at }),

    /** A user's open sessions, most recently used first. */
    ofUser: (user_id: number, now: string) => tx.rows(OF_USER, { user_id, now }),

    /** The user of an open session; `undefined` if it is not open. */
    ownerOf: async (id: number, now: string): Promise<number | undefined> =>
      (await tx.first(OWNER, { id, now }))?.user_id,

    remove: (id: number) => tx.run(REMOVE, { id }),

    /** Returns the ids of the removed sessions. */
    async removeOthers(user_id: number, but: number): Promise<number[]> {
      const rows = await tx.rows(REMOVE_OTHERS, { user_id, but })
      return rows.map(({ id }) => id)
    },

    /** Keeps this many of a user's sessions at most, the most recently used ones. */
    removeUnused: (user_id: number, most: number) => tx.run(REMOVE_UNUSED, { user_id, most }),

    removeExpired: (now: string) => tx.run(REMOVE_EXPIRED, { now }),
  }
}

type Session = Selectable<Sessions>
type Holder = Pick<Selectable<Users>, 'role' | 'must_change_password'> & {
  require_second_factor: Selectable<Settings>['require_second_factor'] | null
  second_factor_at: Selectable<SecondFactors>['enabled_at']
}

const HOLDER = 'users.role, users.must_change_password, require_second_factor, enabled_at as second_factor_at'
const OF_ENABLED_USERS = `from sessions
  join users on users.id = sessions.user_id
  left join settings on settings.company_id = users."companyId"
  left join second_factors on second_factors.user_id = users.id
  where users.enabled = 1`

const NOTE_LOGIN = sql<never, { user_id: number; at: string }>`
  insert into last_logins (user_id, at) values (:user_id, :at)
  on conflict (user_id) do update set at = excluded.at`

const BY_TOKEN = sql<
  Holder &
    Pick<Session, 'created_at' | 'expires_at' | 'last_used_at' | 'proved_at'> & {
      session_id: number
      user_id: number
      name: string
      company_id: number
    },
  { token_hash: string }
>`
  select ${HOLDER}, sessions.id as session_id, sessions.created_at, expires_at, last_used_at, proved_at,
    users.id as user_id, users.name, users."companyId" as company_id
  ${OF_ENABLED_USERS} and token_hash = :token_hash`

const ALIVE = sql<Holder & { id: number }, { ids: readonly number[]; now: string }>`
  select ${HOLDER}, sessions.id
  ${OF_ENABLED_USERS} and ${isIn('sessions.id', 'ids')} and expires_at > :now`

const OF_USER = sql<
  Pick<Session, 'id' | 'created_at' | 'last_used_at' | 'expires_at' | 'address' | 'user_agent'>,
  { user_id: number; now: string }
>`
  select id, created_at, last_used_at, expires_at, address, user_agent from sessions
  where user_id = :user_id and expires_at > :now
  order by last_used_at desc, id desc`

const OWNER = sql<{ user_id: number }, { id: number; now: string }>`
  select user_id from sessions where id = :id and expires_at > :now`

const REMOVE = sql<never, { id: number }>`delete from sessions where id = :id`

const REMOVE_OTHERS = sql<{ id: number }, { user_id: number; but: number }>`
  delete from sessions where user_id = :user_id and id <> :but returning id`

const REMOVE_UNUSED = sql<never, { user_id: number; most: number }>`
  delete from sessions where id in (
    select id from sessions where user_id = :user_id
    order by last_used_at desc, id desc limit 1000000 offset :most)`

const REMOVE_EXPIRED = sql<never, { now: string }>`delete from sessions where expires_at <= :now`
