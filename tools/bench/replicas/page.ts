import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../../scripts/run.ts'
import { withSection } from '../page.ts'
import { shown } from '../statistics.ts'
import { type ReplicaRun, tablesOf } from './results.ts'

const PAGE = join(ROOT, 'docs/scaling.md')

/** Writes a run's results into docs/scaling.md, and returns the path. */
export function writeScaling(run: ReplicaRun): string {
  writeFileSync(PAGE, withSection(readFileSync(PAGE, 'utf8'), sectionOf(run), PAGE))
  return PAGE
}

export function sectionOf(run: ReplicaRun): string {
  const { cpu, cores, memory_gib, kernel, node, fsync_ms } = run.machine
  const { rounds, messages, devices } = run.asked
  const busiest = Math.max(...run.results.flatMap(({ batches, single }) => [batches.load, single.load]))
  return [
    tablesOf(run),
    '',
    `Measured ${run.at.slice(0, 16).replace('T', ' ')} UTC by \`npm run bench -- --replicas\`: ${cpu}, ${cores} cores, ` +
      `${memory_gib} GiB, ${kernel}, Node ${node}; ${run.database}. One client commits ` +
      `${shown(run.commits_per_s)} transactions a second there; 4 KiB on disk in ${shown(fsync_ms)} ms. The median of ${rounds} ` +
      `rounds of ${shown(messages)} messages for ${shown(devices)} devices; load average up to ${busiest.toFixed(1)}.` +
      (busiest > 4 * cores
        ? ' **Other work kept the machine busy: these times and rates say little, the processor times more.**'
        : ''),
    '',
  ].join('\n')
}
