import type { RowWrites } from './postgres/rows.ts'
import { isPostgres, isWriting, runText, type Value } from './dialect.ts'
import type { Change, Schema, Tx } from './schema.ts'

/** Statements written by hand, for what runs for every message: there the builder takes longer than the statement. */

/** Of an adapter whose engine answers at once: its prepared statement of a text. */
export const STATEMENTS = Symbol('statements')

/** Of an adapter whose engine is far away: what waits to be sent together. */
export const ROW_WRITES = Symbol('row writes')

function rowWritesOf(tx: Tx): RowWrites | undefined {
  return (tx.getExecutor().adapter as { [ROW_WRITES]?: RowWrites })[ROW_WRITES]
}

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
export async function insertRows<Column extends string>(
  tx: Tx,
  table: string,
  columns: readonly Column[],
  rows: readonly { readonly [Name in Column]?: Value | undefined }[],
): Promise<void> {
  const lists = rows.map((row) => columns.map((column) => row[column] ?? null))
  const writes = rowWritesOf(tx)
  if (writes) for (const values of lists) writes.insert(table, rowOf(columns, values))
  else await insertLists(tx, table, columns, lists)
}

/** So many rows of one statement take SQLite a fifth less than one by one; fewer take it longer. */
const ROWS_AT_ONCE = 32

async function insertLists(
  tx: Tx,
  table: string,
  columns: readonly string[],
  lists: readonly (readonly Value[])[],
): Promise<void> {
  const alone = lists.length % ROWS_AT_ONCE
  await runMany(tx, insertText(table, columns), lists.slice(0, alone))
  for (let done = alone; done < lists.length; done += ROWS_AT_ONCE) {
    const values = lists.slice(done, done + ROWS_AT_ONCE).flat()
    await runOne(tx, insertText(table, columns, ROWS_AT_ONCE), values)
  }
}

/** Inserts a row, or gives the one with this key the rest of its values. */
export async function putRow(tx: Tx, table: string, key: Row, rest: Row): Promise<void> {
  const writes = rowWritesOf(tx)
  if (writes) return writes.put(table, key, rest)
  const text = putText(table, Object.keys(key), Object.keys(rest))
  await runOne(tx, text, [...Object.values(key), ...Object.values(rest)])
}

function rowOf(columns: readonly string[], values: readonly Value[]): Row {
  return Object.fromEntries(columns.map((column, place) => [column, values[place]!]))
}

const inserts = new Map<string, string>()

function insertText(table: string, columns: readonly string[], rows = 1): string {
  return inserts.getOrInsertComputed(`${rows} ${table} ${columns.join()}`, () => {
    const row = `(${columns.map(() => '?').join(', ')})`
    return `insert into ${table} (${columns.join(', ')}) values ${Array(rows).fill(row).join(', ')}`
  })
}

function putText(table: string, key: readonly string[], rest: readonly string[]): string {
  return inserts.getOrInsertComputed(`put ${table} ${key.join()} ${rest.join()}`, () => {
    const others = rest.map((column) => `${column} = excluded.${column}`).join(', ')
    return `${insertText(table, [...key, ...rest])} on conflict (${key.join(', ')}) do update set ${others}`
  })
}

type Changeable = 'messages' | 'attempts' | 'devices'

/**
 * Changes the row of this key where it is not to be as it was `before`, as far as that is known: what stays as it is
 * would be written all the same, and each index with it. An id alone is a key, but the month in which an attempt lies is
 * that of its message.
 */
export async function updateById<Table extends Changeable>(
  tx: Tx,
  table: Table,
  key: { id: number; message_id?: number },
  change: Change<Schema[Table]>,
  before: { readonly [Column in keyof Schema[Table]]?: unknown } = {},
): Promise<void> {
  const values: Value[] = []
  let update = updates[table]
  for (const column in change) {
    const value = change[column as keyof typeof change] as Value | undefined
    if (value === undefined || value === before[column as keyof typeof before]) continue
    values.push(value)
    update = update.next.get(column) ?? withColumn(update, table, column)
  }
  if (values.length === 0) return
  const writes = rowWritesOf(tx)
  if (writes) return writes.set(table, key, rowOf(update.columns, values))
  values.push(key.id)
  await runOne(tx, update.text, values)
}

/** Changes these columns; those that change one more beside them are `next`, so that no text is made a second time. */
type Update = { columns: readonly string[]; text: string; next: Map<string, Update> }

function updateOf(table: string, columns: readonly string[]): Update {
  const set = columns.map((column) => `${column} = ?`).join(', ')
  return { columns, text: `update ${table} set ${set} where id = ?`, next: new Map() }
}

function withColumn({ columns, next }: Update, table: string, column: string): Update {
  const update = updateOf(table, [...columns, column])
  next.set(column, update)
  return update
}

const updates: Record<Changeable, Update> = {
  messages: updateOf('messages', []),
  attempts: updateOf('attempts', []),
  devices: updateOf('devices', []),
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
