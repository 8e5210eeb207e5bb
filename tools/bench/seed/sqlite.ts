import { closeSync, openSync, readSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { migrations } from '../../../packages/server/src/database/migrations.ts'
import type { Schema } from '../../../packages/server/src/database/schema.ts'
import { migrate, pendingMigrations } from '../../../packages/storage/src/migrate.ts'
import { sqliteTx } from '../../../packages/storage/src/sqlite/tx.ts'
import {
  CHUNK,
  COUNTED,
  messagesOf,
  outcomesOf,
  rememberedOf,
  type Scale,
  spansOf,
  type Words,
} from './statements.ts'

const WORDS: Words = {
  ids: ({ from, to }) =>
    `(with recursive ids (id) as (select ${from} union all select id + 1 from ids where id < ${to}) select id from ids)`,
  at: ({ from_s, step_s }) =>
    `strftime('%Y-%m-%dT%H:%M:%S', ${from_s} + cast(id * ${step_s} as integer), 'unixepoch')`,
  guid: `printf('%08x-%04x-4000-8000-%012x', (id * 2654435761) % 4294967296, id % 65536, id)`,
  digits: `printf('%08d', (id * 61803399) % 100000000)`,
}

export function fillSqlite(path: string, scale: Scale, say: (line: string) => void): void {
  const db = openAlone(path)
  const indexes = dropIndexes(db)
  for (const span of spansOf(scale)) {
    db.exec('begin')
    db.exec(messagesOf(WORDS, span))
    db.exec(outcomesOf(WORDS, span))
    db.exec('commit')
    say(`filling: ${span.to.toLocaleString('en')} messages`)
  }
  db.exec(`begin; ${[rememberedOf(), ...COUNTED].join(';')}; commit`)
  for (const index of indexes) {
    db.exec(index)
    say(`filling: ${/index (\w+)/i.exec(index)?.[1]}`)
  }
  indexTexts(db, say)
  db.close()
}

/**
 * Runs missing migrations, and if earlier runs left many messages out of the search index, adds them. If that breaks
 * off after `begins`, the file must be built again; a file of a newer schema is not touched.
 */
export async function bringUpToDate(
  path: string,
  say: (line: string) => void,
  begins: () => void,
): Promise<void> {
  const looking = new DatabaseSync(path, { timeout: 30_000 })
  const { pending } = await pendingMigrations(sqliteTx<Schema>(looking), migrations)
  const { newest, reach } = reachOf(looking)
  looking.close()
  if (pending.length === 0 && newest - reach < CHUNK) return
  begins()
  const db = openAlone(path)
  const tx = sqliteTx<Schema>(db)
  const run = await migrate(
    tx,
    async (work) => {
      db.exec('begin')
      await work(tx)
      db.exec('commit')
    },
    migrations,
  )
  for (const name of run) say(`brought up to date: ${name}`)
  indexTexts(db, say)
  db.close()
}

/**
 * Reads the file into memory as far as it fits, as in a server that has run for long; otherwise disk reads would count
 * as the server's time.
 */
export function readThrough(path: string, say: (line: string) => void): void {
  const began = performance.now()
  const [file, bytes] = [openSync(path, 'r'), Buffer.alloc(4 << 20)]
  let read = 0
  for (let got = 1; got > 0; read += got) got = readSync(file, bytes)
  closeSync(file)
  say(`read ${Math.round(read / 2 ** 20)} MiB in ${Math.round((performance.now() - began) / 1_000)} s`)
}

/** No other process uses it, and a seeding that breaks off is repeated from the start. */
function openAlone(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: 30_000 })
  db.exec('pragma journal_mode = delete')
  db.exec(
    'pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -1000000; pragma temp_store = file',
  )
  return db
}

/** Like the server's indexing (messages/search/indexing.ts), in larger steps. */
function indexTexts(db: DatabaseSync, say: (line: string) => void): void {
  const { newest, reach } = reachOf(db)
  const many = newest - reach > CHUNK
  db.exec(holding(256 << 20))
  for (let from = reach; from < newest; from += CHUNK) {
    const to = Math.min(newest, from + CHUNK)
    db.exec(`begin; insert into message_search (rowid, text) select id, message || char(10) || message_to from messages
      where id > ${from} and id <= ${to} order by id; update message_search_reach set id = ${to}; commit`)
    say(`search index: ${to.toLocaleString('en')} messages`)
  }
  db.exec(holding(1 << 20))
  // As one segment: the server's own index never mixes large and small segments like these.
  if (many) db.exec(`insert into message_search (message_search) values ('optimize')`)
}

function reachOf(db: DatabaseSync): { newest: number; reach: number } {
  return db
    .prepare('select (select max(id) from messages) as newest, id as reach from message_search_reach')
    .get() as { newest: number; reach: number }
}

/**
 * The bytes FTS5 buffers before it writes a segment (https://sqlite.org/fts5.html#the_hashsize_configuration_option).
 */
const holding = (bytes: number) =>
  `insert into message_search (message_search, rank) values ('hashsize', ${bytes})`

/** Sorting once per index is faster than ten million insertions, and leaves the file as after a VACUUM. */
function dropIndexes(db: DatabaseSync): string[] {
  const indexes = db
    .prepare(`select name, sql from sqlite_master where type = 'index' and sql is not null
      and tbl_name in ('messages', 'outcomes')`)
    .all() as { name: string; sql: string }[]
  for (const { name } of indexes) db.exec(`drop index ${name}`)
  return indexes.map(({ sql }) => sql)
}
