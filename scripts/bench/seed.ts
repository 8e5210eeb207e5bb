import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { bucketOf } from '../../packages/server/src/core/buckets.ts'
import { DATABASE_FILE } from '../../packages/server/src/database/files.ts'
import { ROOT } from '../run.ts'
import type { Bench } from './bench.ts'
import type { Account } from './device.ts'
import { gainAccess, type Home, linkDevices, startBenchServer } from './server.ts'
import { textOf } from './work.ts'

/** An installation with a long history, and how to name what is in it. */
export type SeededHome = Home & {
  accounts: readonly Account[]
  randomId(): number
  numberOf(id: number): string
  guidOf(id: number): string
}

/** To be raised when what is filled in changes. */
const VERSION = 1
/** Over so many days the messages are spread, up to the last midnight. */
const DAYS = 180
/** Rows of one transaction. */
const CHUNK = 500_000
const CACHE = join(tmpdir(), 'sdd-bench')

/**
 * An installation with so many finished messages, their attempts, and the counters that go with them. Made once by the
 * server's own schema, and kept in the temporary folder until that changes.
 */
export async function seededHome(bench: Bench): Promise<SeededHome> {
  const { rows } = bench
  const schema = readdirSync(join(ROOT, 'packages/server/src/database/migrations')).sort()
  const version = createHash('sha256')
    .update(JSON.stringify([VERSION, schema, bench.devices]))
    .digest('hex')
  const name = `rows-${rows}-${version.slice(0, 12)}`
  const home = { ...bench.home(name), folder: join(CACHE, name) }
  const ready = join(home.folder, 'ready.json')
  if (!existsSync(ready)) {
    mkdirSync(CACHE, { recursive: true })
    for (const old of readdirSync(CACHE))
      if (old.startsWith(`rows-${rows}-`)) rmSync(join(CACHE, old), { recursive: true })
    const accounts = await fill(bench, home)
    writeFileSync(ready, JSON.stringify(accounts))
  }
  return {
    ...home,
    accounts: JSON.parse(readFileSync(ready, 'utf8')) as Account[],
    randomId: () => 1 + Math.floor(Math.random() * rows),
    numberOf: (id) => `+346${String((id * 61_803_399) % 100_000_000).padStart(8, '0')}`,
    guidOf: (id) => {
      const hex = (value: bigint, digits: number) => value.toString(16).padStart(digits, '0')
      const wide = BigInt(id)
      return `${hex((wide * 2654435761n) % 4294967296n, 8)}-${hex(wide % 65536n, 4)}-4000-8000-${hex(wide, 12)}`
    },
  }
}

async function fill(bench: Bench, home: Home): Promise<Account[]> {
  const began = performance.now()
  const server = await startBenchServer({ folder: home.folder, settings: home.settings })
  const access = await gainAccess(server)
  const accounts = await linkDevices(server, access, { count: bench.devices, prefix: 'seeded' })
  await server.stop()
  const db = new DatabaseSync(join(home.folder, 'data', DATABASE_FILE))
  // Nobody else has it open, and a seeding that breaks off is begun anew.
  db.exec(
    'pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -1000000; pragma temp_store = file',
  )
  const indexes = dropIndexes(db)
  const midnight_s = Math.floor(Date.now() / 86_400_000) * 86_400
  const scale = {
    rows: bench.rows,
    from_s: midnight_s - DAYS * 86_400,
    step_s: (DAYS * 86_400) / (bench.rows + 1),
  }
  for (let from = 1; from <= bench.rows; from += CHUNK) {
    const span = { ...scale, from, to: Math.min(bench.rows, from + CHUNK - 1), devices: bench.devices }
    db.exec('begin')
    db.exec(messagesOf(span))
    db.exec(attemptsOf(span))
    db.exec('commit')
    bench.say(`filling: ${span.to.toLocaleString('en')} messages`)
  }
  db.exec(`begin; ${REMEMBERED} ${COUNTED.join(';')}; commit`)
  for (const index of indexes) {
    db.exec(index)
    bench.say(`filling: ${/index (\w+)/i.exec(index)?.[1]}`)
  }
  db.exec('pragma journal_mode = wal')
  db.close()
  bench.say(`filled in ${Math.round((performance.now() - began) / 1_000)} s: ${home.folder}`)
  return accounts
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

type Span = { from: number; to: number; from_s: number; step_s: number; devices: number }

/** One in 50 has failed, one in 200 was answered, the others were delivered. */
function messagesOf({ from, to, from_s, step_s, devices }: Span): string {
  return `insert into messages (id, company_id, guid, device_id, device_guid, message, message_to, parts, priority, silent,
      queue_timestamp, handed_timestamp, answer_sent_timestamp, anwer_sent, answer_2_timestamp, answer_2,
      answer_3, answer_3_timestamp, notes, error, error_msg, error_timestamp, error_block, state, step, attempt,
      due_at, expires_at, completed_at, task, assigned_at, content_hash)
    with recursive ids(id) as (select ${from} union all select id + 1 from ids where id < ${to}),
    at as (select id, id % 50 = 0 as failed, id % 200 = 1 as replied, 1 + id % ${devices} as device,
      strftime('%Y-%m-%dT%H:%M:%S', ${from_s} + cast(id * ${step_s} as integer), 'unixepoch') as s from ids)
    select id, 1, printf('%08x-%04x-4000-8000-%012x', (id * 2654435761) % 4294967296, id % 65536, id),
      device, 'seeded-' || device, ${TEXT}, printf('+346%08d', (id * 61803399) % 100000000), 1, 1, 0,
      s || '.000Z', s || '.120Z', iif(failed, null, s || '.400Z'), iif(failed, null, 'sent'),
      iif(failed, null, s || '.900Z'), iif(failed, null, 'delivered'),
      iif(replied, 'Thank you', null), iif(replied, s || '.999Z', null), '1: given to seeded-' || device,
      iif(failed, 'no_network', null), iif(failed, 'There was no network for too long.', null),
      iif(failed, s || '.400Z', null), 0, case when failed then 'failed' when replied then 'replied' else 'delivered' end,
      'finished', 1, s || '.000Z', s || '.000Z', s || '.400Z', 1, s || '.050Z', hex(id)
    from at`
}

const TEXT = `'${textOf(0).replace(' 0 ', " ' || id || ' ")}'`

function attemptsOf({ from, to }: Span): string {
  return `insert into attempts (id, message_id, attempt, device_id, device_uid, parts, day, given_at, resend_at,
      accepted_at, sent_at, delivered_at, finished_at, state, code)
    select id, id, 1, device_id, device_guid, 1, substr(queue_timestamp, 1, 10), assigned_at, queue_timestamp,
      handed_timestamp, answer_sent_timestamp, answer_2_timestamp, completed_at,
      iif(error is null, 'delivered', 'failed'), error
    from messages where id between ${from} and ${to}`
}

/** Who wrote to whom in the last thirty days. */
const REMEMBERED = `insert or replace into recipients (company_id, number, device_id, last_at)
  select company_id, substr(message_to, -9), device_id, completed_at from messages
  where id > (select max(id) from messages) * ${(DAYS - 30) / DAYS} and error is null order by 2, id;`

/** As the server counts them: see \`messages/moving.ts\`; the days are those of UTC, which the measured server has. */
const COUNTED = [
  counters('state', 'substr(queue_timestamp, 1, 13)', 'state'),
  counters('handover', 'substr(queue_timestamp, 1, 13)', String(bucketOf(120))),
  counters('delivery', 'substr(queue_timestamp, 1, 13)', String(bucketOf(500)), 'error is null'),
  counters('sent', 'substr(completed_at, 1, 10)', 'device_id', 'error is null'),
  counters('delivered', 'substr(completed_at, 1, 10)', 'device_id', 'error is null'),
  counters('failed', 'substr(completed_at, 1, 10)', 'device_id', 'error is not null'),
  counters('failure', 'substr(completed_at, 1, 10)', 'error', 'error is not null'),
]

/** Of the last three days: older ones are removed. */
function counters(figure: string, period: string, key: string, where = 'true'): string {
  return `insert into counters (figure, company_id, period, key, count, last_at)
    select '${figure}', company_id, ${period}, cast(${key} as text), count(*), max(queue_timestamp) from messages
    where id > (select max(id) from messages) * ${(DAYS - 3) / DAYS} and ${where} group by 2, 3, 4`
}
