import { type Kysely, sql } from 'kysely'
import { inWordsOf, isPostgres } from '#server/database/dialect.ts'
import { firstIdOf, makeMonth, MONTH_IDS, sayRecent } from '#server/database/partitions/layout.ts'

/**
 * On PostgreSQL, messages and their attempts lie in months, which retention removes as a whole. What there is becomes the
 * first of them where it is: nothing is copied, each row is looked at once.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  if (!isPostgres(db)) return
  const run = (statement: string) => sql.raw(inWordsOf(db, statement)).execute(db)
  const { newest, attempt } = await lastIds(db)
  const before = Math.floor(newest / MONTH_IDS)
  for (const statement of await constraints(db)) await run(statement)
  for (const table of ['messages', 'attempts'])
    await run(`alter table ${table} alter column id drop identity`)
  for (const { table, key } of [
    { table: 'messages', key: 'id' },
    { table: 'attempts', key: 'message_id' },
  ])
    await partition(db, table, key, before)
  await run(`create sequence messages_ids start ${newest + 1} owned by messages.id`)
  await run(`create sequence attempts_ids start ${attempt + 1} owned by attempts.id`)
  for (const table of [
    'messages',
    'attempts',
    partitionName('messages', before),
    partitionName('attempts', before),
  ])
    await run(`alter table ${table} alter column id set default nextval('${table.split('_')[0]}_ids')`)

  for (const statement of statements) await run(statement)
  await run(
    `create table ${partitionName('message_search', before)} partition of message_search
      for values from (minvalue) to (${firstIdOf(before + 1)})`,
  )
  // What is there already is of many months: the next begins at once then.
  await run(
    `insert into months (number, began_at) values (${before}, ${newest > 0 ? "'-infinity'" : 'now()'})`,
  )
  await makeMonth(db, before + 1)
  await sayRecent(db, 0)
}

const statements = [
  // Null while it is there for the next messages.
  `create table months (number bigint primary key, began_at timestamptz, settled boolean not null default false)`,
  // Some messages in a row, with the pieces of three characters in their texts and numbers: see messages/log/index.
  `create table message_search (id bigint not null, ids bigint[] not null, pieces int4[] not null, primary key (id))
    partition by range (id)`,
  `create index message_search_by_piece on message_search using gin (pieces) with (gin_pending_list_limit = 256)`,
  `create table message_search_reach (id bigint not null, given bigint not null, before bigint not null)`,
  `insert into message_search_reach values (0, 0, 0)`,
]

function partitionName(table: string, month: number): string {
  return `${table}_${month}`
}

async function lastIds(db: Kysely<unknown>): Promise<{ newest: number; attempt: number }> {
  const { rows } = await sql<{ newest: number; attempt: number }>`select
    (select coalesce(max(id), 0) from messages) as newest,
    (select coalesce(max(id), 0) from attempts) as attempt`.execute(db)
  return rows[0]!
}

/**
 * A month could be made and dropped only while nobody writes to the tables that its rows name: what they name is never
 * removed, and what names them is put right by who removes them (insight/retention/store.ts).
 */
async function constraints(db: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql<{ statement: string }>`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as statement
    from pg_constraint where contype = 'f'
      and (conrelid in ('messages'::regclass, 'attempts'::regclass) or confrelid = 'messages'::regclass)`.execute(
    db,
  )
  return [...rows.map(({ statement }) => statement), 'alter table attempts drop constraint attempts_pkey']
}

/** The table becomes the partition of all ids up to the end of this month, of a new table with its name. */
async function partition(db: Kysely<unknown>, table: string, key: string, month: number): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(db)
  const own = partitionName(table, month)
  await run(`alter table ${table} rename to ${own}`)
  const { rows } = await sql<{ name: string; words: string; whole: boolean }>`
    select relname as name, pg_get_indexdef(indexrelid) as words, not indisunique as whole
    from pg_index join pg_class on pg_class.oid = indexrelid where indrelid = ${own}::regclass`.execute(db)
  for (const { name } of rows) await run(`alter index ${name} rename to ${indexName(own, table, name)}`)
  await run(`create table ${table} (like ${own} including defaults) partition by range (${key})`)
  for (const { words, whole } of rows)
    if (whole) await run(words.replace(/ ON \S+ USING /, ` ON ${table} USING `))
  if (table === 'attempts') {
    await run(`alter table ${own} add constraint ${own}_pkey primary key using index ${own}_by_message`)
    await run(`alter table ${table} add constraint ${table}_pkey primary key (message_id, attempt)`)
  } else await run(`alter table ${table} add constraint ${table}_pkey primary key (id)`)
  await run(
    `alter table ${table} attach partition ${own} for values from (minvalue) to (${firstIdOf(month + 1)})`,
  )
}

function indexName(own: string, table: string, name: string): string {
  return `${own}_${name.replace(`${table}_`, '')}`
}
