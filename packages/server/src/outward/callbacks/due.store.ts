import { CALLBACK_TIMEOUT_MS } from '@sdd/contract/outward/callbacks.ts'
import { inList, isPostgres, listValue, runText } from '#server/database/dialect.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Callbacks } from '#server/database/task-tables.ts'

/** What is due, with what signs it, also from before a rotation until then, and since when its webhook is removed. */
export type DueRow = Pick<Callbacks, 'company_id' | 'webhook_id' | 'url' | 'host' | 'body'> & {
  id: number
  secret: string | null
  previous_secret: string | null
  previous_until: string | null
  removed_at: string | null
}

/**
 * Where several servers deliver, the one that has taken a callback is the only one for so long, by the database's clock:
 * longer than a try and writing down what it came to take.
 */
export const CLAIM_MS = 2 * CALLBACK_TIMEOUT_MS

/** What the delivery asks, of all companies at once. */
export function dueStore(tx: Tx) {
  return {
    /** The newest id of all, and whether anything is due: what a look costs when nothing is. */
    look: async (now: string): Promise<{ newest: number; due: boolean }> => {
      const [row] = await runText<{ newest: number | null; due: 0 | 1 }>(tx, look(tx), [now])
      return { newest: row?.newest ?? 0, due: row?.due === 1 }
    },

    /** The companies of those from above this id on. */
    companiesAbove: async (id: number): Promise<number[]> => {
      const rows = await tx
        .selectFrom('callbacks')
        .select('company_id')
        .distinct()
        .where('id', '>', id)
        .execute()
      return rows.map(({ company_id }) => company_id)
    },

    /** The hosts for which anything is due, by one step in the index for each host that anything waits for. */
    dueHosts: async (now: string): Promise<string[]> => {
      const rows = await runText<{ host: string }>(tx, dueHosts(tx), [now])
      return rows.map(({ host }) => host)
    },

    /**
     * What is due for a host but for these, longest due first, with what signs it: from now on this server's. To be called
     * within `taking`.
     */
    take: (server: string, host: string, now: string, but: readonly number[], limit: number) => {
      const wanted = [host, now, listValue(tx, but), limit]
      return runText<DueRow>(tx, take(tx), isPostgres(tx) ? [...wanted, server] : wanted)
    },

    /** Any server may deliver these: this one has cut them. */
    letGo: async (server: string, ids: readonly number[]): Promise<void> => {
      if (isPostgres(tx)) await runText(tx, LET_GO, [server, ids])
    },

    /** How many wait, since when the oldest does, and how many are dead. */
    standing: async (): Promise<{ waiting: number; oldest: string | null; dead: number }> => {
      const [standing] = await runText<{ waiting: number; oldest: string | null; dead: number }>(tx, STANDING)
      return standing!
    },
  }
}

/** Nobody delivers it, or whoever did has not written down what it came to. */
const free = (tx: Tx) =>
  isPostgres(tx)
    ? `and not exists (select from callback_claims where callback = callbacks.id and until > clock_timestamp())`
    : ''

const look = (tx: Tx) => `select (select max(id) from callbacks) as newest, case when exists (
  select 1 from callbacks where state = 'waiting' and due_at <= ? ${free(tx)}) then 1 else 0 end as due`

const dueHosts = (tx: Tx) => `with recursive hosts (host) as (
    select min(host) from callbacks where state = 'waiting'
    union all
    select (select min(host) from callbacks where state = 'waiting' and host > hosts.host)
      from hosts where hosts.host is not null)
  select host from hosts where host is not null and exists (
    select 1 from callbacks where state = 'waiting' and callbacks.host = hosts.host and due_at <= ? ${free(tx)})`

const take = (tx: Tx) => {
  const due = `select id from callbacks where state = 'waiting' and host = ? and due_at <= ? ${free(tx)}
    and not id ${inList(tx)} order by due_at limit ?`
  if (!isPostgres(tx)) return `${WITH_SECRET} where callbacks.id in (${due}) order by due_at`
  // Of two servers that take at once, one passes over what the other is taking, or else finds its claim in the way.
  return `with due as (${due} for no key update of callbacks skip locked), claimed as (
      insert into callback_claims (callback, server, until)
        select id, ?, clock_timestamp() + interval '${CLAIM_MS} milliseconds' from due
        on conflict (callback) do update set server = excluded.server, until = excluded.until
          where callback_claims.until <= clock_timestamp()
      returning callback)
    ${WITH_SECRET} where callbacks.id in (select callback from claimed) order by due_at`
}

const WITH_SECRET = `select callbacks.id, callbacks.company_id, callbacks.webhook_id, callbacks.url, host, body, removed_at,
    coalesce(webhooks.secret, api_keys.webhook_secret) as secret,
    coalesce(webhooks.previous_secret, api_keys.previous_webhook_secret) as previous_secret,
    coalesce(webhooks.previous_until, api_keys.previous_until) as previous_until
  from callbacks left join webhooks on webhooks.id = callbacks.webhook
    left join api_keys on api_keys.id = callbacks.api_key_id`

const LET_GO = 'delete from callback_claims where server = ? and callback = any(?)'

const STANDING = `select
  (select count(*) from callbacks where state = 'waiting') as waiting,
  (select created_at from callbacks where id = (select min(id) from callbacks where state = 'waiting')) as oldest,
  (select count(*) from callbacks where state = 'dead') as dead`
