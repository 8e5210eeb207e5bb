import type { MessageState } from '@sdd/contract/messages/messages.ts'
import { isIn, locked, perEngine, sql, tuples, when } from '@sdd/storage/sql.ts'
import type { Insertable, Selectable } from '@sdd/storage/tables.ts'
import { total } from '@sdd/storage/totals.ts'
import { type InScope, type Scope, within } from '#server/core/context.ts'
import { numberKeyOf } from '#server/core/number-key.ts'
import {
  type Attempts,
  type Change,
  type Counters,
  type Devices,
  type Messages,
  TOTALS_ORDER,
  type Tx,
} from '#server/database/schema.ts'

/** For `addMessages`, which counts the messages. All rows must have the same columns. */
export function insertMessages(tx: Tx, messages: readonly NewMessage[]): Promise<void> {
  return tx.insert('messages', messages)
}

export function messageStore(tx: Tx, scope: Scope) {
  return {
    update: (id: number, change: Change<Messages> & { [Column in keyof CountedMessage]?: never }) =>
      tx.update('messages', { id }, change),

    /** The newest message with this guid. For a guid of several companies, see `scopeOfGuid`. */
    byGuid: (guid: string) => tx.first(BY_GUID, { guid, ...within(scope) }),

    /** The newest message that the device has sent since then to the number with this `numberKey`. */
    sentTo: (device_id: number, number_key: string, since: string) =>
      tx.first(SENT_TO, { device_id, number_key, since, ...within(scope) }),
  }
}

/** Looks attempts up by their message or device: the caller has checked the scope of those. */
export function attemptStore(tx: Tx) {
  return {
    insert: (attempt: Insertable<Attempts>) => tx.insert('attempts', [attempt]),

    /** Updates the columns that differ from `attempt`. PostgreSQL finds the partition by the attempt's message. */
    update: (attempt: AttemptKey & Partial<Attempt>, change: Change<Attempts>) =>
      tx.update('attempts', { id: attempt.id, message_id: attempt.message_id }, change, attempt),

    /** All attempts of these messages, each with the failures of its device. */
    ofMessages: (message_ids: readonly number[]): Promise<AttemptRow[]> =>
      tx.rows(OF_MESSAGES, { message_ids, first: Math.min(...message_ids) }),

    byNumber: (message_id: number, attempt: number) => tx.first(BY_NUMBER, { message_id, attempt }),

    ofMessage: (message_id: number) => tx.rows(OF_MESSAGE, { message_id }),

    /** The latest attempt of each of these messages. */
    latestOf: (message_ids: readonly number[]) => tx.rows(LATEST_OF, { message_ids }),
  }
}

/** How many messages of all companies are unfinished, by state. */
export function countUnfinished(tx: Tx): Promise<{ state: MessageState; count: number }[]> {
  return tx.rows(COUNT_UNFINISHED)
}

/** The companies that have a message or a task with this guid, ascending. */
export async function companiesOfGuid(tx: Tx, guid: string, among: 'messages' | 'tasks'): Promise<number[]> {
  const rows = await tx.rows(among === 'tasks' ? COMPANIES_OF_TASK : COMPANIES_OF_MESSAGE, { guid })
  return rows.map(({ company_id }) => company_id)
}

/** For `moveAndTally`, which counts the change. Updates the columns that differ. */
export function changeMessage(
  tx: Tx,
  message: CountedMessage & { readonly id: number },
  change: Change<Messages>,
): Promise<void> {
  return tx.update('messages', { id: message.id }, change, message)
}

/** The existing messages among these, which are named by company and guid. */
export async function messagesByGuids(tx: Tx, keys: readonly GuidKey[]): Promise<ReportedMessage[]> {
  if (tx.engine === 'sqlite') return tx.rows(BY_GUIDS, { keys })
  // Messages looked up by guid are nearly always recent. If all are, other months are not read.
  const recent = await tx.rows(RECENT_BY_GUIDS, { keys })
  if (recent.length === keys.length) return recent
  const found = new Set(recent.map(({ company_id, guid }) => `${company_id} ${guid}`))
  const others = keys.filter(([company_id, guid]) => !found.has(`${company_id} ${guid}`))
  return others.length === 0 ? recent : [...recent, ...(await tx.rows(BY_GUIDS, { keys: others }))]
}

/** The messages of the company with one of these guids. */
export async function knownGuids(
  tx: Tx,
  company_id: number,
  guids: readonly string[],
): Promise<Map<string, KnownMessage>> {
  if (guids.length === 0) return new Map()
  const rows = await tx.rows(KNOWN, { company_id, guids })
  return new Map(rows.map((row) => [row.guid, row]))
}

/** Adds to a counter, which starts at 0. */
export function addToCounter(
  tx: Tx,
  { figure, company_id, period, key, count, last_at }: Counters,
): Promise<void> {
  return tx.add(COUNTER, [figure, company_id, period, key], count, [last_at])
}

export type NewMessage = Insertable<Messages>

/** The columns that reports change, and those that decide the change. The text and many others stay unread. */
const reportedColumns = [
  'id',
  'company_id',
  'guid',
  'device_id',
  'message_to',
  'silent',
  'queue_timestamp',
  'handed_timestamp',
  'answer_sent_timestamp',
  'answer_2_timestamp',
  'notes',
  'answer_3_timestamp',
  'error',
  'error_msg',
  'error_timestamp',
  'error_block',
  'state',
  'step',
  'attempt',
  'expires_at',
  'completed_at',
  'task',
  'callback_url',
  'api_key_id',
  'lane',
  'discard_asked_at',
] as const satisfies readonly (keyof Messages)[]
export type ReportedMessage = Pick<Selectable<Messages>, (typeof reportedColumns)[number]>

const messageColumns = [
  ...reportedColumns,
  'device_guid',
  'message',
  'parts',
  'anwer_sent',
  'answer_2',
  'answer_3',
  'due_at',
  'lane_until',
  'from_number',
  'avoid_device_id',
  'sent_stamp',
  'assigned_at',
] as const satisfies readonly (keyof Messages)[]
export type MessageRow = Pick<Selectable<Messages>, (typeof messageColumns)[number]>

/** The columns of a `MessageRow`. */
export const MESSAGE_COLUMNS = messageColumns.join(', ')

/** The content of a task from another system, apart from its guid. A task with the same content is the same task. */
export const contentColumns = [
  'message_to',
  'message',
  'from_number',
  'silent',
  'sent_stamp',
  'callback_url',
  'asked_times',
] as const satisfies readonly (keyof Messages)[]
export type KnownMessage = Pick<Selectable<Messages>, 'guid' | 'task' | (typeof contentColumns)[number]>

/** The columns that decide a message's counters: only `moveMessage` changes them. */
export const countedColumns = [
  'company_id',
  'device_id',
  'queue_timestamp',
  'handed_timestamp',
  'answer_sent_timestamp',
  'answer_2_timestamp',
  'error',
  'state',
  'completed_at',
] as const satisfies readonly (keyof Messages)[]
export type CountedMessage = Pick<Messages, (typeof countedColumns)[number]>

type Attempt = Selectable<Attempts>
export type AttemptRow = Attempt & Pick<Selectable<Devices>, 'failures_in_row'>
export type AttemptKey = Pick<Attempt, 'id' | 'message_id'>

type GuidKey = readonly [company_id: number, guid: string]

const SELECT = `select ${MESSAGE_COLUMNS} from messages`

const IN_SCOPE = when('company_id')`and company_id = :company_id`

const TO_NUMBER = numberKeyOf('message_to')

/** Limits the query to the recent months. */
const RECENT = perEngine({ sqlite: '', postgres: 'and id >= recent_messages()' })

/** SQLite uses the index on company and guid once for each company. */
const BY_GUID = sql<MessageRow, { guid: string } & InScope>`
  ${SELECT}
  where guid = :guid and company_id in (select id from companies ${when('company_id')`where id = :company_id`})
  order by id desc limit 1 ${locked('messages')}`

/** Avoids the index on `queue_timestamp`, which leads to everything that the company has sent since then. */
const SENT_TO = sql<MessageRow, { device_id: number; number_key: string; since: string } & InScope>`
  ${SELECT} where device_id = :device_id and ${TO_NUMBER} = :number_key
    and (answer_sent_timestamp is not null or answer_2_timestamp is not null) ${RECENT}
    and coalesce(queue_timestamp, '') >= :since ${IN_SCOPE}
  order by id desc limit 1 ${locked('messages')}`

const COMPANIES_OF_GUID = `select company_id from messages
  where guid = :guid and company_id in (select id from companies)`

const COMPANIES_OF_MESSAGE = sql<Pick<Messages, 'company_id'>, { guid: string }>`
  ${COMPANIES_OF_GUID} order by company_id`

const COMPANIES_OF_TASK = sql<Pick<Messages, 'company_id'>, { guid: string }>`
  ${COMPANIES_OF_GUID} and task = 1 order by company_id`

const REPORTED = `select ${reportedColumns.join(', ')} from messages`
const IS_NAMED = tuples('keys', ['bigint', 'text'])

const BY_GUIDS = sql<ReportedMessage, { keys: readonly GuidKey[] }>`${REPORTED}
  where (company_id, guid) in (${IS_NAMED}) ${locked('messages')}`

const RECENT_BY_GUIDS = sql<ReportedMessage, { keys: readonly GuidKey[] }>`${REPORTED}
  where (company_id, guid) in (${IS_NAMED}) ${RECENT} ${locked('messages')}`

const KNOWN = sql<KnownMessage, { company_id: number; guids: readonly string[] }>`
  select guid, task, ${contentColumns.join(', ')} from messages
  where company_id = :company_id and ${isIn('guid', 'guids')}`

/** Skips the months before the first message's. */
const OF_MESSAGES = sql<AttemptRow, { message_ids: readonly number[]; first: number }>`
  select attempts.*, failures_in_row from attempts join devices on devices.id = attempts.device_id
  where ${isIn('message_id', 'message_ids')} and message_id >= :first ${locked('attempts')}`

const BY_NUMBER = sql<Attempt, { message_id: number; attempt: number }>`
  select * from attempts where message_id = :message_id and attempt = :attempt ${locked('attempts')}`

const OF_MESSAGE = sql<Attempt, { message_id: number }>`
  select * from attempts where message_id = :message_id order by attempt`

const LATEST_OF = sql<
  Pick<Attempt, 'message_id' | 'given_at' | 'resend_at' | 'accepted_at'>,
  { message_ids: readonly number[] }
>`
  select message_id, given_at, resend_at, accepted_at from attempts
  join messages on messages.id = attempts.message_id and messages.attempt = attempts.attempt
  where ${isIn('message_id', 'message_ids')}`

/** Waiting messages are always queued, so counting them reads only an index. */
const COUNT_UNFINISHED = sql<{ state: MessageState; count: number }>`
  select state, sum(count) as count from (
    select 'queued' as state, count(*) as count from messages where step <> 'finished' and step = 'waiting'
    union all select state, count(*) from messages where step <> 'finished' and step = 'given' group by state) as unfinished
  where count > 0 group by state`

const COUNTER = total({
  order: TOTALS_ORDER.counters,
  columns: {
    figure: 'text',
    company_id: 'bigint',
    period: 'text',
    key: 'text',
    count: 'bigint',
    last_at: 'text',
  },
  add: (rows) => `insert into counters (figure, company_id, period, key, count, last_at) ${rows}
    on conflict (figure, company_id, period, key) do update set
      count = counters.count + excluded.count,
      last_at = case when excluded.count > 0 then excluded.last_at else counters.last_at end`,
})
