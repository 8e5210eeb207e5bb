import { isIn, limit, locked, lockedOrSkipped, postgresSql, shared, sql, when } from '@sdd/storage/sql.ts'
import { partitionOf } from '#server/database/months/layout.ts'
import type { Tx } from '#server/database/schema.ts'

/** The tables that grow with every message and every change. */
export const retainedTables = [
  'messages',
  'inbox',
  'typed_sms',
  'conversations',
  'callbacks',
  'alerts',
  'audit_log',
] as const
export type RetainedTable = (typeof retainedTables)[number]

/** Rows of one company. */
export function retentionStore(tx: Tx, company_id: number) {
  return {
    /** Ids of rows that ended before then, oldest first. With `below`, only lower ids. */
    async old(table: RetainedTable, before: string, limit: number, below?: number): Promise<number[]> {
      const rows = await tx.rows(OLD[table], { company_id, before, below, limit })
      return rows.map(({ id }) => id)
    },

    /** Removes the last device of numbers without a message since then. Returns how many numbers. */
    forgetSenders: async (before: string, limit: number): Promise<number> =>
      (await tx.rows(FORGET_SENDERS, { company_id, before, limit })).length,

    /** Removes the counts of numbers for days before this one. Returns how many numbers. */
    forgetCounts: async (before_day: string, limit: number): Promise<number> =>
      (await tx.rows(FORGET_COUNTS, { company_id, before_day, limit })).length,

    anyCount: async (before_day: string): Promise<boolean> =>
      (await tx.first(ANY_COUNT, { company_id, before_day })) !== undefined,

    anySender: async (before: string): Promise<boolean> =>
      (await tx.first(ANY_SENDER, { company_id, before })) !== undefined,
  }
}

/** Ids of older audit entries without a company, oldest first. */
export async function oldStrangers(tx: Tx, before: string, limit: number): Promise<number[]> {
  return (await tx.rows(OLD_STRANGERS, { before, limit })).map(({ id }) => id)
}

/** The attempts of these messages that a device has not ended, such as one that it was told to drop while it was away. */
export function unfinishedAttempts(
  tx: Tx,
  message_ids: readonly number[],
): Promise<{ message_id: number; device_id: number }[]> {
  return tx.rows(UNFINISHED_ATTEMPTS, { message_ids })
}

/** Removes a message with its attempts. An SMS that replied to it stays for its own time. */
export async function removeRow(tx: Tx, table: RetainedTable, id: number): Promise<void> {
  if (table === 'messages') {
    await tx.run(REMOVE_ATTEMPTS, { id })
    await tx.run(REMOVE_OUTCOME, { id })
    await tx.run(FORGET_REPLY, { id })
  }
  if (table === 'inbox') await tx.run(READ_ALL, { id })
  if (table === 'alerts') await tx.run(REMOVE_TELLINGS, { id })
  await tx.run(REMOVE[table], { id })
  // On SQLite a trigger does this.
  if (tx.engine === 'postgres' && (table === 'messages' || table === 'inbox'))
    await tx.run(FORGET_PIECES[table], { id })
}

/** Previous secrets of rotations whose overlap has ended by now, of all companies. */
export function previousSecrets(tx: Tx, now: string) {
  return {
    any: async (): Promise<boolean> => (await tx.first(ANY_PREVIOUS, { now })) !== undefined,

    async forget(): Promise<void> {
      await tx.run(FORGET_PREVIOUS_OF_KEYS, { now })
      await tx.run(FORGET_PREVIOUS_OF_WEBHOOKS, { now })
    },
  }
}

/** A month on PostgreSQL, of all companies. */
export function monthStore(tx: Tx, { number, from, below }: { number: number; from: number; below: number }) {
  return {
    /** Whether any of its messages ended since the given time of its company. */
    async hasSince(young: readonly { company_id: number; since: string }[]): Promise<boolean> {
      const rows = await tx.query(
        `select 1 from unnest(cast(:companies as bigint[]), cast(:times as text[])) as young (company_id, since)
          where exists (select 1 from ${partitionOf('outcomes', number)} as outcome
            where outcome.company_id = young.company_id and completed_at >= since) limit 1`,
        {
          companies: young.map(({ company_id }) => company_id),
          times: young.map(({ since }) => since),
        },
      )
      return rows.length > 0
    },

    /** Unlinks replies from the month's messages. Returns how many. */
    forgetReplies: async (limit: number): Promise<number> =>
      (await tx.rows(FORGET_REPLIES, { from, below, limit })).length,

    /** Locks the settings of all companies until the commit. */
    holdSettings: () => tx.run(HOLD_SETTINGS),
  }
}

/** The longest retention among companies with messages. */
export async function longestDays(tx: Tx): Promise<number> {
  return (await tx.first(LONGEST_DAYS))?.days ?? 0
}

type Id = { id: number }
type Old = { company_id: number; before: string; below: number | undefined; limit: number }

const OLD_MESSAGES = sql<Id, Old>`
  select id from outcomes where company_id = :company_id and completed_at < :before
    ${when('below')`and id < :below`} order by completed_at ${limit()} ${lockedOrSkipped('outcomes')}`

const OLD_INBOX = sql<Id, Old>`
  select id from inbox where company_id = :company_id and received_at < :before
  order by received_at ${limit()} ${lockedOrSkipped('inbox')}`

const OLD_TYPED = sql<Id, Old>`
  select id from typed_sms where company_id = :company_id and stored_at < :before
  order by stored_at ${limit()} ${lockedOrSkipped('typed_sms')}`

const OLD_CALLBACKS = sql<Id, Old>`
  select id from callbacks where company_id = :company_id and state <> 'waiting' and created_at < :before
  order by created_at ${limit()} ${lockedOrSkipped('callbacks')}`

const OLD_ALERTS = sql<Id, Old>`
  select id from alerts where company_id = :company_id and resolved_at < :before
  order by resolved_at ${limit()} ${lockedOrSkipped('alerts')}`

const OLD_ENTRIES = sql<Id, Old>`
  select id from audit_log where company_id = :company_id and at < :before
  order by at ${limit()} ${lockedOrSkipped('audit_log')}`

/** Looks at this many of the oldest conversations: most of those that have messages left are younger. */
const OLDEST = 1_000

/** Their last messages are gone, and so are all others. */
const OLD_CONVERSATIONS = sql<Id, Old>`
  select conversations.id from conversations join (
    select * from (${oldest('open')}) as open union all select * from (${oldest('done')}) as done
  ) as old on old.id = conversations.id
  where not exists (select 1 from messages
      where messages.company_id = :company_id and message_to = conversations.number)
    and not exists (select 1 from inbox where inbox.company_id = :company_id and sms_from = conversations.number)
    and not exists (select 1 from typed_sms
      where typed_sms.company_id = :company_id and sms_to = conversations.number)
  ${limit()} ${lockedOrSkipped('conversations')}`

function oldest(status: string): string {
  return `select id from conversations where company_id = :company_id and status = '${status}'
    and last_at < :before order by last_at limit ${OLDEST}`
}

const OLD = {
  messages: OLD_MESSAGES,
  inbox: OLD_INBOX,
  typed_sms: OLD_TYPED,
  conversations: OLD_CONVERSATIONS,
  callbacks: OLD_CALLBACKS,
  alerts: OLD_ALERTS,
  audit_log: OLD_ENTRIES,
}

const OLD_STRANGERS = sql<Id, { before: string; limit: number }>`
  select id from audit_log where company_id is null and at < :before
  order by at ${limit()} ${lockedOrSkipped('audit_log')}`

const REMOVE_MESSAGE = sql<never, Id>`delete from messages where id = :id`
const REMOVE_SMS = sql<never, Id>`delete from inbox where id = :id`
/** With the last SMS of a conversation the older ones are gone, too: nothing is left to read. */
const READ_ALL = sql<never, Id>`
  update conversations set read_id = inbox_id where inbox_id = :id and read_id < inbox_id
    and (company_id, number) in (select company_id, sms_from from inbox where id = :id)`
const REMOVE_TYPED = sql<never, Id>`delete from typed_sms where id = :id`
const REMOVE_CONVERSATION = sql<never, Id>`delete from conversations where id = :id`
/** The messages to channels that are only about this alert. */
const REMOVE_TELLINGS = sql<never, Id>`
  delete from alert_messages where id in (select message_id from alert_tellings where alert_id = :id)
    and not exists (select 1 from alert_tellings as other where other.message_id = alert_messages.id and alert_id <> :id)`

const REMOVE_ALERT = sql<never, Id>`delete from alerts where id = :id`

const REMOVE_CALLBACK = sql<never, Id>`delete from callbacks where id = :id`
const REMOVE_ENTRY = sql<never, Id>`delete from audit_log where id = :id`

const REMOVE = {
  messages: REMOVE_MESSAGE,
  inbox: REMOVE_SMS,
  typed_sms: REMOVE_TYPED,
  conversations: REMOVE_CONVERSATION,
  callbacks: REMOVE_CALLBACK,
  alerts: REMOVE_ALERT,
  audit_log: REMOVE_ENTRY,
}

const UNFINISHED_ATTEMPTS = sql<
  { message_id: number; device_id: number },
  { message_ids: readonly number[] }
>`
  select message_id, device_id from attempts
  where ${isIn('message_id', 'message_ids')} and finished_at is null ${locked('attempts')}`

const REMOVE_OUTCOME = sql<never, Id>`delete from outcomes where id = :id`
const REMOVE_ATTEMPTS = sql<never, Id>`delete from attempts where message_id = :id`
const FORGET_REPLY = sql<never, Id>`update inbox set message_id = null where message_id = :id`

/** Removes a row of the search index with the last of its messages. */
const forgetPieces = (table: string, index: string) => postgresSql<never, Id>`
  delete from ${index} where id = (select id from ${index} where id <= :id order by id desc limit 1)
    and not exists (select 1 from ${table} where ${table}.id = any(${index}.ids))`

const FORGET_PIECES = {
  messages: forgetPieces('messages', 'message_search'),
  inbox: forgetPieces('inbox', 'inbox_search'),
}

const FORGET_SENDERS = sql<{ number: string }, { company_id: number; before: string; limit: number }>`
  delete from recipients where company_id = :company_id and number in (
    select number from recipients where company_id = :company_id and last_at < :before order by last_at
    ${limit()}) returning number`

const FORGET_COUNTS = sql<{ number: string }, { company_id: number; before_day: string; limit: number }>`
  delete from recipient_counts where company_id = :company_id and number in (
    select number from recipient_counts where company_id = :company_id and day < :before_day order by day
    ${limit()}) and day < :before_day returning number`

const ANY_COUNT = sql<{ number: string }, { company_id: number; before_day: string }>`
  select number from recipient_counts where company_id = :company_id and day < :before_day limit 1`

const ANY_SENDER = sql<{ number: string }, { company_id: number; before: string }>`
  select number from recipients where company_id = :company_id and last_at < :before limit 1`

const ANY_PREVIOUS = sql<unknown, { now: string }>`
  select 1 from api_keys where previous_until <= :now
  union all select 1 from webhooks where previous_until <= :now limit 1`

const FORGET_PREVIOUS_OF_KEYS = sql<never, { now: string }>`
  update api_keys set previous_key_hash = null, previous_webhook_secret = null, previous_until = null
  where previous_until <= :now`

const FORGET_PREVIOUS_OF_WEBHOOKS = sql<never, { now: string }>`
  update webhooks set previous_secret = null, previous_until = null where previous_until <= :now`

const FORGET_REPLIES = sql<Id, { from: number; below: number; limit: number }>`
  update inbox set message_id = null where id in (
    select id from inbox where message_id >= :from and message_id < :below ${limit()}) returning id`

const HOLD_SETTINGS = sql<Id>`select id from settings ${shared('settings')}`

const LONGEST_DAYS = sql<{ days: number | null }>`
  select max(retention_days) as days from settings
  where exists (select 1 from messages where messages.company_id = settings.company_id)`
