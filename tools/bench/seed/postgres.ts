import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Connection,
  connect,
  patientSettingsOf,
} from '../../../packages/storage/src/postgres/connection.ts'
import {
  COUNTED,
  messagesOf,
  outcomesOf,
  rememberedOf,
  type Scale,
  spansOf,
  type Words,
} from './statements.ts'

const hex = (number: string, digits: number) => `lpad(to_hex(${number}), ${digits}, '0')`

const WORDS: Words = {
  ids: ({ from, to }) => `generate_series(${from}::bigint, ${to}::bigint) as ids (id)`,
  at: ({ from_s, step_s }) =>
    `to_char(to_timestamp(${from_s} + floor(id * ${step_s})) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS')`,
  guid: `${hex('(id * 2654435761) % 4294967296', 8)} || '-' || ${hex('id % 65536', 4)} || '-4000-8000-' || ${hex('id', 12)}`,
  digits: `lpad(((id * 61803399) % 100000000)::text, 8, '0')`,
}

const SAY_ROWS = 500_000
/** The server adds messages to the search index in groups of this size. */
const TOGETHER = 8

/** Resolves when everything except the search index is filled, and PostgreSQL has analysed the tables. */
export async function fillPostgres(url: string, scale: Scale, say: (line: string) => void): Promise<void> {
  const session = await connect(patientSettingsOf(url))
  // A seeding that breaks off is repeated from the start.
  await session.send(`set synchronous_commit = off; set maintenance_work_mem = '1GB'; set work_mem = '256MB'`)
  const indexes = await dropIndexes(session)
  for (const span of spansOf(scale)) {
    await session.send('begin')
    await session.send(messagesOf(WORDS, span))
    await session.send(outcomesOf(WORDS, span))
    await session.send('commit')
    say(`filling: ${span.to.toLocaleString('en')} messages`)
  }
  for (const statement of [rememberedOf(), ...COUNTED]) await session.send(statement)
  for (const { name, text } of indexes) {
    await session.send(text)
    say(`filling: ${name}`)
  }
  await session.send(`select setval('messages_ids', ${scale.rows})`)
  await session.send('vacuum analyze')
  await session.send('checkpoint')
  await session.close()
}

/** Resolves when its server has all messages in the search index. */
export async function untilIndexed(url: string, { rows }: Scale, say: (line: string) => void): Promise<void> {
  const session = await connect(patientSettingsOf(url))
  for (let said = 0; ;) {
    const { rows: found } = await session.send('select id from message_search_reach')
    const [{ id }] = found as [{ id: number }]
    if (id > rows - TOGETHER) break
    if (id - said >= SAY_ROWS)
      say(`filling: ${(said = id).toLocaleString('en')} messages in the search index`)
    await sleep(1_000)
  }
  await session.close()
}

/** Drops indexes that enforce no constraint; those of partitions go with their table's. */
async function dropIndexes(session: Connection): Promise<{ name: string; text: string }[]> {
  const { rows } = await session.send(
    `select indexes.relname as name, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as text from pg_index
      join pg_class as indexes on indexes.oid = indexrelid join pg_class as tables on tables.oid = indrelid
      where tables.relname in ('messages', 'outcomes') and not indisunique`,
  )
  const indexes = rows as { name: string; text: string }[]
  for (const { name } of indexes) await session.send(`drop index ${name}`)
  return indexes
}
