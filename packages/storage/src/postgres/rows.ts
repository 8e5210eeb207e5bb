import { columnName, type Value } from '#storage/sql.ts'
import type { Row } from '#storage/tx.ts'

/**
 * Buffers row changes until the next other statement, then sends one statement for all rows with the same changed
 * columns. Most of a statement's cost does not depend on the number of its rows.
 */
export type RowWrites = {
  /** Inserts these columns of the rows. */
  insert(table: string, columns: readonly string[], rows: readonly Row[]): void
  /** Inserts a row, or changes the row with this key. */
  put(table: string, key: Row, rest: Row): void
  /** Changes columns of the row with this key. */
  set(table: string, key: Row, change: Row): void
  delete(table: string, key: Row): void
  /** Sends the buffered changes, inserts first, and the others in the order of their keys: the same on every server. */
  send(): void
  /** Drops the buffered changes, because the write is rolled back. */
  clear(): void
}

type Kind = 'insert' | 'put' | 'set' | 'delete'
/** Changes of the rows of a table, in the order of their keys once they are sorted. */
type Changes = Map<string, Change>
type Change = { kind: Kind; key: Row; columns: Record<string, Value> }

/** The most rows in one statement. */
const MOST = 1_000

/** `run` gets a statement, its values, and the name under which it is prepared. */
export function openRowWrites(
  run: (text: string, values: readonly unknown[], name: string) => void,
): RowWrites {
  /** By table, and those of a table by their columns. */
  let inserts = new Map<string, Map<string, Row[]>>()
  let changes = new Map<string, Changes>()
  let waiting = 0
  const deletedFrom = new Set<string>()

  function clear(): void {
    inserts = new Map()
    changes = new Map()
    waiting = 0
    deletedFrom.clear()
  }

  function send(): void {
    if (waiting === 0) return
    const [inserted, changed] = [inserts, changes]
    clear()
    for (const table of [...new Set([...inserted.keys(), ...changed.keys()])].sort()) {
      for (const [columns, rows] of inserted.get(table) ?? []) ask(`insert ${table}  ${columns}`, rows)
      const sorted = [...(changed.get(table) ?? [])].sort(([one], [other]) => (one < other ? -1 : 1))
      const alike = Map.groupBy(
        sorted.map(([, change]) => change),
        ({ kind, key, columns }) =>
          `${kind} ${table} ${Object.keys(key).join()} ${Object.keys(columns).join()}`,
      )
      for (const [shape, some] of alike)
        ask(
          shape,
          some.map(({ key, columns }) => withoutNulls({ ...key, ...columns })),
        )
    }
  }

  function ask(shape: string, rows: readonly Row[]): void {
    const { text, name } = statementOf(shape)
    run(text, [inJson(rows)], name)
  }

  function change(kind: Kind, table: string, key: Row, columns: Row): void {
    if (waiting >= MOST) send()
    if (kind === 'delete') deletedFrom.add(table)
    const of = changes.getOrInsertComputed(table, () => new Map() as Changes)
    const name = Object.values(key).map(padded).join(' ')
    const before = of.get(name)
    if (before === undefined) {
      of.set(name, { kind, key, columns: { ...columns } })
      waiting++
    } else if (before.kind === kind) Object.assign(before.columns, columns)
    else {
      send()
      change(kind, table, key, columns)
    }
  }

  return {
    insert(table, columns, rows) {
      for (let from = 0; from < rows.length; from += MOST) {
        const some = rows.slice(from, from + MOST)
        // The new rows may replace deleted ones.
        if (waiting + some.length > MOST || deletedFrom.has(table)) send()
        inserts
          .getOrInsertComputed(table, () => new Map<string, Row[]>())
          .getOrInsertComputed(columns.join(), () => [])
          .push(...some.map(withoutNulls))
        waiting += some.length
      }
    },
    put: (table, key, rest) => change('put', table, key, rest),
    set: (table, key, columns) => change('set', table, key, columns),
    delete: (table, key) => change('delete', table, key, {}),
    send,
    clear,
  }
}

/** Makes numbers sort by value. */
function padded(value: Value): string {
  return typeof value === 'number' ? String(value).padStart(16, '0') : String(value)
}

const statements = new Map<string, { text: string; name: string }>()

/** `shape`: the kind, the table, the columns of the key and the others. */
function statementOf(shape: string): { text: string; name: string } {
  return statements.getOrInsertComputed(shape, () => {
    const [kind, table, keys, names] = shape.split(' ').map((part) => part.split(',').filter(Boolean))
    return { text: textOf(kind![0] as Kind, table![0]!, keys!, names!), name: `rows_${statements.size}` }
  })
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

function inJson(rows: readonly Row[]): string {
  const json = JSON.stringify(rows)
  return UNSTORABLE.test(json) ? JSON.stringify(rows, storableText) : json
}

/** A copy, as the caller may change its row. PostgreSQL takes an absent column for null, and has less to read. */
function withoutNulls(row: Row): Row {
  const given: Record<string, Value> = {}
  for (const column in row) {
    const value = row[column]
    if (value !== null && value !== undefined) given[column] = value
  }
  return given
}

/** What JSON makes of U+0000 and of half a surrogate pair, or a text that looks like it. */
const UNSTORABLE = /\\u(0000|d[89a-f])/

function storableText(_: string, value: unknown): unknown {
  return typeof value === 'string' ? (storable(value) as string).toWellFormed() : value
}

/**
 * PostgreSQL stores every character except U+0000. A client that sends it must not be refused forever, so it is
 * replaced.
 */
export function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
  return Array.isArray(value) ? value.map(storable) : value
}
