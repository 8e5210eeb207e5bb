import { type Insertable, type SelectQueryBuilder, sql, type Updateable } from 'kysely'
import type { CallbackSelection } from '@sdd/contract/outward/callbacks.ts'
import type { Scope } from '#server/core/context.ts'
import { isIn, isWriting, locked, runText } from '#server/database/dialect.ts'
import { rowsOf } from '#server/database/direct.ts'
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

export type NewCallback = Pick<
  Callbacks,
  | 'company_id'
  | 'guid'
  | 'url'
  | 'webhook'
  | 'webhook_id'
  | 'type'
  | 'host'
  | 'body'
  | 'api_key_id'
  | 'created_at'
>

/** What is told of one task to one receiver: in the order of the ids, one at a time. */
export type Sequence = Pick<Callbacks, 'company_id' | 'guid' | 'url' | 'webhook'>

export function callbackStore(tx: Tx, scope: Scope) {
  const inScope = tx
    .selectFrom('callbacks')
    .$if(scope !== 'all', (query) =>
      query.where('company_id', '=', (scope as { company_id: number }).company_id),
    )

  return {
    /** Adds one that waits: due at once, or behind those of its sequence that wait already. */
    insert: ({ company_id, guid, url, webhook, ...callback }: NewCallback) => {
      const { webhook_id, type, host, body, api_key_id, created_at } = callback
      const sequence = [company_id, guid, url, webhook]
      const values = [...sequence, webhook_id, type, host, body, api_key_id, created_at]
      return runText(tx, INSERT, [...values, ...sequence, created_at])
    },

    /**
     * What is told of the task of this callback stays as it is until the commit. Who changes a message, which is what
     * tells of it, has the message; so this holds that.
     */
    hold: async (id: number): Promise<void> => {
      if (isWriting(tx)) await runText(tx, HOLD, [id])
    },

    update: (id: number, change: Updateable<Callbacks>) =>
      tx.updateTable('callbacks').set(change).where('id', '=', id).execute(),

    byId: (id: number) =>
      inScope.select(columns).where('id', '=', id).$call(locked(tx, 'callbacks')).executeTakeFirst(),

    /** 0 where there is none. */
    newestId: async (): Promise<number> => {
      const row = await inScope
        .select((select) => select.fn.max<number | null>('id').as('id'))
        .executeTakeFirst()
      return row?.id ?? 0
    },

    /**
     * Those that match with ids from `from` (all there are, where it is absent) to below `below`, the newest first. With
     * a `from` SQLite goes through the ids, without it through the index of the guid or of the company's state.
     */
    slice: (
      { state, guid }: Pick<CallbackSelection, 'state' | 'guid'>,
      { from, below }: { from?: number; below: number },
      limit: number,
    ) =>
      inScope
        .select(columns)
        .where('id', '<', below)
        .$if(from !== undefined, (query) => query.where('id', '>=', from!))
        .$if(state !== undefined, (query) => query.where('state', '=', state!))
        .$if(guid !== undefined, (query) => query.where('guid', '=', guid!).where(ofAnyCompany))
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),

    /** Whether an earlier one of the sequence waits. */
    waitsBehind: async (sequence: Sequence, id: number): Promise<boolean> => {
      const row = await waitingIn(inScope, sequence)
        .select('id')
        .where('id', '<', id)
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },

    /**
     * The same by the server that has tried it, which has it no more. False where another server has it by now, and so has
     * the say.
     */
    letGo: async (id: number, server: string): Promise<boolean> => {
      if (!isWriting(tx)) return true
      const [row] = await runText<{ held: boolean }>(tx, LET_GO, [id, server, id])
      return row!.held
    },

    /** Delivered by one try more; and whose it was. `undefined` where it is gone. */
    deliver: async (
      id: number,
      { tried_at, status, now }: { tried_at: string; status: number | null; now: string },
    ): Promise<Sequence | undefined> => {
      const [sequence] = await runText<Sequence>(tx, DELIVER, [tried_at, status, now, id])
      return sequence
    },

    /** The first of the sequence that waits may go now, unless it has a time already. */
    release: ({ company_id, guid, url, webhook }: Sequence, now: string) =>
      runText(tx, RELEASE, [now, company_id, guid, url, webhook]),

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
      const ids = waiting.map(({ id }) => id)
      await tx
        .updateTable('callbacks')
        .set({ state: 'dead', due_at: null, last_error })
        .where(isIn(tx, 'id', ids))
        .where('state', '=', 'waiting')
        .execute()
      return waiting.length
    },
  }
}

/** Written by hand, as what follows: in the transactions that everybody waits for, the builder takes longer than SQLite. */
const INSERT = `insert into callbacks
    (company_id, guid, url, webhook, webhook_id, type, host, body, api_key_id, state, created_at, due_at)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, 'waiting', ?, case when exists (
    select 1 from callbacks where company_id = ? and guid = ? and url = ? and webhook is not distinct from ? and state = 'waiting')
    then null else ? end)`

const HOLD = `select messages.id from messages join callbacks
  on callbacks.company_id = messages.company_id and callbacks.guid = messages.guid
  where callbacks.id = ? for no key update of messages`

const LET_GO = `with claim as (delete from callback_claims where callback = ? and server = ? returning callback),
    told as (${HOLD})
  select exists (select from claim) as held, (select count(*) from told)`

const DELIVER = `update callbacks set state = 'delivered', due_at = null, tries = tries + 1, round = round + 1,
    last_tried_at = ?, last_status = ?, last_error = null, delivered_at = ?
  where id = ? returning company_id, guid, url, webhook`

const RELEASE = `update callbacks set due_at = ? where due_at is null and id = (select min(id) from callbacks
  where company_id = ? and guid = ? and url = ? and webhook is not distinct from ? and state = 'waiting')`

/** Its index begins with the company: where there are several, each is looked into. */
const ofAnyCompany = sql<boolean>`company_id in (select id from companies)`

type InScope = SelectQueryBuilder<Schema, 'callbacks', object>

function waitingIn(inScope: InScope, { company_id, guid, url, webhook }: Sequence): InScope {
  return inScope
    .where('company_id', '=', company_id)
    .where('guid', '=', guid)
    .where('url', '=', url)
    .where('webhook', 'is not distinct from', webhook)
    .where('state', '=', 'waiting')
}

export type WebhookRow = NonNullable<Awaited<ReturnType<ReturnType<typeof webhookStore>['byId']>>>

export function webhookStore(tx: Tx, scope: Scope) {
  const kept = tx
    .selectFrom('webhooks')
    .leftJoin('users', 'users.id', 'webhooks.created_by')
    .select(['webhooks.id', 'webhooks.company_id', 'url', 'types', 'webhooks.created_at', 'users.name as by'])
    .select('previous_until')
    .where('removed_at', 'is', null)
    .$if(scope !== 'all', (query) =>
      query.where('webhooks.company_id', '=', (scope as { company_id: number }).company_id),
    )

  return {
    list: (maker?: number) =>
      kept
        .$if(maker !== undefined, (query) => query.where('webhooks.created_by', '=', maker!))
        .orderBy('webhooks.id')
        .execute(),

    byId: (id: number) => kept.where('webhooks.id', '=', id).$call(locked(tx, 'webhooks')).executeTakeFirst(),

    insert: (webhook: Insertable<Webhooks>) =>
      tx.insertInto('webhooks').values(webhook).returning('id').executeTakeFirstOrThrow(),

    /** This is its secret from now on; the one of before signs until then too, or no more. */
    rotate: (id: number, secret: string, previous_until: string | null) =>
      tx
        .updateTable('webhooks')
        .set((column) => ({
          secret,
          previous_secret: previous_until && column.ref('secret'),
          previous_until,
        }))
        .where('id', '=', id)
        .execute(),

    update: (id: number, change: Updateable<Webhooks>) =>
      tx.updateTable('webhooks').set(change).where('id', '=', id).execute(),

    /** Which of them has how many dead since then, by id. */
    dead: async (ids: readonly number[], since: string): Promise<Map<number, number>> => {
      const rows = await tx
        .selectFrom('callbacks')
        .select((select) => ['webhook', select.fn.countAll<number>().as('count')])
        .where('state', '=', 'dead')
        .where(isIn(tx, 'webhook', ids))
        .where('last_tried_at', '>=', since)
        .groupBy('webhook')
        .execute()
      return new Map(rows.map(({ webhook, count }) => [webhook!, count]))
    },
  }
}

/** The addresses that hear of a company's tasks. */
export function webhooksOf(
  tx: Tx,
  company_id: number,
): Promise<{ id: number; url: string; types: string }[]> {
  return rowsOf(tx, WEBHOOKS_OF, [company_id])
}

/** Written by hand: every task that comes to an end runs it, mostly for nothing. */
const WEBHOOKS_OF = 'select id, url, types from webhooks where company_id = ? and removed_at is null'
