import { CALLBACK_TIMEOUT_MS } from '@sdd/contract/outward/callbacks.ts'
import { isIn, limit, lockedOrSkipped, perEngine, postgresSql, sql } from '@sdd/storage/sql.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Callbacks } from '#server/database/task-tables.ts'

/**
 * A due callback, its secret, the secret before a rotation with the end of its overlap, and the time at which its
 * webhook was removed.
 */
export type DueRow = Pick<
  Callbacks,
  'company_id' | 'webhook_id' | 'url' | 'host' | 'body' | 'format' | 'type'
> & {
  id: number
  /** The key whose secret signs it in Twilio's way. */
  api_key_id: number | null
  secret: string | null
  previous_secret: string | null
  previous_until: string | null
  removed_at: string | null
}

/**
 * With several servers, a claim on a callback lasts this long, by the database's clock. This is longer than a try plus
 * the write of its outcome.
 */
export const CLAIM_MS = 2 * CALLBACK_TIMEOUT_MS

/** The queries of the delivery, for all companies at once. */
export function dueStore(tx: Tx) {
  return {
    /** The newest id, and whether anything is due. An idle loop needs only this statement. */
    async look(now: string): Promise<{ newest: number; due: boolean }> {
      const row = await tx.first(LOOK, { now })
      return { newest: row?.newest ?? 0, due: row?.due === 1 }
    },

    /** The companies with callbacks above this id. */
    companiesAbove: async (id: number): Promise<number[]> =>
      (await tx.rows(COMPANIES_ABOVE, { id })).map(({ company_id }) => company_id),

    /** The hosts with due callbacks. The query takes one step in the index for each host with waiting ones. */
    dueHosts: async (now: string): Promise<string[]> =>
      (await tx.rows(DUE_HOSTS, { now })).map(({ host }) => host),

    /** Claims due callbacks of a host for this server, except `but`, longest due first. Call it within `taking`. */
    take: (server: string, host: string, now: string, but: readonly number[], limit: number) =>
      tx.rows(TAKE, { server, host, now, but, limit }),

    /** Releases these interrupted callbacks to any server. */
    async letGo(server: string, ids: readonly number[]): Promise<void> {
      if (tx.engine === 'postgres') await tx.run(LET_GO, { server, ids })
    },

    /** How many are waiting, the age of the oldest, and how many are dead. */
    totals: async () => (await tx.first(TOTALS))!,
  }
}

/** No server has claimed it, or the claim ran out before the outcome was written. */
const FREE = perEngine({
  sqlite: '',
  postgres: `and not exists (
    select from callback_claims where callback = callbacks.id and until > clock_timestamp())`,
})

const LOOK = sql<{ newest: number | null; due: 0 | 1 }, { now: string }>`
  select (select max(id) from callbacks) as newest, case when exists (
    select 1 from callbacks where state = 'waiting' and due_at <= :now ${FREE}) then 1 else 0 end as due`

const COMPANIES_ABOVE = sql<Pick<Callbacks, 'company_id'>, { id: number }>`
  select distinct company_id from callbacks where id > :id`

const DUE_HOSTS = sql<Pick<Callbacks, 'host'>, { now: string }>`
  with recursive hosts (host) as (
    select min(host) from callbacks where state = 'waiting'
    union all
    select (select min(host) from callbacks where state = 'waiting' and host > hosts.host)
      from hosts where hosts.host is not null)
  select host from hosts where host is not null and exists (
    select 1 from callbacks where state = 'waiting' and callbacks.host = hosts.host and due_at <= :now ${FREE})`

/** If two servers claim at once, one skips the rows that the other has locked, or finds the other's claim. */
const CLAIMED = perEngine({
  sqlite: '',
  postgres: `, claimed as (
    insert into callback_claims (callback, server, until)
      select id, :server, clock_timestamp() + interval '${CLAIM_MS} milliseconds' from due
      on conflict (callback) do update set server = excluded.server, until = excluded.until
        where callback_claims.until <= clock_timestamp()
    returning callback)`,
})

const TAKE = sql<
  DueRow,
  { server: string; host: string; now: string; but: readonly number[]; limit: number }
>`
  with due as (
    select id from callbacks where state = 'waiting' and host = :host and due_at <= :now ${FREE}
      and not ${isIn('id', 'but')} order by due_at ${limit()} ${lockedOrSkipped('callbacks')})
  ${CLAIMED}
  select callbacks.id, callbacks.company_id, callbacks.webhook_id, callbacks.url, host, body, callbacks.format,
    type, removed_at, api_keys.id as api_key_id,
    case when callbacks.format = 'twilio' then api_keys.webhook_secret
      else coalesce(webhooks.secret, api_keys.webhook_secret) end as secret,
    case when callbacks.format = 'twilio' then api_keys.previous_webhook_secret
      else coalesce(webhooks.previous_secret, api_keys.previous_webhook_secret) end as previous_secret,
    case when callbacks.format = 'twilio' then api_keys.previous_until
      else coalesce(webhooks.previous_until, api_keys.previous_until) end as previous_until
  from callbacks left join webhooks on webhooks.id = callbacks.webhook
    left join api_keys on api_keys.id = coalesce(callbacks.api_key_id, webhooks.api_key_id)
  where callbacks.id in (${perEngine({ sqlite: 'select id from due', postgres: 'select callback from claimed' })})
  order by due_at`

const LET_GO = postgresSql<never, { server: string; ids: readonly number[] }>`
  delete from callback_claims where server = :server and callback = any(:ids)`

const TOTALS = sql<{ waiting: number; oldest: string | null; dead: number }>`select
  (select count(*) from callbacks where state = 'waiting') as waiting,
  (select created_at from callbacks where id = (select min(id) from callbacks where state = 'waiting')) as oldest,
  (select count(*) from callbacks where state = 'dead') as dead`
