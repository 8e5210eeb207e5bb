import type { RowId } from './rows.ts'
import { load, watchStolen } from './machine.ts'
import type { BenchPostgres } from './postgres.ts'
import type { BenchServer, Home } from './server.ts'
import { type Spread, spreadOf } from './statistics.ts'

/** What every measurement is given. */
export type Bench = {
  /** A folder of this run alone; it goes with it. */
  readonly folder: string
  readonly rounds: number
  /** Messages of one round. */
  readonly messages: number
  readonly devices: number
  readonly connections: number
  /** Messages in the log of the rows that have one. */
  readonly rows: number
  readonly minutes: number
  /** Where the servers store, in place of SQLite. */
  readonly postgres: BenchPostgres | undefined
  say(line: string): void
  /** Where an installation of this name is. */
  home(name: string): Promise<Home>
  /**
   * Begins to count what these servers take, and PostgreSQL under them. What it returns notes how much that was for each
   * of so many.
   */
  costs(
    ...servers: BenchServer[]
  ): Promise<(sheet: ResultSheet, each: string, count: number) => Promise<void>>
  /** Stops a measured server, and remembers for how long its event loop was blocked. */
  close(server: BenchServer): Promise<void>
}

export type Measure = {
  ids: readonly RowId[]
  run(bench: Bench, wanted: ReadonlySet<RowId>): Promise<Result[]>
}

/** What came of a row. */
export type Result = {
  row: RowId
  /** In the row's unit. */
  value: Spread
  /** What else was seen, by name with its unit. */
  figures: Record<string, Spread>
  notes: string[]
  /** Processor of the generator while the row was measured, as a share of one core. */
  generator: number
  /** Load average when it was over. */
  load: number
  /** What the host gave to other machines meanwhile, as a share of one core. Runs before this was looked at lack it. */
  stolen?: number
}

/** Above this, the generator may be what is measured. */
const BUSY = 0.8

/** Collects what the rounds of one row give. */
export function openResult(row: RowId) {
  const seen = new Map<string, number[]>()
  const values: number[] = []
  const notes: string[] = []
  let [cpu_us, wall_us, stolen_us] = [0, 0, 0]
  return {
    row,
    value: (value: number) => void values.push(value),
    figure: (name: string, value: number) => void seen.getOrInsertComputed(name, () => []).push(value),
    note: (note: string) => void (notes.includes(note) || notes.push(note)),
    /** Runs what is measured, with an eye on the generator, this process, and on the machine. */
    async watched<T>(work: () => Promise<T>): Promise<T> {
      const [began, cpu, stolen] = [performance.now(), process.cpuUsage(), watchStolen()]
      const outcome = await work()
      const { user, system } = process.cpuUsage(cpu)
      const took_us = (performance.now() - began) * 1_000
      cpu_us += user + system
      wall_us += took_us
      stolen_us += stolen() * took_us
      return outcome
    },
    end(): Result {
      const [generator, stolen] = [cpu_us, stolen_us].map((us) => (wall_us === 0 ? 0 : us / wall_us)) as [
        number,
        number,
      ]
      if (generator > BUSY)
        notes.push(
          `the generator took ${Math.round(generator * 100)} % of a core: it may be what was measured`,
        )
      const figures = Object.fromEntries([...seen].map(([name, rounds]) => [name, spreadOf(rounds)]))
      return { row, value: spreadOf(values), figures, notes, generator, load: load(), stolen }
    },
  }
}
export type ResultSheet = ReturnType<typeof openResult>
