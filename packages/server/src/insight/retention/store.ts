import { sql } from 'kysely'
import { isPostgres, lockedOrPassed, runText } from '#server/database/dialect.ts'
import { partitionOf } from '#server/database/months/layout.ts'
import type { Tx } from '#server/database/schema.ts'

/** What grows with every message and every change. */
export const kept = ['messages', 'inbox', 'callbacks', 'audit_log'] as const
export type Kept = (typeof kept)[number]

/** Rows of one company; of the audit log also those of none. */
export function retentionStore(tx: Tx, company_id: number | null) {
  return {
    /** Ids of those that came to their end before then, the oldest first; below an id, where it is given. */
    old: async (table: Kept, before: string, limit: number, below?: number): Promise<number[]> => {
      const { at, ended } = ends[table]
      const rows = await tx
        .selectFrom(table as 'messages')
        .select('id')
        .where('company_id', company_id === null ? 'is' : '=', company_id!)
        .where(ended)
        .where(sql<boolean>`${sql.ref(at)} < ${before}`)
        .$if(below !== undefined, (query) => query.where('id', '<', below!))
        .orderBy(sql.ref(at))
        .limit(limit)
        .$call(lockedOrPassed(tx, table))
        .execute()
      return rows.map(({ id }) => id)
    },

    /** Forgets which device wrote last to numbers that heard nothing since then, and returns how many those were. */
    async forgetSenders(before: string, limit: number): Promise<number> {
      const { rows } = await sql`delete from recipients where company_id = ${company_id} and number in (
        select number from recipients where company_id = ${company_id} and last_at < ${before} order by last_at
        limit ${limit}) returning number`.execute(tx)
      return rows.length
    },

    /** Forgets how many messages numbers were sent on days before this one, and returns how many those were. */
    async forgetCounts(before_day: string, limit: number): Promise<number> {
      const { rows } = await sql`delete from recipient_counts where company_id = ${company_id} and number in (
        select number from recipient_counts where company_id = ${company_id} and day < ${before_day} order by day
        limit ${limit}) and day < ${before_day} returning number`.execute(tx)
      return rows.length
    },

    anyCount: async (before_day: string): Promise<boolean> => {
      const row = await tx
        .selectFrom('recipient_counts')
        .select('number')
        .where('company_id', '=', company_id)
        .where('day', '<', before_day)
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },

    anySender: async (before: string): Promise<boolean> => {
      const row = await tx
        .selectFrom('recipients')
        .select('number')
        .where('company_id', '=', company_id!)
        .where('last_at', '<', before)
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },

    /** With a message go its attempts; an SMS that answered it stays for its own time. */
    async remove(table: Kept, id: number): Promise<void> {
      if (table === 'messages' && isPostgres(tx)) for (const text of goneWith) await runText(tx, text, [id])
      await tx
        .deleteFrom(table as 'messages')
        .where('id', '=', id)
        .execute()
      if (table === 'messages' && isPostgres(tx)) await runText(tx, FORGET_PIECES, [id])
    },
  }
}

/** Secrets from before a rotation, of all companies, whose overlap has ended by now. */
export function previousSecrets(tx: Tx, now: string) {
  return {
    any: async (): Promise<boolean> => {
      const rows = await runText(
        tx,
        `select 1 from api_keys where previous_until <= ?
          union all select 1 from webhooks where previous_until <= ? limit 1`,
        [now, now],
      )
      return rows.length > 0
    },

    async forget(): Promise<void> {
      const ofKey = { previous_key_hash: null, previous_webhook_secret: null, previous_until: null }
      const ofWebhook = { previous_secret: null, previous_until: null }
      await tx.updateTable('api_keys').set(ofKey).where('previous_until', '<=', now).execute()
      await tx.updateTable('webhooks').set(ofWebhook).where('previous_until', '<=', now).execute()
    },
  }
}

/** What a foreign key sees to on SQLite: on PostgreSQL months could not be dropped with one. */
const goneWith = [
  'delete from attempts where message_id = ?',
  'update inbox set message_id = null where message_id = ?',
]

/** What the search index has of some messages goes with the last of them. */
const FORGET_PIECES = `delete from message_search where
  id = (select id from message_search where id <= ? order by id desc limit 1)
  and not exists (select 1 from messages where messages.id = any(message_search.ids))`

/** A month on PostgreSQL, of all companies. */
export function monthStore(tx: Tx, { number, from, below }: { number: number; from: number; below: number }) {
  return {
    /** Whether anything in it came to its end since these times of these companies. */
    async hasSince(young: readonly { company_id: number; since: string }[]): Promise<boolean> {
      const rows = await runText(
        tx,
        `select 1 from unnest(cast(? as bigint[]), cast(? as text[])) as young (company_id, since)
          where exists (select 1 from ${partitionOf('messages', number)} as message
            where message.company_id = young.company_id and step = 'finished' and completed_at >= since) limit 1`,
        [young.map(({ company_id }) => company_id), young.map(({ since }) => since)],
      )
      return rows.length > 0
    },

    /** Replies to its messages answer nothing any more. Returns how many those were. */
    async forgetReplies(limit: number): Promise<number> {
      const rows = await runText(
        tx,
        `update inbox set message_id = null where id in (
          select id from inbox where message_id >= ? and message_id < ? limit ?) returning id`,
        [from, below, limit],
      )
      return rows.length
    },

    /** Nobody changes the settings of any company before the commit. */
    holdSettings: () => runText(tx, 'select id from settings for share'),
  }
}

/** The longest that a company with messages keeps its log. */
export async function longestDays(tx: Tx): Promise<number> {
  const [row] = await runText<{ days: number | null }>(
    tx,
    `select max(retention_days) as days from settings
      where exists (select 1 from messages where messages.company_id = settings.company_id)`,
  )
  return row?.days ?? 0
}

/** When a row was at its end, and whether it is: to the letter as the indexes have it. */
const ends = {
  messages: { at: 'completed_at', ended: sql<boolean>`step = 'finished'` },
  inbox: { at: 'received_at', ended: sql<boolean>`true` },
  callbacks: { at: 'created_at', ended: sql<boolean>`state <> 'waiting'` },
  audit_log: { at: 'at', ended: sql<boolean>`true` },
}
