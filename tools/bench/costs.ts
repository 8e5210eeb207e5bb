import type { ResultSheet } from './bench.ts'
import type { BenchPostgres } from './postgres.ts'
import type { BenchServer } from './server.ts'

/** Starts counting; the returned function notes the cost of each of this many items, see `Bench`. */
export async function beginCosts(servers: readonly BenchServer[], postgres: BenchPostgres | undefined) {
  const cpu_us = () => servers.reduce((sum, { child }) => sum + child.cpu(), 0)
  const commits = () => (postgres === undefined ? 0 : sumOf(servers, 'sdd_commit_seconds_count'))
  const before = { cpu_us: cpu_us(), commits: await commits(), postgres: await postgres?.look() }

  return async (sheet: Pick<ResultSheet, 'figure'>, each: string, count: number): Promise<void> => {
    sheet.figure(`CPU µs a ${each}`, (cpu_us() - before.cpu_us) / count)
    const after = await postgres?.look()
    if (after === undefined || before.postgres === undefined) return
    const { cpu_us: cpu_before_us, wal_bytes } = before.postgres
    if (Number.isFinite(after.cpu_us))
      sheet.figure(`PostgreSQL CPU µs a ${each}`, (after.cpu_us - cpu_before_us) / count)
    sheet.figure(`WAL bytes a ${each}`, (after.wal_bytes - wal_bytes) / count)
    sheet.figure(`commits a ${each}`, ((await commits()) - before.commits) / count)
  }
}

async function sumOf(servers: readonly BenchServer[], name: string): Promise<number> {
  const figures = await Promise.all(servers.map((server) => server.figures()))
  return figures.reduce((sum, each) => sum + (each.get(name) ?? 0), 0)
}
