import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { Kysely, SqliteDialect } from 'kysely'
import type { Schema } from './schema.ts'

/**
 * Kysely over Node's own SQLite. Statements are prepared once for each text: there are few texts, and the same ones
 * come all day.
 */
export function kyselyOver(connection: DatabaseSync): Kysely<Schema> {
  const prepared = new Map<string, ReturnType<typeof asKyselyWants>>()
  return new Kysely<Schema>({
    dialect: new SqliteDialect({
      database: {
        close: () => connection.close(),
        prepare(text) {
          let statement = prepared.get(text)
          if (statement === undefined) {
            if (prepared.size >= MAX_PREPARED) prepared.clear()
            statement = asKyselyWants(connection.prepare(text))
            prepared.set(text, statement)
          }
          return statement
        },
      },
    }),
  })
}

// Lists of ids make texts of their own, one a length: without a bound those would add up.
const MAX_PREPARED = 1_000

function asKyselyWants(statement: StatementSync) {
  return {
    reader: statement.columns().length > 0,
    all: (parameters: readonly unknown[]) => statement.all(...(parameters as SQLInputValue[])),
    run: (parameters: readonly unknown[]) => statement.run(...(parameters as SQLInputValue[])),
    iterate: (parameters: readonly unknown[]) => statement.iterate(...(parameters as SQLInputValue[])),
  }
}

/** Whether SQLite says that there is no room left (SQLITE_FULL, or an I/O error while writing). */
export function isDiskFull(error: unknown): boolean {
  const code = (error as { errcode?: number }).errcode
  return code !== undefined && ((code & 0xff) === 13 || code === 778)
}
