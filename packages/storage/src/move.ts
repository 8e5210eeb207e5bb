import { createHash } from 'node:crypto'
import { renameSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { OpenOptions } from './database.ts'
import { migrate } from './migrate.ts'
import { requireReadable } from './sqlite/folder.ts'
import { openSqlite } from './sqlite/open.ts'
import type { Tx } from './tx.ts'
import { connect, type Connection, patientSettingsOf } from './postgres/connection.ts'
import { keepServersOut } from './postgres/write-session.ts'
import { refuseUnusable } from './postgres/open.ts'
import { handleOver } from './postgres/tx.ts'
import { storable } from './postgres/rows.ts'
import { type Table, tablesOf } from './sqlite-tables.ts'

/** Rows per statement, for copying and for comparing. */
const BATCH = 1_000

export type Moved = {
  rows: number
  tables: number
  /** The path to which the SQLite file was renamed, so that no server opens it. */
  kept: string
}

/**
 * Copies the SQLite database at `path` into the empty PostgreSQL database behind `url`. The server must be stopped.
 * Everything happens in one transaction, committed after each table has been read back and compared. Throws if the
 * server runs, the target is not empty, or a table differs; the target is then unchanged.
 */
export async function moveDatabase<Tables>(needs: {
  path: string
  url: string
  options: OpenOptions<Tables>
  /** Tables that have another shape on PostgreSQL; `copied` fills them. */
  leftOut: (table: string) => boolean
  /** Runs in the same transaction after all rows are copied. */
  copied: (tx: Tx<Tables>) => Promise<void>
  now: Date
  say: (line: string) => void
}): Promise<Moved> {
  const { path, url, options, leftOut, copied, now, say } = needs
  requireReadable(path, { missing: 'there is nothing to move', closed: 'run it as the user of the server' })
  // Checks the file, brings it up to date, and keeps servers out until it is closed.
  const held = await openSqlite(path, options)
  const source = new DatabaseSync(path, { readOnly: true })
  const target = await openTarget(url).catch(async (error: unknown) => {
    source.close()
    await held.close()
    throw error
  })
  let rows = 0
  const tables = tablesOf(source, leftOut)
  try {
    await target.send('begin')
    const tx = handleOver<Tables>(target)
    await migrate(tx, (work) => work(tx), options.migrations)
    for (const table of tables) rows += await copy(source, target, table, say)
    await copied(tx)
    say('Comparing the copy with the original')
    for (const table of tables) await compare(source, target, table)
    say('Gathering statistics')
    await target.send('analyze')
    await target.send('commit')
  } finally {
    await target.close()
    source.close()
    await held.close()
  }
  const kept = `${path}.moved-${now.toISOString().slice(0, 10)}`
  renameSync(path, kept)
  return { rows, tables: tables.length, kept }
}

async function openTarget(url: string): Promise<Connection> {
  const target = await connect(patientSettingsOf(url))
  try {
    await refuseUnusable(target)
    await keepServersOut(target)
    const { rows } = await target.send(
      `select table_name as name from information_schema.tables where table_schema = current_schema() order by 1`,
    )
    if (rows.length === 0) return target
    const some = (rows as { name: string }[]).slice(0, 3).map(({ name }) => name)
    throw new Error(
      `The PostgreSQL database is not empty (it has ${some.join(', ')}${rows.length > 3 ? ', …' : ''}): nothing was copied. Make a new one for this.`,
    )
  } catch (error) {
    await target.close()
    throw error
  }
}

async function copy(
  source: DatabaseSync,
  target: Connection,
  table: Table,
  say: (line: string) => void,
): Promise<number> {
  const { name, columns } = table
  const lists = columns.map(({ type }, index) => `$${index + 1}::${type}[]`)
  const insert = `insert into ${name} (${columns.map((column) => `"${column.name}"`).join(', ')})
    select * from unnest(${lists.join(', ')})`
  let copied = 0
  for (const batch of batchesOf(source, table)) {
    const values = columns.map((_, index) => batch.map((row) => row[index]))
    await target.send(insert, values)
    copied += batch.length
    if (copied % 100_000 === 0) say(`${name}: ${copied.toLocaleString('en')} rows so far`)
  }
  if (columns.some((column) => column.name === 'id'))
    await target.send(
      `select setval(pg_get_serial_sequence('${name}', 'id'), greatest(max(id), $1)) from ${name}
        having greatest(max(id), $1) is not null`,
      [lastIdOf(source, name)],
    )
  say(`${name}: ${copied.toLocaleString('en')} rows`)
  return copied
}

/** The last id of a table whose ids are never used again, also if its row is gone; null for other tables. */
function lastIdOf(source: DatabaseSync, table: string): number | null {
  const some = source.prepare(`select 1 from sqlite_schema where name = 'sqlite_sequence'`).get()
  const last = some && source.prepare('select seq from sqlite_sequence where name = ? and seq > 0').get(table)
  return last === undefined ? null : Number(last['seq'])
}

function* batchesOf(source: DatabaseSync, { name, columns }: Table): Generator<unknown[][]> {
  const statement = source.prepare(
    `select ${columns.map((column) => `"${column.name}"`).join(', ')} from ${name}`,
  )
  let batch: unknown[][] = []
  for (const row of statement.iterate()) {
    batch.push(columns.map((column) => row[column.name]))
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Each row has a checksum. A table's sum is their total, so the order of its rows does not matter. */
async function compare(source: DatabaseSync, target: Connection, table: Table): Promise<void> {
  const sent = newSum()
  // Compare with the stored form, because PostgreSQL does not store U+0000.
  for (const batch of batchesOf(source, table)) for (const row of batch) sent.add(row.map(storable))
  const arrived = newSum()
  const selected = table.columns.map((column) => `"${column.name}"`).join(', ')
  await target.send(`declare arrived no scroll cursor for select ${selected} from ${table.name}`)
  for (;;) {
    const { rows } = await target.send(`fetch ${BATCH} from arrived`)
    for (const row of rows as Record<string, unknown>[])
      arrived.add(table.columns.map((column) => row[column.name]))
    if (rows.length < BATCH) break
  }
  await target.send('close arrived')
  if (sent.rows() === arrived.rows() && sent.total() === arrived.total()) return
  throw new Error(
    `The copy of ${table.name} differs from the original (${sent.rows()} rows sent, ${arrived.rows()} arrived): nothing was copied`,
  )
}

function newSum() {
  let [rows, total] = [0, 0n]
  return {
    add(row: readonly unknown[]) {
      const hash = createHash('sha256').update(JSON.stringify(row)).digest()
      total = BigInt.asUintN(64, total + hash.readBigUInt64BE())
      rows++
    },
    rows: () => rows,
    total: () => total,
  }
}
