import { DatabaseSync } from 'node:sqlite'
import {
  attemptsOf,
  COUNTED,
  messagesOf,
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
  key: 'substr(message_to, -9)',
}

export function fillSqlite(path: string, scale: Scale, say: (line: string) => void): void {
  const db = new DatabaseSync(path)
  // Nobody else has it open, and a seeding that breaks off is begun anew.
  db.exec(
    'pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -1000000; pragma temp_store = file',
  )
  const indexes = dropIndexes(db)
  for (const span of spansOf(scale)) {
    db.exec('begin')
    db.exec(messagesOf(WORDS, span))
    db.exec(attemptsOf(span))
    db.exec('commit')
    say(`filling: ${span.to.toLocaleString('en')} messages`)
  }
  db.exec(`begin; ${[rememberedOf(WORDS), ...COUNTED].join(';')}; commit`)
  for (const index of indexes) {
    db.exec(index)
    say(`filling: ${/index (\w+)/i.exec(index)?.[1]}`)
  }
  db.exec('pragma journal_mode = wal')
  db.close()
}

/** One sorting each is faster than ten million insertions, and the files are as after a VACUUM. */
function dropIndexes(db: DatabaseSync): string[] {
  const indexes = db
    .prepare(`select name, sql from sqlite_master where type = 'index' and sql is not null
      and tbl_name in ('messages', 'attempts')`)
    .all() as { name: string; sql: string }[]
  for (const { name } of indexes) db.exec(`drop index ${name}`)
  return indexes.map(({ sql }) => sql)
}
