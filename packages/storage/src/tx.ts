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
 * What a store is made from: a handle for reading, or inside of a write the transaction. Each call is one statement,
 * except that a handle may gather what changes rows and send it together; a failure then shows at a later call or at the
 * commit.
 */
export type Tx<Tables> = {
  readonly engine: Engine
  /** A transaction beside which other servers may write: what a rule reads has to be locked. */
  readonly writing: boolean
  rows<Row, Values>(statement: Statement<Row, Values>, ...values: Arguments<Values>): Promise<Row[]>
  /** The first row, or `undefined` if there is none. */
  first<Row, Values>(
    statement: Statement<Row, Values>,
    ...values: Arguments<Values>
  ): Promise<Row | undefined>
  /** Runs a statement whose rows, if it has any, are not needed. */
  run<Row, Values>(statement: Statement<Row, Values>, ...values: Arguments<Values>): Promise<void>
  /** Runs a statement once for each of these values, in their order. */
  runEach<Values>(statement: Statement<never, Values>, list: readonly Values[]): Promise<void>
  /**
   * Runs a text that is made at run time, such as one with the name of a partition. Without values it may hold several
   * statements on PostgreSQL.
   */
  query<Row = never>(text: string, values?: Given): Promise<Row[]>
  /** Inserts rows, of which these columns are given: by default those of the first row. */
  insert<Table extends NameOf<Tables>>(
    table: Table,
    rows: readonly Insertable<Tables[Table]>[],
    columns?: readonly (keyof Insertable<Tables[Table]> & string)[],
  ): Promise<void>
  /** Inserts a row, and returns its `id`. */
  insertRow<Table extends NameOf<Tables>>(table: Table, row: Insertable<Tables[Table]>): Promise<number>
  /** Inserts a row, or changes these columns of the row that has this key. */
  put<Table extends NameOf<Tables>>(
    table: Table,
    key: Updateable<Tables[Table]>,
    columns: Updateable<Tables[Table]>,
  ): Promise<void>
  /**
   * Changes columns of the row that has this key. A column that is `undefined`, or the same in `before`, is left out:
   * writing it would cost as much as a change, also in its indexes.
   */
  update<Table extends NameOf<Tables>>(
    table: Table,
    key: Updateable<Tables[Table]>,
    change: Updateable<Tables[Table]>,
    before?: { readonly [Column in keyof Tables[Table]]?: unknown },
  ): Promise<void>
  /** Adds to a row that many works add to: in a shared commit, their sum is written once. */
  add(total: Total, key: readonly Value[], by: number, rest?: readonly Value[]): Promise<void>
  /** Writes what was added so far: before such rows are read. */
  writeTotals(): Promise<void>
}

type NameOf<Tables> = keyof Tables & string
type Arguments<Values> = NoValues extends Values ? [values?: Values] : [values: Values]

/** Runs a text at once (SQLite), or sends it (PostgreSQL). */
export type Execute = (compiled: Compiled, values: readonly unknown[]) => unknown[] | Promise<unknown[]>

/** How the rows that a transaction writes reach the database. */
export type RowWriter = {
  insert(table: string, columns: readonly string[], rows: readonly Row[]): void | Promise<void>
  put(table: string, key: Row, columns: Row): void | Promise<void>
  update(table: string, key: Row, change: Row): void | Promise<void>
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
    async add(total, key, by, rest = []) {
      const open = totals?.()
      if (open) open.add({ total, key, sum: by, rest })
      else await total.write(tx, [{ key, sum: by, rest }])
    },
    writeTotals: async () => totals?.().write(),
  }
  return tx
}

/** Texts made at run time are prepared too; without a bound they would add up. */
const MOST_TEXTS = 500

/**
 * Whoever holds the same name waits until the commit: for a rule that no row stands for. On SQLite, which has a single
 * writer, it does nothing.
 */
export async function holdName(tx: Pick<Tx<never>, 'writing' | 'run'>, name: string): Promise<void> {
  if (tx.writing) await tx.run(HOLD_NAME, { name })
}

const HOLD_NAME = sql<never, { name: string }>`${perEngine({
  sqlite: 'select :name',
  postgres: 'select pg_advisory_xact_lock(hashtextextended(:name, 0))',
})}`
