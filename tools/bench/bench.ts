import type { RowId } from './rows.ts'
import { load, watchStolen } from './machine.ts'
import type { Costs } from './costs.ts'
import type { BenchPostgres } from './postgres.ts'
import type { BenchServer, Home } from './server.ts'
import { type Spread, spreadOf } from './statistics.ts'

/** The environment of every measurement. */
export type Bench = {
  /** A folder of this run only, removed at its end. */
  readonly folder: string
  readonly rounds: number
  /** Messages of one round. */
  readonly messages: number
  readonly devices: number
  readonly connections: number
  /** Messages in the log of the rows that have one. */
  readonly rows: number
  readonly minutes: number
  /** Where the servers store, instead of SQLite. */
  readonly postgres: BenchPostgres | undefined
  say(line: string): void
  /** The installation of this name. */
  home(name: string): Promise<Home>
  /**
   * Starts counting the resources of these servers, and of PostgreSQL under them. The returned function notes and
   * returns how much that was per item, for this many items.
   */
  costs(
    ...servers: BenchServer[]
  ): Promise<(sheet: Pick<ResultSheet, 'figure'>, each: string, count: number) => Promise<Costs>>
  /** Stops a measured server, and notes the longest time its event loop was blocked. */
  close(server: BenchServer): Promise<void>
}

export type Measure = {
  ids: readonly RowId[]
  run(bench: Bench, wanted: ReadonlySet<RowId>): Promise<Result[]>
}

/** The result of a row. */
export type Result = {
  row: RowId
  /** In the row's unit. */
  value: Spread
  /** Other measured values, by name with their unit. */
  figures: Record<string, Spread>
  notes: string[]
  /** The generator's processor use during the row, as a share of one core. */
  generator: number
  /** Load average at the end of the row. */
  load: number
  /** Processor time that the host gave to other machines, as a share of one core. Older runs lack it. */
  stolen?: number
}

/** Above this share, the generator itself may be the bottleneck. */
const BUSY = 0.8

/** Runs a measurement that gives the values of several rows. */
export function watchedBy<T>(sheets: readonly ResultSheet[], work: () => Promise<T>): Promise<T> {
  return sheets.reduce((inner, sheet) => () => sheet.watched(inner), work)()
}

/** Collects the results of one row's rounds. */
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
    /** Runs a measurement while observing the generator, which is this process, and the machine. */
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
          `the generator took ${Math.round(generator * 100)} % of a core: it may have been the bottleneck`,
        )
      const figures = Object.fromEntries([...seen].map(([name, rounds]) => [name, spreadOf(rounds)]))
      return { row, value: spreadOf(values), figures, notes, generator, load: load(), stolen }
    },
  }
}
export type ResultSheet = ReturnType<typeof openResult>
