import type { MessageState } from '@sdd/contract/messages/messages.ts'
import { isIn, locked, postgresSql, sql, sqliteSql, when } from '@sdd/storage/sql.ts'
import type { Insertable, Selectable } from '@sdd/storage/tables.ts'
import { type InScope, type Scope, within } from '#server/core/context.ts'
import {
  type Attempts,
  type Change,
  type InFlight,
  type Messages,
  type Queue,
  type Tx,
} from '#server/database/schema.ts'
import { nextIdOf } from '#server/database/kept-ids.ts'
import { outcomeRow, placeAfter, queueRow, WRITTEN } from './placing.ts'
import { creditOf, type CreditOfSim, reportedColumns, type ReportedMessage } from './reported.store.ts'
import { type Attempt, type Message, type MessagePlace, selectIn } from './rows.ts'

/** A message as it was submitted, and its place in the queue. */
export type NewMessage = Omit<Insertable<Messages>, 'id'> &
  Pick<Insertable<Queue>, 'device_id' | 'due_at' | 'lane' | 'lane_until'>

/** For `addMessages`, which counts the messages. `asked` is from `newIds`, and may have more than these take. */
export async function insertMessages(
  tx: Tx,
  messages: readonly NewMessage[],
  asked?: readonly number[],
): Promise<void> {
  const ids = asked ?? (await newIds(tx, messages.length))
  await tx.insert(
    'messages',
    messages.map((message, index) => ({
      // Copied field by field: a spread is slower, and this runs for every message.
      id: ids[index]!,
      company_id: message.company_id,
      guid: message.guid,
      message: message.message,
      message_to: message.message_to,
      parts: message.parts,
      priority: message.priority,
      silent: message.silent,
      task: message.task,
      queue_timestamp: message.queue_timestamp,
      expires_at: message.expires_at,
      queued_by: message.queued_by ?? null,
      queued_by_name: message.queued_by_name ?? null,
      api_key_id: message.api_key_id ?? null,
      callback_url: message.callback_url ?? null,
      from_number: message.from_number ?? null,
      via: message.via ?? null,
      sent_stamp: message.sent_stamp ?? null,
      asked_times: message.asked_times ?? null,
    })),
  )
  await tx.insert(
    'queue',
    messages.map((message, index) => ({
      id: ids[index]!,
      company_id: message.company_id,
      device_id: message.device_id ?? null,
      priority: message.priority,
      due_at: message.due_at,
      expires_at: message.expires_at,
      lane: message.lane ?? null,
      lane_until: message.lane_until ?? null,
    })),
  )
}

/** Ids for new messages, ascending. SQLite has a single writer, so the ids after the last one are free. */
export async function newIds(tx: Tx, count: number): Promise<number[]> {
  if (tx.engine === 'postgres') return (await tx.rows(NEXT_IDS, { count })).map(({ id }) => id)
  const { next } = (await tx.first(NEXT_ID))!
  return Array.from({ length: count }, (_, index) => next + index)
}

/** Gives messages that wait to devices. */
export async function giveMessages(tx: Tx, given: readonly GivenMessage[]): Promise<void> {
  for (const { message } of given) await tx.delete('queue', { id: message.id })
  await tx.insert(
    'in_flight',
    given.map(({ message: { id, expires_at }, device_id, attempt, assigned_at, look_at, notes, sim_id }) => ({
      id,
      device_id,
      attempt,
      assigned_at,
      expires_at,
      look_at,
      notes,
      sim_id,
    })),
  )
}

/** `notes` is null for the first attempt if there are no others. */
export type GivenMessage = { message: Pick<Message, 'id' | 'expires_at'> } & Pick<
  InFlight,
  'device_id' | 'attempt' | 'assigned_at' | 'look_at' | 'notes' | 'sim_id'
>

export function messageStore(tx: Tx, scope: Scope) {
  return {
    /** The newest message with this guid. For a guid of several companies, see `scopeOfGuid`. */
    byGuid: async (guid: string): Promise<MessageRow | undefined> =>
      newestOf(await inEveryPlace((place) => tx.rows(BY_GUID[place], { guid, ...within(scope) }))),

    /** The message that the device sent last to this number, if it was sent since then. */
    sentTo: async (device_id: number, number: string, since: string): Promise<MessageRow | undefined> => {
      const asked = { device_id, number, since, ...within(scope) }
      const sent = [...(await tx.rows(SENT_TO.in_flight, asked)), ...(await tx.rows(SENT_TO.outcomes, asked))]
      // A message may have waited for its time while later ones were stored and sent.
      const last_at = sent.reduce(
        (last, { completed_at }) => (completed_at! > last ? completed_at! : last),
        '',
      )
      return newestOf(sent.filter(({ completed_at }) => completed_at === last_at))
    },
  }
}

function newestOf<Row extends { id: number }>(rows: readonly Row[]): Row | undefined {
  return rows.reduce<Row | undefined>(
    (newest, row) => (newest && newest.id > row.id ? newest : row),
    undefined,
  )
}

/** Messages move on through these places, so a message that moves meanwhile is found in the next one. */
const ONWARDS = ['queue', 'in_flight', 'outcomes'] as const

async function inEveryPlace<Row>(find: (place: MessagePlace) => Promise<Row[]>): Promise<Row[]> {
  const found: Row[] = []
  for (const place of ONWARDS) found.push(...(await find(place)))
  // A task that failed moves back from its device to the queue, for a retry.
  return found.length > 0 ? found : find('queue')
}

/** Attempts that have a row of their own. The caller has checked the scope of their messages. */
export function attemptStore(tx: Tx) {
  return {
    update: (
      { message_id, attempt }: AttemptKey,
      change: Change<Attempts>,
      before?: Partial<Selectable<Attempts>>,
    ) => tx.update('attempts', { message_id, attempt }, change, before),

    ofMessages: async (
      message_ids: readonly number[],
    ): Promise<(Attempt & CreditOfSim & { failures_in_row: number; sim_count: number })[]> => {
      const rows = await tx.rows(ATTEMPTS_OF, { message_ids, first: Math.min(...message_ids) })
      return rows.map((row) => ({ ...row, own_row: true }))
    },
  }
}

/** How many messages of all companies are unfinished, by state. */
export async function countUnfinished(tx: Tx): Promise<{ state: MessageState; count: number }[]> {
  return tx.rows(COUNT_UNFINISHED)
}

/** The companies that have a message or a task with this guid, ascending. */
export async function companiesOfGuid(tx: Tx, guid: string, among: 'messages' | 'tasks'): Promise<number[]> {
  const rows = await tx.rows(among === 'tasks' ? COMPANIES_OF_TASK : COMPANIES_OF_MESSAGE, { guid })
  return rows.map(({ company_id }) => company_id)
}

/**
 * Changes a message, and moves it to the table of its new state. For `moveAndTally`, which counts the change. If
 * the change takes the latest attempt out of the message's row (`attempt_state` null), that attempt gets a row of its
 * own: `latest`, as it is after the change.
 */
export async function changeMessage(
  tx: Tx,
  message: ReportedMessage,
  change: Change<Message>,
  latest?: Attempt,
): Promise<void> {
  const { id, place } = message
  const next = placeAfter(message, change)
  if (change.attempt_state === null && latest && !latest.own_row) await insertAttempt(tx, latest)
  if (next === place) return tx.update(place, { id }, WRITTEN[place](change), message)
  await tx.delete(place, { id })
  if (next === 'queue') await tx.insert('queue', [queueRow({ ...message, ...change })])
  else await tx.insert('outcomes', [outcomeRow(message, change)])
}

/** Ends the wait of a sent message for its delivery report. Its state stays the same. */
export async function settleMessage(tx: Tx, message: ReportedMessage): Promise<void> {
  await tx.delete('in_flight', { id: message.id })
  await tx.insert('outcomes', [outcomeRow(message)])
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

const messageColumns = [
  ...reportedColumns,
  'message',
  'from_number',
  'via',
  'sent_stamp',
  'due_at',
  'lane_until',
  'avoid_device_id',
] as const satisfies readonly (keyof Message)[]
export type MessageRow = Pick<Message, (typeof messageColumns)[number]>

/** The columns of a `MessageRow`. */
export const MESSAGE_COLUMNS: readonly (keyof Message)[] = messageColumns

/** The content of a task from another system, apart from its guid. A task with the same content is the same task. */
export const contentColumns = [
  'message_to',
  'message',
  'from_number',
  'silent',
  'sent_stamp',
  'callback_url',
  'asked_times',
  'priority',
] as const satisfies readonly (keyof Messages)[]
export type KnownMessage = Pick<Selectable<Messages>, 'guid' | 'task' | (typeof contentColumns)[number]>

type AttemptKey = Pick<Attempt, 'message_id' | 'attempt'>

function insertAttempt(tx: Tx, attempt: Attempt): Promise<void> {
  const { device_uid: _, own_row: __, ...row } = attempt
  return tx.insert('attempts', [row])
}

const IN_SCOPE = when('company_id')`and messages.company_id = :company_id`

const NEXT_IDS = postgresSql<{ id: number }, { count: number }>`
  select nextval('messages_ids') as id from generate_series(1, :count)`

const NEXT_ID = sqliteSql<{ next: number }>`select ${nextIdOf('messages')} as next`

/** SQLite uses the index on company and guid once for each company. */
const byGuid = (place: MessagePlace) => sql<MessageRow, { guid: string } & InScope>`
  ${selectIn(place, messageColumns, 'messages')} and guid = :guid
    and messages.company_id in (select id from companies ${when('company_id')`where id = :company_id`})
  ${locked(place)}`

const BY_GUID = { queue: byGuid('queue'), in_flight: byGuid('in_flight'), outcomes: byGuid('outcomes') }

type AskedSent = { device_id: number; number: string; since: string } & InScope

const lastSent = (place: 'in_flight' | 'outcomes') => `and ${place}.device_id = :device_id
  and completed_at >= :since order by completed_at desc, messages.id desc limit 1`

/**
 * A device has few messages in flight: the plus and the `coalesce` avoid the indexes of companies and numbers. Of those
 * that have ended, only the newest thousand to the number are read, so that very many do not delay other work.
 */
const SENT_TO = {
  in_flight: sql<MessageRow, AskedSent>`
    ${selectIn('in_flight', messageColumns)} and coalesce(message_to, '') = :number
      ${when('company_id')`and +messages.company_id = :company_id`}
      and answer_sent_timestamp is not null ${lastSent('in_flight')} ${locked('in_flight')}`,
  outcomes: sql<MessageRow, AskedSent>`
    ${selectIn('outcomes', messageColumns, 'messages')}
      and messages.id in (
        select id from messages where message_to = :number ${IN_SCOPE} order by id desc limit 1000)
      and (answer_sent_timestamp is not null or answer_2_timestamp is not null)
      ${lastSent('outcomes')} ${locked('outcomes')}`,
}

const COMPANIES_OF_GUID = `select company_id from messages
  where guid = :guid and company_id in (select id from companies)`

const COMPANIES_OF_MESSAGE = sql<Pick<Messages, 'company_id'>, { guid: string }>`
  ${COMPANIES_OF_GUID} order by company_id`

const COMPANIES_OF_TASK = sql<Pick<Messages, 'company_id'>, { guid: string }>`
  ${COMPANIES_OF_GUID} and task = 1 order by company_id`

const KNOWN = sql<KnownMessage, { company_id: number; guids: readonly string[] }>`
  select guid, task, ${contentColumns.join(', ')} from messages
  where company_id = :company_id and ${isIn('guid', 'guids')}`

/** Skips the months before the first message's. */
const ATTEMPTS_OF = sql<
  Selectable<Attempts> &
    Pick<Attempt, 'device_uid'> &
    CreditOfSim & { failures_in_row: number; sim_count: number },
  { message_ids: readonly number[]; first: number }
>`
  select attempts.*, devices.uid as device_uid, failures_in_row, sim_count, ${creditOf('attempts.sim_id')}
  from attempts join devices on devices.id = attempts.device_id
  where ${isIn('message_id', 'message_ids')} and message_id >= :first
  order by message_id, attempt ${locked('attempts')}`

const COUNT_UNFINISHED = sql<{ state: MessageState; count: number }>`
  select state, sum(count) as count from (
    select 'queued' as state, count(*) as count from queue
    union all select case when handed_timestamp is null then 'queued' else 'handed' end, count(*) from in_flight
      where completed_at is null group by 1) as unfinished
  where count > 0 group by state`
