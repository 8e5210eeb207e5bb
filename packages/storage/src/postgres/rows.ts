import { columnName, type Value } from '#storage/sql.ts'
import type { Row } from '#storage/tx.ts'

/**
 * Buffers row changes until the next other statement, then sends one statement for all rows with the same changed
 * columns. Most of a statement's cost does not depend on the number of its rows.
 */
export type RowWrites = {
  insert(table: string, row: Row): void
  /** Inserts a row, or changes the row with this key. */
  put(table: string, key: Row, rest: Row): void
  /** Changes columns of the row with this key. */
  set(table: string, key: Row, change: Row): void
  delete(table: string, key: Row): void
  /** Sends the buffered changes in the order of their keys, which is the same on every server. */
  send(): void
  /** Drops the buffered changes, because the write is rolled back. */
  clear(): void
}

type Write = { kind: Kind; table: string; key: Row; columns: Record<string, Value> }
type Kind = 'insert' | 'put' | 'set' | 'delete'

/** The most rows in one statement. */
const MOST = 1_000

/** `run` gets a statement, its values, and the name under which it is prepared. */
export function openRowWrites(
  run: (text: string, values: readonly unknown[], name: string) => void,
): RowWrites {
  let waiting = new Map<string, Write>()
  let inserted = 0
  const deletedFrom = new Set<string>()

  function send(): void {
    if (waiting.size === 0) return
    const named = [...waiting].sort(([one], [other]) => (one < other ? -1 : 1))
    waiting = new Map()
    inserted = 0
    deletedFrom.clear()
    const alike = Map.groupBy(
      named.map(([, write]) => write),
      statementOf,
    )
    for (const [{ text, name }, writes] of alike) run(text, [inJson(writes)], name)
  }

  function write(kind: Kind, table: string, key: Row, columns: Row): void {
    // The new row may replace a deleted one.
    if (waiting.size >= MOST || (kind === 'insert' && deletedFrom.has(table))) send()
    if (kind === 'delete') deletedFrom.add(table)
    const name = `${table} ${kind === 'insert' ? insertName(inserted++) : Object.values(key).map(padded).join(' ')}`
    const before = waiting.get(name)
    if (before === undefined) waiting.set(name, { kind, table, key, columns: { ...columns } })
    else if (before.kind === kind) Object.assign(before.columns, columns)
    else {
      send()
      write(kind, table, key, columns)
    }
  }

  return {
    insert: (table, row) => write('insert', table, {}, row),
    put: (table, key, rest) => write('put', table, key, rest),
    set: (table, key, change) => write('set', table, key, change),
    delete: (table, key) => write('delete', table, key, {}),
    send,
    clear() {
      waiting.clear()
      deletedFrom.clear()
    },
  }
}

/** Sorts before all changes of the table's rows, as some of them may be changes of the inserted rows. */
function insertName(place: number): string {
  return `\0${padded(place)}`
}

/** Makes numbers sort by value. */
function padded(value: Value): string {
  return typeof value === 'number' ? String(value).padStart(16, '0') : String(value)
}

const statements = new Map<string, { text: string; name: string }>()

function statementOf({ kind, table, key, columns }: Write): { text: string; name: string } {
  const [keys, names] = [Object.keys(key), Object.keys(columns)]
  return statements.getOrInsertComputed(`${kind} ${table} ${keys.join()} ${names.join()}`, () => ({
    text: textOf(kind, table, keys, names),
    name: `rows_${statements.size}`,
  }))
}

function textOf(kind: Kind, table: string, keys: readonly string[], names: readonly string[]): string {
  // The table defines the type of each value.
  const from = `from json_populate_recordset(null::${table}, $1) as row`
  const all = [...keys, ...names].map(columnName).join(', ')
  const insert = `insert into ${table} (${all}) select ${all} ${from}`
  const set = (source: string) =>
    names
      .map(columnName)
      .map((name) => `${name} = ${source}.${name}`)
      .join(', ')
  const found = keys
    .map(columnName)
    .map((name) => `${table}.${name} = row.${name}`)
    .join(' and ')
  switch (kind) {
    case 'insert':
      return insert
    case 'put':
      return `${insert} on conflict (${keys.map(columnName).join(', ')}) do update set ${set('excluded')}`
    case 'set':
      return `update ${table} set ${set('row')} ${from} where ${found}`
    case 'delete':
      return `delete from ${table} using ${from.slice('from '.length)} where ${found}`
  }
}

function inJson(writes: readonly Write[]): string {
  return JSON.stringify(
    writes.map(({ key, columns }) => ({ ...key, ...columns })),
    (_, value: unknown) => (typeof value === 'string' ? (storable(value) as string).toWellFormed() : value),
  )
}

/**
 * PostgreSQL stores every character except U+0000. A client that sends it must not be refused forever, so it is
 * replaced.
 */
export function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
  return Array.isArray(value) ? value.map(storable) : value
}
