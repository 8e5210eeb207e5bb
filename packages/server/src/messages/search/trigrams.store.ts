import { sqliteSql } from '@sdd/storage/sql.ts'
import type { Tx } from '#server/database/schema.ts'
import { type Indexed, indexed, type IndexedTable } from './indexed.ts'

/** The index for texts and numbers on SQLite (pieces.store.ts for PostgreSQL). It lags behind the messages. */
export function trigramStore(tx: Tx, table: Indexed) {
  const statements = STATEMENTS[table]
  return {
    /** The index contains the messages up to this id. */
    reaches: async (): Promise<number> => (await tx.first(statements.REACHES))!.id,

    /** The newest ids from `from` and below `below` that may match: check each row. */
    async candidates(terms: string, { from, below }: { from: number; below: number }, limit: number) {
      const rows = await tx.rows(statements.CANDIDATES, { terms, from, below, limit })
      return rows.map(({ id }) => id)
    },

    /** Texts of the newest messages, and of as many spread evenly over the log. */
    async sample(messages: number): Promise<string[]> {
      const { oldest, newest } = (await tx.first(statements.ENDS))!
      const step = (newest - oldest) / messages
      const ids = Array.from({ length: messages }, (_, index) => Math.floor(oldest + index * step))
      const rows = await tx.rows(statements.SAMPLE, { ids, messages })
      return rows.map(({ text }) => text)
    },

    isBehind: async (): Promise<boolean> => (await tx.first(statements.BEHIND)) !== undefined,
  }
}

const textOf = ({ text, number }: IndexedTable) => `${text} || char(10) || ${number} as text`

const statementsOf = (of: IndexedTable) => ({
  REACHES: sqliteSql<{ id: number }>`select id from ${of.index}_reach`,

  BEHIND: sqliteSql<{ id: number }>`
    select id from ${of.table} where id > (select id from ${of.index}_reach) limit 1`,

  ENDS: sqliteSql<{ oldest: number; newest: number }>`
    select coalesce((select min(id) from ${of.table}), 0) as oldest,
      coalesce((select max(id) from ${of.table}), 0) as newest`,

  SAMPLE: sqliteSql<{ text: string }, { ids: readonly number[]; messages: number }>`
    select ${textOf(of)} from ${of.table} where id in (select value from json_each(:ids))
      union all select * from (select ${textOf(of)} from ${of.table} order by id desc limit :messages + 0)`,

  // FTS5 uses a limit on rowid only if it is an integer. Numbers of JavaScript arrive as floats, hence the cast.
  CANDIDATES: sqliteSql<{ id: number }, { terms: string; from: number; below: number; limit: number }>`
    select rowid as id from ${of.index} where ${of.index} match :terms
      and rowid >= cast(:from as integer) and rowid < cast(:below as integer) order by rowid desc limit :limit + 0`,
})

const STATEMENTS = { messages: statementsOf(indexed.messages), inbox: statementsOf(indexed.inbox) }

/** Messages to index in one transaction, which takes some two milliseconds. */
const STEP_ROWS = 200

/** Indexes some more messages, and tells whether a full step is left. */
export function extend(table: Indexed): readonly string[] {
  const { index } = indexed[table]
  const step = `from ${table} where id > (select id from ${index}_reach) order by id limit ${STEP_ROWS}`
  return [
    `insert into ${index} (rowid, text) select id, ${textOf(indexed[table])} ${step}`,
    `update ${index}_reach set id = coalesce((select max(id) from (select id ${step})), id)`,
    `select count(*) = ${STEP_ROWS} as more from (select 1 ${step})`,
  ]
}
