import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DATABASE_FILE } from '../../packages/server/src/database/files.ts'
import type { Bench } from './bench.ts'
import type { Account } from './device.ts'
import { fillPostgres, untilIndexed } from './seed/postgres.ts'
import { bringUpToDate, fillSqlite, readThrough } from './seed/sqlite.ts'
import { DAYS } from './seed/statements.ts'
import { gainAccess, type Home, linkDevices, startBenchServer } from './server.ts'

/** An installation with a long history, and functions for its names. */
export type SeededHome = Home & {
  /** Its name in this run. */
  name: string
  accounts: readonly Account[]
  randomId(): number
  numberOf(id: number): string
  guidOf(id: number): string
}

/** To be incremented when the seed data changes. */
const VERSION = 3
const CACHE = join(tmpdir(), 'sdd-bench')

/**
 * An installation with this many finished messages, and their attempts, counters and search index. It is built once
 * with the server's own schema and kept in the temporary folder. If the schema changes, it is migrated like an
 * operator's, but without a backup. Without `keep` it is built for this run only.
 */
export async function seededHome(bench: Bench, { keep = true } = {}): Promise<SeededHome> {
  const { rows } = bench
  const name = `rows-${rows}-devices-${bench.devices}-${VERSION}`
  const of_run = await bench.home(name)
  // A PostgreSQL database is dropped after the run.
  const home = bench.postgres || !keep ? of_run : { ...of_run, folder: join(CACHE, name) }
  const ready = join(home.folder, 'ready.json')
  const path = join(home.folder, 'data', DATABASE_FILE)
  let accounts = existsSync(ready) ? (JSON.parse(readFileSync(ready, 'utf8')) as Account[]) : undefined
  if (accounts === undefined) {
    if (keep) removeOlder(rows)
    accounts = await fill(bench, home)
    writeFileSync(ready, JSON.stringify(accounts))
  } else if (!bench.postgres) {
    await bringUpToDate(path, bench.say, () => rmSync(ready))
    writeFileSync(ready, JSON.stringify(accounts))
  }
  if (!bench.postgres) readThrough(path, bench.say)
  return {
    ...home,
    name,
    accounts,
    randomId: () => 1 + Math.floor(Math.random() * rows),
    numberOf: (id) => `+346${String((id * 61_803_399) % 100_000_000).padStart(8, '0')}`,
    guidOf: (id) => {
      const hex = (value: bigint, digits: number) => value.toString(16).padStart(digits, '0')
      const wide = BigInt(id)
      return `${hex((wide * 2654435761n) % 4294967296n, 8)}-${hex(wide % 65536n, 4)}-4000-8000-${hex(wide, 12)}`
    },
  }
}

/** Removes logs of this size that were built for other devices or by an earlier version. */
function removeOlder(rows: number): void {
  mkdirSync(CACHE, { recursive: true })
  for (const old of readdirSync(CACHE))
    if (old.startsWith(`rows-${rows}-`)) rmSync(join(CACHE, old), { recursive: true })
}

async function fill(bench: Bench, home: Home): Promise<Account[]> {
  const began = performance.now()
  const server = await startBenchServer({ folder: home.folder, settings: home.settings })
  const access = await gainAccess(server)
  const accounts = await linkDevices(server, access, { count: bench.devices, prefix: 'seeded' })
  await server.stop()
  const midnight_s = Math.floor(Date.now() / 86_400_000) * 86_400
  const scale = {
    rows: bench.rows,
    devices: bench.devices,
    from_s: midnight_s - DAYS * 86_400,
    step_s: (DAYS * 86_400) / (bench.rows + 1),
  }
  const url = home.settings['DATABASE_URL']
  if (url === undefined) fillSqlite(join(home.folder, 'data', DATABASE_FILE), scale, bench.say)
  else {
    await fillPostgres(url, scale, bench.say)
    const indexing = await startBenchServer(home)
    await untilIndexed(url, scale, bench.say)
    await indexing.stop()
  }
  bench.say(`filled in ${Math.round((performance.now() - began) / 1_000)} s: ${home.folder}`)
  return accounts
}
