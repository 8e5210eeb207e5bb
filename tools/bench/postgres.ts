import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Connection,
  connect,
  patientSettingsOf,
} from '../../packages/storage/src/postgres/connection.ts'
import { startPostgres } from '../../scripts/postgres.ts'
import { cpuOfAll, parentOf } from './machine.ts'

/** The PostgreSQL of the measured servers. */
export type BenchPostgres = {
  /** Its version, and the settings it was started with. */
  readonly name: string
  /** Transactions a second of one client, each of which changes a row and syncs it to disk. */
  readonly commits_per_s: number
  /** A new, empty database of this name; dropped at the end. */
  newDatabase(name: string): Promise<string>
  /**
   * Analyses its tables now; by itself PostgreSQL would do so a minute later and plan without statistics until then.
   */
  settle(name: string): Promise<void>
  /** Its work so far. */
  look(): Promise<Work>
  stop(): Promise<void>
}
/** Processor time of all its processes, in µs; NaN if it runs on another machine. */
export type Work = { cpu_us: number; wal_bytes: number; deadlocks: number }

/** Commits are fully durable, as by default; the other settings suit a server of a few GiB. */
export const OWN_SETTINGS = [
  'fsync=on',
  'synchronous_commit=on',
  'full_page_writes=on',
  'max_connections=100',
  'shared_buffers=1GB',
  'max_wal_size=4GB',
  'checkpoint_timeout=15min',
]
/** Profiling has a small cost of its own. */
const PROFILING = ['shared_preload_libraries=pg_stat_statements', 'track_io_timing=on']

/** A PostgreSQL of the benchmark's own. With a folder, it lists the statements there that took most time. */
export async function startOwnPostgres(profile_folder: string | undefined): Promise<BenchPostgres> {
  const own = await startPostgres([...OWN_SETTINGS, ...(profile_folder ? PROFILING : [])])
  const bench = await openBenchPostgres(own.url, OWN_SETTINGS.join(', '))
  return {
    ...bench,
    async stop() {
      if (profile_folder) await writeStatements(own.url, profile_folder)
      await bench.stop()
      await own.stop()
    },
  }
}

/** An existing PostgreSQL, for a user who may create databases. */
export async function openBenchPostgres(url: string, settings = 'as it was found'): Promise<BenchPostgres> {
  const session = await connect(patientSettingsOf(url))
  const one = async <Row>(text: string) => (await session.send(text)).rows[0] as Row
  const { version } = await one<{ version: string }>(`select current_setting('server_version') as version`)
  const { pid } = await one<{ pid: number }>('select pg_backend_pid() as pid')
  const postmaster = parentOf(pid, 'postgres')
  const prefix = `sdd_bench_${Date.now().toString(36)}`
  const made: string[] = []
  const databaseOf = (name: string) => `${prefix}_${name.replaceAll(/\W/g, '_')}`
  const urlOf = (name: string) => Object.assign(new URL(url), { pathname: `/${databaseOf(name)}` }).href
  return {
    name: `PostgreSQL ${version.split(' ')[0]} (${settings})`,
    commits_per_s: await timeCommits(session),
    async newDatabase(name) {
      const database = databaseOf(name)
      if (!made.includes(database)) {
        await session.send(`create database ${database} encoding 'UTF8' template template0`)
        made.push(database)
      }
      return urlOf(name)
    },
    async settle(name) {
      const its = await connect(patientSettingsOf(urlOf(name)))
      await its.send('vacuum analyze')
      await its.close()
    },
    async look() {
      const { wal_bytes } = await one<{ wal_bytes: number }>(
        `select pg_current_wal_insert_lsn() - '0/0' as wal_bytes`,
      )
      const { deadlocks } = await one<{ deadlocks: number }>(
        'select sum(deadlocks) as deadlocks from pg_stat_database',
      )
      return { cpu_us: postmaster === undefined ? NaN : cpuOfAll(postmaster), wal_bytes, deadlocks }
    },
    async stop() {
      for (const database of made) await session.send(`drop database if exists ${database} with (force)`)
      await session.close()
    },
  }
}

/** The slowest statements come first. */
async function writeStatements(url: string, folder: string): Promise<void> {
  const session = await connect(patientSettingsOf(url))
  await session.send('create extension pg_stat_statements')
  const { rows } = await session.send(
    `select round(total_exec_time) as ms, round(total_plan_time) as plan_ms, calls, rows as of_rows,
        round(wal_bytes / 1024) as wal_kib, wal_fpi, regexp_replace(query, '[[:space:]]+', ' ', 'g') as text
      from pg_stat_statements order by total_exec_time + total_plan_time desc limit 100`,
  )
  await session.close()
  const lines = (rows as Record<string, unknown>[]).map((row) => Object.values(row).join('\t'))
  const head = 'ms\tplanning ms\tcalls\trows\tWAL KiB\tfull pages\tstatement'
  writeFileSync(join(folder, 'statements.tsv'), `${[head, ...lines].join('\n')}\n`)
}

const COMMITS_FOR_MS = 1_500

async function timeCommits(session: Connection): Promise<number> {
  await session.send('create table if not exists sdd_bench_commits (count bigint not null)')
  await session.send('truncate sdd_bench_commits; insert into sdd_bench_commits values (0)')
  const began = performance.now()
  let commits = 0
  for (; performance.now() - began < COMMITS_FOR_MS; commits++)
    await session.send('update sdd_bench_commits set count = count + 1')
  const per_s = (commits * 1_000) / (performance.now() - began)
  await session.send('drop table sdd_bench_commits')
  return per_s
}
