import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { rowMaker } from '#storage/row-maker.ts'
import { columnName, type Compiled } from '#storage/sql.ts'
import type { Totals } from '#storage/totals.ts'
import { type Execute, makeTx, type Row, type RowWriter, type Tx } from '#storage/tx.ts'

/**
 * A handle on Node's own SQLite, which answers synchronously. `translateError` turns a statement's error into the error
 * for the caller.
 */
export function sqliteTx<Tables>(
  connection: DatabaseSync,
  { translateError = (error) => error, totals }: Options = {},
): Tx<Tables> {
  const prepared = new WeakMap<Compiled, Prepared>()

  function execute(compiled: Compiled, values: readonly unknown[]): unknown[] {
    try {
      let found = prepared.get(compiled)
      if (found === undefined) {
        found = prepare(connection, compiled)
        prepared.set(compiled, found)
      }
      const { statement, toRow } = found
      if (toRow !== undefined) return statement.all(...(values as SQLInputValue[])).map(toRow as never)
      statement.run(...(values as SQLInputValue[]))
      return []
    } catch (error) {
      throw translateError(error)
    }
  }

  return makeTx({
    place: { engine: 'sqlite', writing: false },
    execute,
    rowWriter,
    ...(totals && { totals }),
  })
}

type Prepared = {
  statement: StatementSync
  /** Makes a row of its values; absent if the statement returns none. */
  toRow: ((values: readonly unknown[]) => object) | undefined
}

function prepare(connection: DatabaseSync, { text, silent }: Compiled): Prepared {
  const statement = connection.prepare(text)
  if (silent) return { statement, toRow: undefined }
  statement.setReturnArrays(true)
  return { statement, toRow: rowMaker(statement.columns().map(({ name }) => name)) }
}

type Options = { translateError?: (error: unknown) => unknown; totals?: () => Totals }

/** A handle for reading on another thread's connection. */
export function sqliteThreadTx<Tables>(
  all: (text: string, values: readonly unknown[]) => Promise<Record<string, unknown>[]>,
  translateError: (error: unknown) => unknown,
): Tx<Tables> {
  async function execute({ text }: Compiled, values: readonly unknown[]): Promise<unknown[]> {
    try {
      return await all(text, values)
    } catch (error) {
      throw translateError(error)
    }
  }
  return makeTx({ place: { engine: 'sqlite', writing: false }, execute, rowWriter })
}

/** Inserting 32 rows in one statement takes SQLite a fifth less time than one by one; smaller batches take longer. */
const ROWS_AT_ONCE = 32

function rowWriter(execute: Execute): RowWriter {
  const texts = new Map<string, Compiled>()
  const run = (name: string, text: () => string, values: readonly unknown[]) =>
    void execute(
      texts.getOrInsertComputed(name, () => ({
        text: text(),
        values: [],
        silent: true,
        plannedEachTime: false,
      })),
      values,
    )

  return {
    insert(table, columns, rows) {
      const name = `${table} ${columns.join()}`
      const single = rows.length % ROWS_AT_ONCE
      const valuesOf = (row: Row) => columns.map((column) => row[column] ?? null)
      for (const row of rows.slice(0, single))
        run(`insert ${name}`, () => insertText(table, columns, 1), valuesOf(row))
      for (let done = single; done < rows.length; done += ROWS_AT_ONCE)
        run(
          `insert many ${name}`,
          () => insertText(table, columns, ROWS_AT_ONCE),
          rows.slice(done, done + ROWS_AT_ONCE).flatMap(valuesOf),
        )
    },
    put(table, key, columns) {
      const [keys, names] = [Object.keys(key), Object.keys(columns)]
      run(`put ${table} ${keys.join()} ${names.join()}`, () => putText(table, keys, names), [
        ...Object.values(key),
        ...Object.values(columns),
      ])
    },
    update(table, key, change) {
      // The key may have more columns than SQLite needs: on PostgreSQL they select the partition.
      const [keys, names] = [Object.keys(key), Object.keys(change)]
      run(`update ${table} ${keys.join()} ${names.join()}`, () => updateText(table, keys, names), [
        ...Object.values(change),
        ...Object.values(key),
      ])
    },
    delete(table, key) {
      const keys = Object.keys(key)
      run(`delete ${table} ${keys.join()}`, () => deleteText(table, keys), Object.values(key))
    },
  }
}

function insertText(table: string, columns: readonly string[], rows: number): string {
  const row = `(${columns.map(() => '?').join(', ')})`
  return `insert into ${table} (${columns.map(columnName).join(', ')}) values ${Array(rows).fill(row).join(', ')}`
}

function putText(table: string, keys: readonly string[], columns: readonly string[]): string {
  const set = columns.map((column) => `${columnName(column)} = excluded.${columnName(column)}`).join(', ')
  return `${insertText(table, [...keys, ...columns], 1)} on conflict (${keys.map(columnName).join(', ')}) do update set ${set}`
}

function updateText(table: string, keys: readonly string[], columns: readonly string[]): string {
  return `update ${table} set ${columns.map(equal).join(', ')} where ${keys.map(equal).join(' and ')}`
}

function deleteText(table: string, keys: readonly string[]): string {
  return `delete from ${table} where ${keys.map(equal).join(' and ')}`
}

function equal(column: string): string {
  return `${columnName(column)} = ?`
}
