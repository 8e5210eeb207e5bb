import { killAll } from '../children.ts'
import type { Bench } from '../bench.ts'
import { describeMachine } from '../machine.ts'
import { saveRun } from '../results.ts'
import { measureReplicas } from './measure.ts'
import { writeScaling } from './page.ts'
import { REPLICA_RESULTS, type ReplicaRun, tablesOf } from './results.ts'

/** Measures each number of servers in turn, prints the results and stores them. Resolves to the exit status. */
export async function runReplicas(
  bench: Bench,
  { counts, save }: { counts: readonly number[]; save: boolean },
): Promise<number> {
  const { rounds, messages, devices, postgres } = bench
  const run: ReplicaRun = {
    at: new Date().toISOString(),
    machine: describeMachine(bench.folder),
    database: postgres!.name,
    commits_per_s: postgres!.commits_per_s,
    asked: { rounds, messages, devices },
    results: [],
  }
  let failed = false
  for (const replicas of counts) {
    try {
      const { batches, single, connections } = await measureReplicas(bench, replicas)
      run.results.push({
        replicas,
        batches: batches.end(),
        single: single.end(),
        connections: connections.end(),
      })
    } catch (error) {
      failed = true
      bench.say(`${replicas} servers: ${(error as Error).stack}`)
      killAll()
    }
  }
  process.stdout.write(`${tablesOf(run)}\n`)
  if (save && run.results.length > 0)
    for (const path of [saveRun(run, REPLICA_RESULTS), writeScaling(run)]) process.stdout.write(`${path}\n`)
  return failed ? 1 : 0
}
