import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { Kysely, SqliteDialect } from 'kysely'
import type { Direct, Schema, Tx } from './schema.ts'

/**
 * Kysely over Node's own SQLite. Statements are prepared once for each text: there are few texts, and the same ones
 * come all day.
 */
export function kyselyOver(connection: DatabaseSync): Tx {
  const prepare = openStatements(connection)
  const readers = new WeakMap<StatementSync, boolean>()
  const kysely = new Kysely<Schema>({
    dialect: new SqliteDialect({
      database: {
        close: () => connection.close(),
        prepare(text) {
          const statement = prepare(text)
          return {
            reader: readers.getOrInsertComputed(statement, () => statement.columns().length > 0),
            all: (parameters: readonly unknown[]) => statement.all(...(parameters as SQLInputValue[])),
            run: (parameters: readonly unknown[]) => statement.run(...(parameters as SQLInputValue[])),
            iterate: (parameters: readonly unknown[]) => statement.iterate(...(parameters as SQLInputValue[])),
          }
        },
      },
    }),
  })
  const direct: Direct = {
    async rows<Row>(text: string, values: readonly SQLInputValue[]) {
      return prepare(text).all(...values) as Row[]
    },
    async run(text, lists) {
      const statement = prepare(text)
      for (const values of lists) statement.run(...values)
    },
  }
  return Object.assign(kysely, direct)
}

// Lists of ids make texts of their own, one a length: without a bound those would add up.
const MAX_PREPARED = 1_000

function openStatements(connection: DatabaseSync): (text: string) => StatementSync {
  const prepared = new Map<string, StatementSync>()
  return (text) => {
    let statement = prepared.get(text)
    if (statement === undefined) {
      if (prepared.size >= MAX_PREPARED) prepared.clear()
      statement = connection.prepare(text)
      prepared.set(text, statement)
    }
    return statement
  }
}

/** Whether SQLite says that there is no room left (SQLITE_FULL, or an I/O error while writing). */
export function isDiskFull(error: unknown): boolean {
  const code = (error as { errcode?: number }).errcode
  return code !== undefined && ((code & 0xff) === 13 || code === 778)
}
