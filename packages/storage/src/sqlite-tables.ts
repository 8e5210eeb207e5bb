import type { DatabaseSync } from 'node:sqlite'

/** PostgreSQL's types of SQLite's. */
const types = { integer: 'bigint', real: 'double precision', text: 'text' } as const

export type Table = { name: string; columns: { name: string; type: (typeof types)[keyof typeof types] }[] }

/** SQLite's own tables, and the migration list, which the target's migrations write. */
const NOT_COPIED = /^(sqlite_|schema_migrations$)/

/** The tables of a SQLite database without those that `left_out` names. Each comes after the tables it references. */
export function tablesOf(source: DatabaseSync, left_out: (table: string) => boolean): Table[] {
  const names = source
    .prepare(`select name from sqlite_schema where type = 'table'`)
    .all()
    .map((row) => String(row['name']))
    .filter((name) => !NOT_COPIED.test(name) && !left_out(name))
  const ordered: string[] = []
  const visit = (name: string) => {
    if (ordered.includes(name)) return
    for (const named of namedBy(source, name)) if (named !== name) visit(named)
    ordered.push(name)
  }
  names.forEach(visit)
  return ordered.map((name) => ({ name, columns: columnsOf(source, name) }))
}

function namedBy(source: DatabaseSync, table: string): string[] {
  return source
    .prepare('select distinct "table" as name from pragma_foreign_key_list(?)')
    .all(table)
    .map((row) => String(row['name']))
}

function columnsOf(source: DatabaseSync, table: string): Table['columns'] {
  return source
    .prepare('select name, lower(type) as type from pragma_table_info(?)')
    .all(table)
    .map((row) => ({ name: String(row['name']), type: types[row['type'] as keyof typeof types] }))
}
