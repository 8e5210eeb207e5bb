import { isPostgres, isWriting, runText, type Value } from './dialect.ts'
import type { Change, Schema, Tx } from './schema.ts'

/** Statements written by hand, for what runs for every message: there the builder takes longer than the statement. */

/** Of an adapter whose engine answers at once: its prepared statement of a text. */
export const STATEMENTS = Symbol('statements')

type Statement = { all(values: readonly Value[]): unknown[]; run(values: readonly Value[]): unknown }

function statementOf(tx: Tx, text: string): Statement | undefined {
  const adapter = tx.getExecutor().adapter as { [STATEMENTS]?: (text: string) => Statement }
  return adapter[STATEMENTS]?.(text)
}

/** The rows of one statement, with `?` for each value. */
export async function rowsOf<Row>(tx: Tx, text: string, values: readonly unknown[] = []): Promise<Row[]> {
  const statement = statementOf(tx, text)
  return statement ? (statement.all(values as Value[]) as Row[]) : runText<Row>(tx, text, values)
}

/** Runs one statement for each of these lists of values, in their order. */
export async function runMany(tx: Tx, text: string, lists: readonly (readonly Value[])[]): Promise<void> {
  const statement = statementOf(tx, text)
  for (const values of lists) {
    if (statement) statement.run(values)
    else await runText(tx, text, values)
  }
}

/** Runs one statement once. */
export async function runOne(tx: Tx, text: string, values: readonly Value[]): Promise<void> {
  const statement = statementOf(tx, text)
  if (statement) statement.run(values)
  else await runText(tx, text, values)
}

type Row = Readonly<Record<string, Value>>

/** Inserts rows that all have these columns. */
export function insertRows<Column extends string>(
  tx: Tx,
  table: string,
  columns: readonly Column[],
  rows: readonly { readonly [Name in Column]?: Value | undefined }[],
): Promise<void> {
  return tx.insert(table as 'messages', rows as never, columns as never)
}

/** Inserts a row, or gives the one with this key the rest of its values. */
export function putRow(tx: Tx, table: string, key: Row, rest: Row): Promise<void> {
  return tx.put(table as 'messages', key as never, rest as never)
}

type Changeable = 'messages' | 'attempts' | 'devices'

export function updateById<Table extends Changeable>(
  tx: Tx,
  table: Table,
  key: { id: number; message_id?: number },
  change: Change<Schema[Table]>,
  before: { readonly [Column in keyof Schema[Table]]?: unknown } = {},
): Promise<void> {
  return tx.update(table, key as never, change, before)
}

/**
 * What stands within `in (…)` for these lists, each of values of these types. PostgreSQL has one text for however many
 * there are. For SQLite the last list is repeated up to a power of two, so that few texts are prepared.
 */
export function listed(
  tx: Tx,
  types: readonly ('bigint' | 'text')[],
  lists: readonly (readonly Value[])[],
): { text: string; values: readonly unknown[] } {
  if (isPostgres(tx)) {
    const columns = types.map((type) => `cast(? as ${type}[])`).join(', ')
    return {
      text: `select * from unnest(${columns})`,
      values: types.map((_, place) => lists.map((values) => values[place])),
    }
  }
  const size = 2 ** Math.ceil(Math.log2(lists.length))
  const values = lists.flat()
  const last = lists.at(-1)!
  for (let more = lists.length; more < size; more++) values.push(...last)
  return { text: `values ${placeholders(size, types)}`, values }
}

const placeholderTexts = new Map<string, string>()

function placeholders(size: number, types: readonly string[]): string {
  return placeholderTexts.getOrInsertComputed(`${size} ${types.join()}`, () => {
    const one = `(${types.map((type) => `cast(? as ${type})`).join(', ')})`
    return Array(size).fill(one).join(', ')
  })
}

/** Ends a select: its rows of this table stay as they were read until the commit (see `locked`). */
export function lockedText(tx: Tx, table: string): string {
  return isWriting(tx) ? ` for no key update of ${table}` : ''
}

/** The same, passing over what somebody else works on at this moment (see `lockedOrPassed`). */
export function lockedOrPassedText(tx: Tx, table: string): string {
  return isWriting(tx) ? `${lockedText(tx, table)} skip locked` : ''
}

/** The same for rows that others may read so as well (see `shared`). */
export function sharedText(tx: Tx, table: string): string {
  return isWriting(tx) ? ` for share of ${table}` : ''
}
