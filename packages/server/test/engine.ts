import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { type Connection, connect, patientSettingsOf } from '@sdd/storage/postgres/connection.ts'
import { prepareDatabase } from '#server/database/open.ts'
import { copyDatabase, dropDatabase, newDatabase } from '../../../scripts/new-database.ts'

export { newDatabase }

/** The engine of this run, for tests of code that both engines share. `npm test` runs these tests once on each. */
export const onPostgres = process.env.TEST_ENGINE === 'postgres'

type Row = Record<string, unknown>

/** The tables of a database, read and filled while a server uses it. */
export type Tables = {
  /** With `?` for each value. */
  all(sql: string, ...values: SQLInputValue[]): Promise<Row[]>
  /** Several statements, without values. */
  run(sql: string): Promise<void>
  /** The columns of each table. */
  columns(): Promise<Map<string, string[]>>
  close(): Promise<void>
}

/** Settings for a test of SQLite only: its file and its disk. */
export const ON_SQLITE = { DATABASE_URL: '' }

/** A new PostgreSQL database with the schema in it. */
export function preparedDatabase(): Promise<string> {
  return copyDatabase('prepared', prepareDatabase)
}

const databases = new Map<string, Promise<string>>()

/**
 * The PostgreSQL database of this data folder, created at the first call and dropped after the tests. `undefined` if
 * this run tests SQLite, whose database is in the folder.
 */
export async function databaseOf(folder: string): Promise<string | undefined> {
  return onPostgres ? databases.getOrInsertComputed(folder, preparedDatabase) : undefined
}

/** Settings that give a server or database in this folder the engine of this run. */
export async function engineSettings(folder: string): Promise<Record<string, string>> {
  const url = await databaseOf(folder)
  return url === undefined ? {} : { DATABASE_URL: url }
}

export async function openTables({ folder }: { folder: string }): Promise<Tables> {
  const url = await databaseOf(folder)
  return url === undefined ? sqliteTables(folder) : postgresTables(await connect(patientSettingsOf(url)))
}

/** Keeps the tables open while `work` runs. */
export async function withTables<T>(
  server: { folder: string },
  work: (tables: Tables) => Promise<T>,
): Promise<T> {
  const tables = await openTables(server)
  try {
    return await work(tables)
  } finally {
    await tables.close()
  }
}

/** Everything stored, in its stored form: the files of the folder, or every row. */
export async function everythingStored(server: { folder: string }): Promise<string> {
  if (!onPostgres) {
    const files = readdirSync(server.folder).map((name) => readFileSync(join(server.folder, name)))
    return Buffer.concat(files).toString('latin1')
  }
  return withTables(server, async ({ all, columns }) => {
    const rows: Row[] = []
    for (const table of (await columns()).keys()) rows.push(...(await all(`select * from ${table}`)))
    return JSON.stringify(rows)
  })
}

function sqliteTables(folder: string): Tables {
  const database = new DatabaseSync(join(folder, 'sms-drone-dash.db'), { timeout: 0 })
  return {
    // Plain objects, like PostgreSQL's.
    all: (sql, ...values) =>
      onceFree(() =>
        database
          .prepare(sql)
          .all(...values)
          .map((row) => ({ ...row })),
      ),
    run: (sql) => onceFree(() => database.exec(sql)),
    columns: async () =>
      columnsBy(
        database
          .prepare(
            `select tables.name as of, columns.name from sqlite_schema as tables, pragma_table_info(tables.name) as columns
              where tables.type = 'table'`,
          )
          .all(),
      ),
    close: async () => database.close(),
  }
}

const SQLITE_BUSY = 5

/**
 * Waits in turns of the event loop for the lock, where SQLite would block the thread: a server of the same process may
 * hold the lock over several turns, and would never get the next one.
 */
async function onceFree<T>(work: () => T): Promise<T> {
  for (const end = Date.now() + 20_000; ;) {
    try {
      return work()
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== SQLITE_BUSY || Date.now() > end) throw error
      await new Promise(setImmediate)
    }
  }
}

function postgresTables(session: Connection): Tables {
  return {
    async all(sql, ...values) {
      let count = 0
      const { rows } = await session.send(
        sql.replaceAll('?', () => `$${++count}`),
        values,
      )
      return rows as Row[]
    },
    run: async (sql) => void (await session.send(sql)),
    async columns() {
      const { rows } = await session.send(
        `select table_name as of, column_name as name from information_schema.columns where table_schema = 'public'`,
      )
      return columnsBy(rows as Row[])
    },
    close: () => session.close(),
  }
}

function columnsBy(rows: readonly Row[]): Map<string, string[]> {
  const tables = Map.groupBy(rows, (row) => String(row['of']))
  return new Map(
    [...tables].map(([name, columns]) => [name, columns.map((column) => String(column['name']))]),
  )
}

/** Drops the database of this folder. */
export async function forgetDatabase(folder: string): Promise<void> {
  const url = await databases.get(folder)
  databases.delete(folder)
  if (url !== undefined) await dropDatabase(url)
}

/** Runs a statement in the PostgreSQL database at `url`, while servers use it. */
export async function runIn(url: string, statement: string): Promise<void> {
  const session = await connect(patientSettingsOf(url))
  try {
    await session.send(statement)
  } finally {
    await session.close()
  }
}
