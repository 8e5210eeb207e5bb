import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../scripts/run.ts'
import type { Result } from './bench.ts'
import type { Machine } from './machine.ts'
import { type Engine, judge, type Row, rowsOn, type Verdict } from './rows.ts'
import { shown, type Spread } from './statistics.ts'

/** The stored form of one run. */
export type Run = {
  at: string
  machine: Machine
  asked: {
    rounds: number
    rows: number
    minutes: number
    messages: number
    devices: number
    /** SQLite, or the PostgreSQL's version and settings. */
    database: string
  }
  /** Transactions that one client of PostgreSQL commits in a second. */
  commits_per_s?: number | undefined
  results: Result[]
}

export const RESULTS = join(ROOT, 'tools/bench/results')

/** Writes the run to a new file and returns its path. */
export function saveRun(run: { at: string }, folder = RESULTS): string {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${run.at.slice(0, 19).replaceAll(':', '')}.json`)
  writeFileSync(path, `${JSON.stringify(run, round, 2)}\n`)
  return path
}

/** Measurements are not more exact than four digits. */
function round(_: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value
}

/** All stored runs, the oldest first. */
export function readRuns(folder = RESULTS): Run[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return names.sort().map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Run)
}

function engineOf({ database }: Pick<Run['asked'], 'database'>): Engine {
  return database.startsWith('PostgreSQL') ? 'PostgreSQL' : 'SQLite'
}

/** The newest result of each row, with its run. */
export type Newest = { row: Row; result: Result; run: Run }

export function newestOf(runs: readonly Run[], engine: Engine): Newest[] {
  return rowsOn(engine).flatMap((row) => {
    for (const run of runs.toReversed()) {
      if (engineOf(run.asked) !== engine) continue
      const result = run.results.find((one) => one.row === row.id)
      if (result) return { row, result, run }
    }
    return []
  })
}

export const MARKS: Record<Verdict, string> = { goal: '✓ goal', floor: '· floor', below: '✗ below the floor' }

/** The widest name of a row, and a space. */
const INDENT = 20

/** A run as the terminal shows it. */
export function inWords({ machine, asked, results }: Pick<Run, 'asked' | 'results'> & Partial<Run>): string {
  const rows = rowsOn(engineOf(asked))
  const lines = machine
    ? [
        '',
        `${machine.cpu}, ${machine.cores} cores, ${machine.memory_gib} GiB, Node ${machine.node}; ` +
          `4 KiB on disk in ${shown(machine.fsync_ms)} ms`,
      ]
    : []
  for (const { row: id, value, figures, notes, ...around } of results) {
    const row = rows.find((one) => one.id === id)!
    const verdict = Number.isFinite(value.median) ? MARKS[judge(row, value.median)] : 'no ratio'
    lines.push(
      '',
      `${id.padEnd(INDENT)}${row.title}`,
      `${' '.repeat(INDENT)}${spreadInWords(value)} ${row.unit}   floor ${row.floor}, goal ${row.goal}: ${verdict}`,
      ...Object.entries(figures).map(
        ([name, spread]) => `${' '.repeat(INDENT + 2)}${name}: ${spreadInWords(spread)}`,
      ),
      `${' '.repeat(INDENT + 2)}${aroundInWords(around).join('; ')}`,
      ...notes.map((note) => `${' '.repeat(INDENT + 2)}${note}`),
    )
  }
  return `${lines.join('\n')}\n`
}

/** The other load on the machine. */
export function aroundInWords({
  generator,
  load,
  stolen,
}: Pick<Result, 'generator' | 'load' | 'stolen'>): string[] {
  const percent = (share: number) => `${shown(Math.round(share * 1_000) / 10)} % of a core`
  return [
    `generator ${percent(generator)}`,
    `load average ${load.toFixed(1)}`,
    ...(stolen === undefined ? [] : [`the host gave others ${percent(stolen)}`]),
  ]
}

export function spreadInWords({ median, min, max }: Spread): string {
  if (!Number.isFinite(median)) return '–'
  return min === max ? shown(median) : `${shown(median)} (${shown(min)}–${shown(max)})`
}
