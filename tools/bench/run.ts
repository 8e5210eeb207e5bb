import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../../scripts/run.ts'
import type { Bench, Measure, Result } from './bench.ts'
import { openBystander } from './bystander.ts'
import { killAll } from './children.ts'
import { describeMachine, load, watchStolen } from './machine.ts'
import { accept } from './measures/accept.ts'
import { connections } from './measures/connections.ts'
import { disk } from './measures/disk.ts'
import { doors } from './measures/doors.ts'
import { growth } from './measures/growth.ts'
import { campaign } from './measures/campaign.ts'
import { conversations } from './measures/conversations.ts'
import { hours } from './measures/hours.ts'
import { handover } from './measures/handover.ts'
import { log } from './measures/log.ts'
import { memory } from './measures/memory.ts'
import { packets } from './measures/packets.ts'
import { passwords } from './measures/passwords.ts'
import { routes } from './measures/routes.ts'
import { start } from './measures/start.ts'
import { status } from './measures/status.ts'
import { throughput } from './measures/throughput.ts'
import { HELP, type Options, readOptions } from './options.ts'
import { writePage } from './page.ts'
import { inWords, type Run, saveRun } from './results.ts'
import { beginCosts } from './costs.ts'
import { type BenchPostgres, openBenchPostgres, startOwnPostgres } from './postgres.ts'
import { runReplicas } from './replicas/run.ts'
import type { BenchServer } from './server.ts'
import { shown, spreadOf } from './statistics.ts'

const MEASURES: readonly Measure[] = [
  throughput,
  packets,
  accept,
  doors,
  handover,
  campaign,
  conversations,
  hours,
  routes,
  connections,
  status,
  log,
  start,
  growth,
  disk,
  memory,
  passwords,
]
/** Measurements with a long log. */
const OVER_A_LOG: readonly Measure[] = [log, start, growth]
const SCRATCH = join(ROOT, 'tools/bench/scratch')

/**
 * Runs the measurements that the command line names, prints the results and stores them. Resolves to the exit status.
 */
export async function runBench(args: readonly string[]): Promise<number> {
  const options = readOptions(args)
  if (options === 'help') {
    process.stdout.write(HELP)
    return 0
  }
  // Makes 'exit' fire, so that started programs end with this process.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  if (options.replicas.length > 0) return benchReplicas(options)
  let saved = ''
  const { run, failed } = await measure(options, {
    say: (line) => process.stderr.write(`${line}\n`),
    // The first and the last row may be hours apart, so results are stored at once.
    found(run) {
      if (options.save) saved = saveRun(run)
    },
  })
  process.stdout.write(inWords(run))
  if (saved) for (const path of [saved, ...writePage()]) process.stdout.write(`${path}\n`)
  return failed ? 1 : 0
}

async function benchReplicas(options: Options): Promise<number> {
  const { replicas: counts, save } = options
  const run = await openRun(options, (line) => process.stderr.write(`${line}\n`))
  try {
    return await runReplicas(run.bench, { counts, save })
  } finally {
    await run.close()
  }
}

/**
 * Measures row after row; a server or database for one row is started for it and stopped after it. A failing row is
 * reported, and the others are still measured.
 */
export async function measure(
  options: Options,
  { say, found }: { say(line: string): void; found(run: Run): unknown },
): Promise<{ run: Run; failed: boolean }> {
  const began = new Date()
  const { bench, blocked, close } = await openRun(options, say)
  const stolen = watchStolen()
  const { folder, postgres } = bench
  const machine = describeMachine(folder)
  const { rounds, rows, minutes, messages, devices } = options
  const database = postgres?.name ?? 'SQLite'
  const asked = { rounds, rows, minutes, messages, devices, database }
  const run: Run = {
    at: began.toISOString(),
    machine,
    asked,
    ...(postgres && { commits_per_s: postgres.commits_per_s }),
    results: [],
  }
  let failed = false
  try {
    for (const one of MEASURES) {
      const ids = one.ids.filter((id) => options.wanted.has(id)).join(', ')
      if (ids === '') continue
      // Data that an earlier row left unwritten must not count here.
      await promisify(execFile)('sync')
      say(`${ids}: load ${load().toFixed(2)}`)
      await blocked.begin(ids)
      try {
        const results = await one.run(bench, options.wanted)
        for (const { notes } of results) notes.push(...lessOf(options, one))
        say(inWords({ asked, results }).trimEnd())
        run.results.push(...results)
        found(run)
      } catch (error) {
        failed = true
        say(`${ids}: ${(error as Error).message}`)
        killAll()
      }
    }
  } finally {
    await close()
  }
  if (options.wanted.has('loop') && blocked.servers.length > 0) {
    run.results.push(loopOf(blocked.servers, stolen()))
    found(run)
  }
  return { run, failed }
}

/** How long a server's event loop was blocked, next to the delay of an idle thread on the same machine. */
type Blocked = { beside: string; longest_ms: number; p99_ms: number; bystander_ms: number }

function openBlocked() {
  const bystander = openBystander()
  const servers: Blocked[] = []
  let beside = ''
  return {
    servers,
    /** The next measurement. */
    async begin(rows: string) {
      beside = rows
      await bystander.longest()
    },
    async ended(server: BenchServer) {
      const bystander_ms = await bystander.longest()
      const figures = await server.figures()
      const delay_ms = (quantile: string) =>
        figures.get(`sdd_event_loop_delay_seconds{quantile="${quantile}"}`)! * 1_000
      servers.push({ beside, longest_ms: delay_ms('1'), p99_ms: delay_ms('0.99'), bystander_ms })
    },
    close: () => bystander.close(),
  }
}

/** The environment of one run. */
export async function openRun(options: Options, say: (line: string) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-bench-run-'))
  const blocked = openBlocked()
  const profile_folder = options.profile ? SCRATCH : undefined
  if (profile_folder) mkdirSync(profile_folder, { recursive: true })
  const postgres = await openPostgresOf(options, profile_folder)
  return {
    bench: openBench(options, { folder, profile_folder, postgres, say, blocked }),
    blocked,
    async close() {
      await blocked.close()
      await postgres?.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function openPostgresOf(
  { database }: Options,
  profile_folder: string | undefined,
): Promise<BenchPostgres> | undefined {
  if (database === 'SQLite') return undefined
  return database === 'own' ? startOwnPostgres(profile_folder) : openBenchPostgres(database.href)
}

function openBench(
  options: Options,
  needs: {
    folder: string
    profile_folder: string | undefined
    postgres: BenchPostgres | undefined
    say: (line: string) => void
    blocked: ReturnType<typeof openBlocked>
  },
): Bench {
  const { folder, profile_folder, postgres, say, blocked } = needs
  return {
    ...options,
    folder,
    connections: 64,
    postgres,
    say,
    home: async (name) => ({
      folder: join(folder, name),
      settings: await settingsOf(postgres, name),
      profile_folder,
    }),
    costs: (...servers) => beginCosts(servers, postgres),
    async close(server) {
      await blocked.ended(server)
      await server.stop()
    },
  }
}

async function settingsOf(
  postgres: BenchPostgres | undefined,
  name: string,
): Promise<Record<string, string>> {
  return postgres ? { DATABASE_URL: await postgres.newDatabase(name) } : {}
}

/** How the options differ from the titles of the rows. */
function lessOf({ rows, devices }: Options, measure: Measure): string[] {
  const notes = []
  if (rows !== 10_000_000 && OVER_A_LOG.includes(measure))
    notes.push(`with ${shown(rows)} messages in the log`)
  if (devices !== 1_000 && measure !== accept) notes.push(`with ${devices} devices for 1,000`)
  return notes
}

/** For all servers of the run, each counted since it was ready. */
function loopOf(servers: readonly Blocked[], stolen: number): Result {
  const longest = spreadOf(servers.map(({ longest_ms }) => longest_ms))
  const beside = Map.groupBy(servers, (one) => one.beside)
  return {
    row: 'loop',
    value: { ...longest, median: longest.max },
    figures: {
      ...Object.fromEntries(
        [...beside].map(([rows, some]) => [
          `longest of ${rows}, ms`,
          spreadOf(some.map(({ longest_ms }) => longest_ms)),
        ]),
      ),
      'p99 ms': spreadOf(servers.map(({ p99_ms }) => p99_ms)),
      'longest of an idle thread at the same time, ms': spreadOf(
        servers.map(({ bystander_ms }) => bystander_ms),
      ),
    },
    notes: [],
    generator: 0,
    load: load(),
    stolen,
  }
}
