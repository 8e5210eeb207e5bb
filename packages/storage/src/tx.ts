import {
  boundValues,
  columnName,
  type Compiled,
  compiledFor,
  type Engine,
  type Given,
  type NoValues,
  perEngine,
  type Place,
  type Statement,
  sql,
  statementOf,
  type Value,
} from './sql.ts'
import type { Insertable, Updateable } from './tables.ts'
import type { Total, Totals } from './totals.ts'

/**
 * The handle from which a store is made: for reading, or inside a write, the transaction. Each call is one statement. A
 * handle may collect row changes and send them together; an error then appears at a later call or at the commit.
 */
export type Tx<Tables> = {
  readonly engine: Engine
  /** In a transaction while other servers may write too: rows that a rule depends on must be locked. */
  readonly writing: boolean
  rows<Row, Values>(statement: Statement<Row, Values>, ...values: Arguments<Values>): Promise<Row[]>
  /** The first row, or `undefined` if there is none. */
  first<Row, Values>(
    statement: Statement<Row, Values>,
    ...values: Arguments<Values>
  ): Promise<Row | undefined>
  /** Runs a statement and ignores its rows. */
  run<Row, Values>(statement: Statement<Row, Values>, ...values: Arguments<Values>): Promise<void>
  /** Runs a statement once for each of these values, in order. */
  runEach<Values>(statement: Statement<never, Values>, list: readonly Values[]): Promise<void>
  /**
   * Runs SQL text made at run time, such as text with a partition's name. On PostgreSQL, text without values may
   * contain several statements.
   */
  query<Row = never>(text: string, values?: Given): Promise<Row[]>
  /** Inserts these columns of the rows; by default, the columns of the first row. */
  insert<Table extends NameOf<Tables>>(
    table: Table,
    rows: readonly Insertable<Tables[Table]>[],
    columns?: readonly (keyof Insertable<Tables[Table]> & string)[],
  ): Promise<void>
  /** Inserts a row and returns its `id`. */
  insertRow<Table extends NameOf<Tables>>(table: Table, row: Insertable<Tables[Table]>): Promise<number>
  /** Inserts a row, or changes these columns of the row with this key. */
  put<Table extends NameOf<Tables>>(
    table: Table,
    key: Updateable<Tables[Table]>,
    columns: Updateable<Tables[Table]>,
  ): Promise<void>
  /**
   * Changes columns of the row with this key. Skips a column that is `undefined` or equal to its value in `before`,
   * since writing an unchanged column costs as much as a change, indexes included.
   */
  update<Table extends NameOf<Tables>>(
    table: Table,
    key: Updateable<Tables[Table]>,
    change: Updateable<Tables[Table]>,
    before?: { readonly [Column in keyof Tables[Table]]?: unknown },
  ): Promise<void>
  /** Deletes the row with this key. */
  delete<Table extends NameOf<Tables>>(table: Table, key: Updateable<Tables[Table]>): Promise<void>
  /** Adds to a row that many writes add to. In a shared commit, their sum is written once. */
  add(total: Total, key: readonly Value[], by: number, rest?: readonly Value[]): Promise<void>
  /** Flushes the additions so far. Call it before reading such rows. */
  writeTotals(): Promise<void>
}

type NameOf<Tables> = keyof Tables & string
type Arguments<Values> = NoValues extends Values ? [values?: Values] : [values: Values]

/** Runs a text immediately (SQLite) or sends it (PostgreSQL). */
export type Execute = (compiled: Compiled, values: readonly unknown[]) => unknown[] | Promise<unknown[]>

/** How row changes of a transaction reach the database. */
export type RowWriter = {
  insert(table: string, columns: readonly string[], rows: readonly Row[]): void | Promise<void>
  put(table: string, key: Row, columns: Row): void | Promise<void>
  update(table: string, key: Row, change: Row): void | Promise<void>
  delete(table: string, key: Row): void | Promise<void>
}

export type Row = Readonly<Record<string, Value>>

export function makeTx<Tables>(needs: {
  place: Place
  execute: Execute
  rowWriter: (execute: Execute) => RowWriter
  totals?: () => Totals
}): Tx<Tables> {
  const { place, execute, totals } = needs
  const { engine } = place
  const writer = needs.rowWriter(execute)
  const texts = new Map<string, Statement>()

  function ask(statement: Statement, values: Given = {}): unknown[] | Promise<unknown[]> {
    const compiled = compiledFor(statement, place, values)
    return execute(compiled, boundValues(compiled, engine, values))
  }

  function statementOfText(text: string): Statement {
    if (texts.size >= MOST_TEXTS) texts.clear()
    return texts.getOrInsertComputed(text, () => statementOf([text]))
  }

  const tx: Tx<Tables> = {
    ...place,
    rows: async (statement, ...[values]) => (await ask(statement as Statement, values as Given)) as never,
    first: async (statement, ...[values]) => (await ask(statement as Statement, values as Given))[0] as never,
    async run(statement, ...[values]) {
      await ask(statement as Statement, values as Given)
    },
    async runEach(statement, list) {
      for (const values of list) await ask(statement as Statement, values as Given)
    },
    query: async (text, values) => (await ask(statementOfText(text), values)) as never,
    async insert(table, rows, columns = Object.keys(rows[0] ?? {}) as never) {
      if (rows.length > 0) await writer.insert(table, columns, rows as readonly Row[])
    },
    async insertRow(table, row) {
      const names = Object.keys(row).filter((name) => row[name as keyof typeof row] !== undefined)
      const columns = names.map(columnName).join(', ')
      const values = names.map((name) => `:${name}`).join(', ')
      const text = `insert into ${table} (${columns}) values (${values}) returning id`
      const [inserted] = await tx.query<{ id: number }>(text, row)
      return inserted!.id
    },
    put: async (table, key, columns) => writer.put(table, key as Row, columns as Row),
    async update(table, key, change, before = {}) {
      const changed: Record<string, Value> = {}
      let columns = 0
      for (const column in change) {
        const value = change[column] as Value | undefined
        if (value === undefined || value === before[column]) continue
        changed[column] = value
        columns++
      }
      if (columns > 0) await writer.update(table, key as Row, changed)
    },
    delete: async (table, key) => writer.delete(table, key as Row),
    async add(total, key, by, rest = []) {
      const open = totals?.()
      if (open) open.add({ total, key, sum: by, rest })
      else await total.write(tx, [{ key, sum: by, rest }])
    },
    writeTotals: async () => totals?.().write(),
  }
  return tx
}

/** Texts made at run time are prepared too; the bound keeps them from piling up. */
const MOST_TEXTS = 500

/**
 * Takes a lock by name until the commit, for a rule that no row represents. Does nothing on SQLite, which has a single
 * writer.
 */
export async function lockName(tx: Pick<Tx<never>, 'writing' | 'run'>, name: string): Promise<void> {
  if (tx.writing) await tx.run(HOLD_NAME, { name })
}

const HOLD_NAME = sql<never, { name: string }>`${perEngine({
  sqlite: 'select :name',
  postgres: 'select pg_advisory_xact_lock(hashtextextended(:name, 0))',
})}`
