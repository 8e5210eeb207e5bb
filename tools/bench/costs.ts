import type { ResultSheet } from './bench.ts'
import type { BenchPostgres } from './postgres.ts'
import type { BenchServer } from './server.ts'

/** The cost of each item. Those of PostgreSQL are 0 on SQLite; its time is NaN if it runs on another machine. */
export type Costs = { cpu_us: number; postgres_cpu_us: number; wal_bytes: number }

/** Starts counting; the returned function notes the cost of each of this many items, see `Bench`. */
export async function beginCosts(servers: readonly BenchServer[], postgres: BenchPostgres | undefined) {
  const cpu_us = () => servers.reduce((sum, { child }) => sum + child.cpu(), 0)
  const commits = () => (postgres === undefined ? 0 : sumOf(servers, 'sdd_commit_seconds_count'))
  const before = { cpu_us: cpu_us(), commits: await commits(), postgres: await postgres?.look() }

  return async (sheet: Pick<ResultSheet, 'figure'>, each: string, count: number): Promise<Costs> => {
    const each_us = (cpu_us() - before.cpu_us) / count
    sheet.figure(`CPU µs a ${each}`, each_us)
    const after = await postgres?.look()
    if (after === undefined || before.postgres === undefined)
      return { cpu_us: each_us, postgres_cpu_us: 0, wal_bytes: 0 }
    const postgres_cpu_us = (after.cpu_us - before.postgres.cpu_us) / count
    const wal_bytes = (after.wal_bytes - before.postgres.wal_bytes) / count
    if (Number.isFinite(postgres_cpu_us)) sheet.figure(`PostgreSQL CPU µs a ${each}`, postgres_cpu_us)
    sheet.figure(`WAL bytes a ${each}`, wal_bytes)
    sheet.figure(`commits a ${each}`, ((await commits()) - before.commits) / count)
    return { cpu_us: each_us, postgres_cpu_us, wal_bytes }
  }
}

async function sumOf(servers: readonly BenchServer[], name: string): Promise<number> {
  const figures = await Promise.all(servers.map((server) => server.figures()))
  return figures.reduce((sum, each) => sum + (each.get(name) ?? 0), 0)
}
