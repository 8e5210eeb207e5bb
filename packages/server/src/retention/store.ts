import { sql } from 'kysely'
import { lockedOrPassed } from '#server/database/dialect.ts'
import type { Tx } from '#server/database/schema.ts'

/** What grows with every message and every change. */
export const kept = ['messages', 'inbox', 'callbacks', 'audit_log'] as const
export type Kept = (typeof kept)[number]

/** Rows of one company. */
export function retentionStore(tx: Tx, company_id: number) {
  return {
    /** Ids of those that came to their end before then, the oldest first. */
    old: async (table: Kept, before: string, limit: number): Promise<number[]> => {
      const { at, ended } = ends[table]
      const rows = await tx
        .selectFrom(table as 'messages')
        .select('id')
        .where('company_id', '=', company_id)
        .where(ended)
        .where(sql<boolean>`${sql.ref(at)} < ${before}`)
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

    anySender: async (before: string): Promise<boolean> => {
      const row = await tx
        .selectFrom('recipients')
        .select('number')
        .where('company_id', '=', company_id)
        .where('last_at', '<', before)
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },

    /** With a message go its attempts; an SMS that answered it stays for its own time. */
    remove: (table: Kept, id: number) =>
      tx
        .deleteFrom(table as 'messages')
        .where('id', '=', id)
        .execute(),
  }
}

/** When a row was at its end, and whether it is: to the letter as the indexes have it. */
const ends = {
  messages: { at: 'completed_at', ended: sql<boolean>`step = 'finished'` },
  inbox: { at: 'received_at', ended: sql<boolean>`true` },
  callbacks: { at: 'created_at', ended: sql<boolean>`state <> 'waiting'` },
  audit_log: { at: 'at', ended: sql<boolean>`true` },
}
