import { CompiledQuery, type Insertable, type SelectQueryBuilder, sql, type Updateable } from 'kysely'
import type { CallbackSelection } from '@sdd/contract/callbacks.ts'
import type { Scope } from '#server/core/context.ts'
import type { Span } from '#server/core/spans.ts'
import type { Schema, Tx } from '#server/database/schema.ts'
import type { Callbacks, Webhooks } from '#server/database/task-tables.ts'

const columns = [
  'id',
  'company_id',
  'webhook_id',
  'type',
  'guid',
  'url',
  'webhook',
  'state',
  'created_at',
  'tries',
  'round',
  'due_at',
  'last_tried_at',
  'last_status',
  'last_error',
  'delivered_at',
] as const

export type CallbackRow = NonNullable<Awaited<ReturnType<ReturnType<typeof callbackStore>['byId']>>>
export type DueRow = Awaited<ReturnType<ReturnType<typeof dueStore>['dueOf']>>[number]

/** What is told of one task to one receiver: in the order of the ids, one at a time. */
export type Sequence = Pick<Callbacks, 'company_id' | 'guid' | 'url' | 'webhook'>

export function callbackStore(tx: Tx, scope: Scope) {
  const inScope = tx
    .selectFrom('callbacks')
    .$if(scope !== 'all', (query) =>
      query.where('company_id', '=', (scope as { company_id: number }).company_id),
    )

  return {
    insert: (callback: Insertable<Callbacks>) => tx.insertInto('callbacks').values(callback).execute(),

    update: (id: number, change: Updateable<Callbacks>) =>
      tx.updateTable('callbacks').set(change).where('id', '=', id).execute(),

    byId: (id: number) => inScope.select(columns).where('id', '=', id).executeTakeFirst(),

    /** 0 where there is none. */
    newestId: async (): Promise<number> => {
      const row = await inScope
        .select((select) => select.fn.max<number | null>('id').as('id'))
        .executeTakeFirst()
      return row?.id ?? 0
    },

    /** Those of these ids that match, the newest first. */
    slice: (
      { state, guid }: Pick<CallbackSelection, 'state' | 'guid'>,
      { from, below }: Span,
      limit: number,
    ) =>
      inScope
        .select(columns)
        .where('id', '>=', from)
        .where('id', '<', below)
        .$if(state !== undefined, (query) => query.where('state', '=', state!))
        .$if(guid !== undefined, (query) => query.where('guid', '=', guid!))
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),

    /** Whether an earlier one of the sequence waits; any at all where `before` is absent. */
    waitsBehind: async (sequence: Sequence, before?: number): Promise<boolean> => {
      const row = await waitingIn(inScope, sequence)
        .select('id')
        .$if(before !== undefined, (query) => query.where('id', '<', before!))
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },

    /** The first of the sequence that waits is tried from `due_at` on, unless it has a time already. */
    release: async (sequence: Sequence, due_at: string): Promise<void> => {
      const first = await waitingIn(inScope, sequence)
        .select(['id', 'due_at'])
        .orderBy('id')
        .limit(1)
        .executeTakeFirst()
      if (first?.due_at === null)
        await tx.updateTable('callbacks').set({ due_at }).where('id', '=', first.id).execute()
    },

    /** Those of the sequence that come after this one wait for it. */
    holdAfter: (sequence: Sequence, after: number) =>
      tx
        .updateTable('callbacks')
        .set({ due_at: null })
        .where('id', 'in', waitingIn(inScope, sequence).select('id').where('id', '>', after))
        .execute(),

    /** At most so many of what waits for a webhook is dead, and how many it were. */
    giveUp: async (webhook: number, last_error: string, limit: number): Promise<number> => {
      const waiting = await inScope
        .select('id')
        .where('webhook', '=', webhook)
        .where('state', '=', 'waiting')
        .limit(limit)
        .execute()
      const ids = JSON.stringify(waiting.map(({ id }) => id))
      await tx
        .updateTable('callbacks')
        .set({ state: 'dead', due_at: null, last_error })
        .where('id', 'in', sql<number>`(select value from json_each(${ids}))`)
        .execute()
      return waiting.length
    },
  }
}

type InScope = SelectQueryBuilder<Schema, 'callbacks', object>

function waitingIn(inScope: InScope, { company_id, guid, url, webhook }: Sequence): InScope {
  return inScope
    .where('company_id', '=', company_id)
    .where('guid', '=', guid)
    .where('url', '=', url)
    .where('webhook', 'is', webhook)
    .where('state', '=', 'waiting')
}

/** What the delivery asks, of all companies at once. */
export function dueStore(tx: Tx) {
  return {
    /** The newest id of all, and whether anything is due: what a look costs when nothing is. */
    look: async (now: string): Promise<{ newest: number; due: boolean }> => {
      const { rows } = await tx.executeQuery(CompiledQuery.raw(LOOK, [now]))
      const [{ newest, due }] = rows as [{ newest: number | null; due: 0 | 1 }]
      return { newest: newest ?? 0, due: due === 1 }
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
      const { rows } = await tx.executeQuery(CompiledQuery.raw(DUE_HOSTS, [now]))
      return (rows as { host: string }[]).map(({ host }) => host)
    },

    /** What is due for a host, longest due first, with what signs it. */
    dueOf: (host: string, now: string, limit: number) =>
      tx
        .selectFrom('callbacks')
        .leftJoin('webhooks', 'webhooks.id', 'callbacks.webhook')
        .leftJoin('api_keys', 'api_keys.id', 'callbacks.api_key_id')
        .select([
          'callbacks.id',
          'callbacks.company_id',
          'callbacks.webhook_id',
          'callbacks.url',
          'host',
          'body',
        ])
        .select((select) => select.fn.coalesce('webhooks.secret', 'api_keys.webhook_secret').as('secret'))
        .select('webhooks.removed_at')
        .where('callbacks.state', '=', 'waiting')
        .where('host', '=', host)
        .where('due_at', '<=', now)
        .orderBy('due_at')
        .orderBy('callbacks.id')
        .limit(limit)
        .execute(),

    /** How many wait, since when the oldest does, and how many are dead. */
    standing: async (): Promise<{ waiting: number; oldest: string | null; dead: number }> => {
      const { rows } = await tx.executeQuery(CompiledQuery.raw(STANDING))
      return rows[0] as { waiting: number; oldest: string | null; dead: number }
    },
  }
}

const LOOK = `select (select max(id) from callbacks) as newest,
  exists (select 1 from callbacks where state = 'waiting' and due_at <= ?) as due`

const DUE_HOSTS = `with recursive hosts (host) as (
    select min(host) from callbacks where state = 'waiting'
    union all
    select (select min(host) from callbacks where state = 'waiting' and host > hosts.host)
      from hosts where hosts.host is not null)
  select host from hosts where host is not null and exists (
    select 1 from callbacks where state = 'waiting' and callbacks.host = hosts.host and due_at <= ?)`

const STANDING = `select
  (select count(*) from callbacks where state = 'waiting') as waiting,
  (select created_at from callbacks where id = (select min(id) from callbacks where state = 'waiting')) as oldest,
  (select count(*) from callbacks where state = 'dead') as dead`

export type WebhookRow = NonNullable<Awaited<ReturnType<ReturnType<typeof webhookStore>['byId']>>>

export function webhookStore(tx: Tx, scope: Scope) {
  const kept = tx
    .selectFrom('webhooks')
    .select(['id', 'company_id', 'url', 'types', 'created_at'])
    .where('removed_at', 'is', null)
    .$if(scope !== 'all', (query) =>
      query.where('company_id', '=', (scope as { company_id: number }).company_id),
    )

  return {
    list: () => kept.orderBy('id').execute(),

    byId: (id: number) => kept.where('id', '=', id).executeTakeFirst(),

    insert: (webhook: Insertable<Webhooks>) =>
      tx.insertInto('webhooks').values(webhook).returning('id').executeTakeFirstOrThrow(),

    remove: (id: number, removed_at: string) =>
      tx.updateTable('webhooks').set({ removed_at }).where('id', '=', id).execute(),

    /** Which of them has how many dead since then, by id. */
    dead: async (ids: readonly number[], since: string): Promise<Map<number, number>> => {
      const rows = await tx
        .selectFrom('callbacks')
        .select((select) => ['webhook', select.fn.countAll<number>().as('count')])
        .where('state', '=', 'dead')
        .where('webhook', 'in', ids)
        .where('last_tried_at', '>=', since)
        .groupBy('webhook')
        .execute()
      return new Map(rows.map(({ webhook, count }) => [webhook!, count]))
    },
  }
}

/** The addresses that hear of a company's tasks. */
export async function webhooksOf(
  tx: Tx,
  company_id: number,
): Promise<{ id: number; url: string; types: string }[]> {
  const { rows } = await tx.executeQuery(CompiledQuery.raw(WEBHOOKS_OF, [company_id]))
  return rows as { id: number; url: string; types: string }[]
}

/** Written by hand: every task that comes to an end runs it, mostly for nothing. */
const WEBHOOKS_OF = 'select id, url, types from webhooks where company_id = ? and removed_at is null'
