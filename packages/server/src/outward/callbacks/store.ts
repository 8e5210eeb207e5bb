import type { CallbackSelection } from '@sdd/contract/outward/callbacks.ts'
import { isIn, limit, locked, perEngine, postgresSql, sql, when } from '@sdd/storage/sql.ts'
import type { Insertable, Selectable } from '@sdd/storage/tables.ts'
import { type InScope, type Scope, within } from '#server/core/context.ts'
import { lockInbox } from '#server/messages/inbox/order.ts'
import type { Change, Tx } from '#server/database/schema.ts'
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

export type CallbackRow = Pick<Selectable<Callbacks>, (typeof columns)[number]>

type NewCallback = Pick<
  Callbacks,
  | 'company_id'
  | 'guid'
  | 'url'
  | 'webhook'
  | 'webhook_id'
  | 'type'
  | 'host'
  | 'body'
  | 'format'
  | 'api_key_id'
  | 'created_at'
>

/**
 * The callbacks of one task, about one alert, or about the SMS from one number, to one receiver. They are sent one at a
 * time, in the order of their ids.
 */
type Sequence = Pick<Callbacks, 'company_id' | 'guid' | 'url' | 'webhook'>

export function callbackStore(tx: Tx, scope: Scope) {
  return {
    /** Locks the callbacks of this task until the commit: see `hold`. */
    async holdTask(id: number): Promise<void> {
      if (tx.writing) await tx.run(HOLD_TASK, { id })
    },

    /** Adds a waiting callback, due at once or behind waiting ones of its sequence. */
    insert: (callback: NewCallback) => tx.run(INSERT, callback),

    /**
     * Locks the callbacks of this callback's task or alert until the commit. This locks the row in `messages` or
     * `alerts`, as does each change of the message or alert that adds callbacks.
     */
    async hold(id: number): Promise<void> {
      if (!tx.writing) return
      await tx.run(HOLD, { id })
      await tx.run(HOLD_SMS, { id })
      await tx.run(HOLD_ALERT, { id })
    },

    update: (id: number, change: Change<Callbacks>) => tx.update('callbacks', { id }, change),

    byId: (id: number) => tx.first(BY_ID, { id, ...within(scope) }),

    bodyOf: async (id: number): Promise<string | undefined> =>
      (await tx.first(BODY, { id, ...within(scope) }))?.body,

    /** The oldest dead callbacks above this id whose webhook is in use, if they have one. */
    deadAbove: async (after: number, limit: number): Promise<number[]> =>
      (await tx.rows(DEAD_ABOVE, { after, limit, ...within(scope) })).map(({ id }) => id),

    /** 0 if there is none. */
    newestId: async (): Promise<number> => (await tx.first(NEWEST, within(scope)))?.id ?? 0,

    /**
     * The matching callbacks with ids below `below`, newest first. With `from`, SQLite scans the ids from there on;
     * without it, SQLite uses the index of the guid or of the company's state.
     */
    slice: (
      { state, guid }: Pick<CallbackSelection, 'state' | 'guid'>,
      { from, below }: { from?: number; below: number },
      limit: number,
    ) => tx.rows(SLICE, { state, guid, from, below, limit, ...within(scope) }),

    /** The first of the earlier callbacks of the sequence that are waiting. */
    ahead: (sequence: Sequence, id: number) => tx.first(WAITING_BEFORE, { ...keyOf(sequence), id }),

    /**
     * Ends this server's claim after a try, and locks the task or alert like `hold`. False if another server has claimed
     * it by now, whose result counts.
     */
    async letGo(id: number, server: string): Promise<boolean> {
      if (!tx.writing) return true
      return (await tx.first(LET_GO, { id, server }))!.held
    },

    /** Marks it as delivered, and counts the try. Returns its sequence; `undefined` if it is gone. */
    deliver: (
      id: number,
      { tried_at, status, now }: { tried_at: string; status: number | null; now: string },
    ): Promise<Sequence | undefined> => tx.first(DELIVER, { id, tried_at, status, now }),

    /** Makes the first waiting callback of the sequence due, unless it has a time already. */
    release: (sequence: Sequence, now: string) => tx.run(RELEASE, { ...keyOf(sequence), now }),

    /** Makes the later callbacks of the sequence wait for this one. */
    holdAfter: (sequence: Sequence, after: number) => tx.run(HOLD_AFTER, { ...keyOf(sequence), after }),

    /** Marks at most `limit` callbacks waiting for a webhook as dead. Returns how many. */
    async giveUp(webhook: number, last_error: string, limit: number): Promise<number> {
      const waiting = await tx.rows(WAITING_FOR, { webhook, limit, ...within(scope) })
      await tx.run(GIVE_UP, { ids: waiting.map(({ id }) => id), last_error })
      return waiting.length
    },
  }
}

function keyOf({ company_id, guid, url, webhook }: Sequence): Sequence {
  return { company_id, guid, url, webhook }
}

type Id = { id: number }

const COLUMNS = columns.join(', ')
const IN_SCOPE = when('company_id')`and company_id = :company_id`
const OF_SEQUENCE = `company_id = :company_id and guid = :guid and url = :url
    and webhook is not distinct from :webhook and state = 'waiting'`

const INSERT = sql<never, NewCallback>`
  insert into callbacks
    (company_id, guid, url, webhook, webhook_id, type, host, body, format, api_key_id, state, created_at, due_at)
  values (:company_id, :guid, :url, :webhook, :webhook_id, :type, :host, :body, :format, :api_key_id, 'waiting',
    :created_at, case when exists (select 1 from callbacks where ${OF_SEQUENCE}) then null else :created_at end)`

const MESSAGE_OF = `select messages.id from messages join callbacks
  on callbacks.company_id = messages.company_id and callbacks.guid = messages.guid
  where callbacks.id = :id`

const HOLD_TASK = sql<Id, Id>`select id from messages where id = :id ${locked('messages')}`

const HOLD = sql<Id, Id>`${MESSAGE_OF} ${locked('messages')}`

/** For a callback about a received SMS: no message has its guid. */
const HOLD_RECEIVED = `select ${lockInbox('company_id')} is null as held from callbacks
  where id = :id and type = 'sms.received'`

const HOLD_SMS = postgresSql<never, Id>`${HOLD_RECEIVED}`

/** For a callback about an alert: its guid is `alert-<id>`. The `case` keeps the cast from other guids. */
const HELD_ALERT = `select alerts.id from alerts join callbacks
  on alerts.id = case when type like 'alert.%' then cast(split_part(guid, '-', 2) as bigint) end
  where callbacks.id = :id for no key update of alerts`

const HOLD_ALERT = postgresSql<Id, Id>`${HELD_ALERT}`

const BY_ID = sql<CallbackRow, Id & InScope>`
  select ${COLUMNS} from callbacks where id = :id ${IN_SCOPE} ${locked('callbacks')}`

const BODY = sql<Pick<Callbacks, 'body'>, Id & InScope>`
  select body from callbacks where id = :id ${IN_SCOPE}`

const DEAD_ABOVE = sql<Id, { after: number; limit: number } & InScope>`
  select id from callbacks where state = 'dead' and id > :after ${IN_SCOPE}
    and (webhook is null or webhook in (select id from webhooks where removed_at is null))
  order by id ${limit()}`

const NEWEST = sql<{ id: number | null }, InScope>`select max(id) as id from callbacks where true ${IN_SCOPE}`

/** The index of the guid begins with the company, so a scope with several companies searches each. */
const SLICE = sql<
  CallbackRow,
  Pick<CallbackSelection, 'state' | 'guid'> & {
    from: number | undefined
    below: number
    limit: number
  } & InScope
>`
  select ${COLUMNS} from callbacks where id < :below ${IN_SCOPE} ${when('from')`and id >= :from`}
    ${when('state')`and state = :state`}
    ${when('guid')`and guid = :guid and company_id in (select id from companies)`}
  order by id desc ${limit()}`

const WAITING_BEFORE = sql<Pick<CallbackRow, 'id' | 'type' | 'due_at'>, Sequence & Id>`
  select id, type, due_at from callbacks where ${OF_SEQUENCE} and id < :id order by id limit 1`

const LET_GO = sql<{ held: boolean }, Id & { server: string }>`${perEngine({
  sqlite: 'select 1 as held',
  postgres: `
    with claim as (delete from callback_claims where callback = :id and server = :server returning callback),
      told as (${MESSAGE_OF} for no key update of messages),
      received as (${HOLD_RECEIVED}),
      alert as (${HELD_ALERT})
    select exists (select from claim) as held, (select count(*) from told), (select count(held) from received),
      (select count(*) from alert)`,
})}`

const DELIVER = sql<Sequence, Id & { tried_at: string; status: number | null; now: string }>`
  update callbacks set state = 'delivered', due_at = null, tries = tries + 1, round = round + 1,
    last_tried_at = :tried_at, last_status = :status, last_error = null, delivered_at = :now
  where id = :id returning company_id, guid, url, webhook`

const RELEASE = sql<never, Sequence & { now: string }>`
  update callbacks set due_at = :now
  where due_at is null and id = (select min(id) from callbacks where ${OF_SEQUENCE})`

const HOLD_AFTER = sql<never, Sequence & { after: number }>`
  update callbacks set due_at = null
  where id in (select id from callbacks where ${OF_SEQUENCE} and id > :after)`

const WAITING_FOR = sql<Id, { webhook: number; limit: number } & InScope>`
  select id from callbacks where webhook = :webhook and state = 'waiting' ${IN_SCOPE} ${limit()}`

const GIVE_UP = sql<never, { ids: readonly number[]; last_error: string }>`
  update callbacks set state = 'dead', due_at = null, last_error = :last_error
  where ${isIn('id', 'ids')} and state = 'waiting'`

export type WebhookRow = Pick<
  Selectable<Webhooks>,
  'id' | 'company_id' | 'url' | 'types' | 'created_at' | 'previous_until' | 'format' | 'api_key_id'
> & { by: string | null }

export function webhookStore(tx: Tx, scope: Scope) {
  return {
    list: (maker?: number) => tx.rows(WEBHOOKS, { maker, ...within(scope) }),

    byId: (id: number) => tx.first(WEBHOOK, { id, ...within(scope) }),

    /** Its current secret. */
    secretOf: async (id: number): Promise<string | undefined> => (await tx.first(SECRET, { id }))?.secret,

    insert: (webhook: Insertable<Webhooks>): Promise<number> => tx.insertRow('webhooks', webhook),

    /** Stores a new secret. The previous one also signs until `previous_until`, or no longer if that is null. */
    rotate: (id: number, secret: string, previous_until: string | null) =>
      tx.run(ROTATE, { id, secret, previous_until }),

    update: (id: number, change: Change<Webhooks>) => tx.update('webhooks', { id }, change),

    addFailures: (id: number, by: number) => tx.run(ADD_FAILURES, { id, by }),

    /** A callback was delivered, and this many tries failed after it. */
    endFailures: (id: number, count: number) => tx.run(END_FAILURES, { id, count }),

    /** How many of each webhook's callbacks died since then, by its id. A webhook without any has no entry. */
    async dead(ids: readonly number[], since: string): Promise<Map<number, number>> {
      const rows = await tx.rows(DEAD, { ids, since })
      return new Map(rows.map(({ webhook, count }) => [webhook, count]))
    },
  }
}

/** A company's webhooks that are in use. */
export function webhooksOf(tx: Tx, company_id: number): Promise<Listener[]> {
  return tx.rows(WEBHOOKS_OF, { company_id })
}

type Listener = Pick<Selectable<Webhooks>, 'id' | 'url' | 'types' | 'format'>

const IN_USE = `select webhooks.id, webhooks.company_id, url, types, webhooks.created_at, users.name as by, previous_until,
    format, api_key_id
  from webhooks left join users on users.id = webhooks.created_by where removed_at is null`

const WEBHOOKS = sql<WebhookRow, { maker: number | undefined } & InScope>`
  ${IN_USE} ${when('company_id')`and webhooks.company_id = :company_id`}
    ${when('maker')`and webhooks.created_by = :maker`} order by webhooks.id`

const WEBHOOK = sql<WebhookRow, Id & InScope>`
  ${IN_USE} and webhooks.id = :id ${when('company_id')`and webhooks.company_id = :company_id`}
  ${locked('webhooks')}`

const SECRET = sql<Pick<Webhooks, 'secret'>, Id>`select secret from webhooks where id = :id`

const ROTATE = sql<never, Id & { secret: string; previous_until: string | null }>`
  update webhooks set secret = :secret, previous_until = :previous_until,
    previous_secret = case when cast(:previous_until as text) is not null then secret end
  where id = :id`

const ADD_FAILURES = sql<never, Id & { by: number }>`
  update webhooks set failures_in_row = failures_in_row + :by where id = :id`

const END_FAILURES = sql<never, Id & { count: number }>`
  update webhooks set failures_in_row = :count where id = :id and failures_in_row <> :count`

const DEAD = sql<{ webhook: number; count: number }, { ids: readonly number[]; since: string }>`
  select webhook, count(*) as count from callbacks
  where state = 'dead' and ${isIn('webhook', 'ids')} and last_tried_at >= :since group by webhook`

/** Runs for every task that ends, mostly without a result. */
const WEBHOOKS_OF = sql<Listener, { company_id: number }>`
  select id, url, types, format from webhooks where company_id = :company_id and removed_at is null`
