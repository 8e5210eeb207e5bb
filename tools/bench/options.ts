import { parseArgs } from 'node:util'
import { type Engine, type RowId, rows, rowsOn } from './rows.ts'

export type Options = {
  /** The rows to measure. */
  wanted: ReadonlySet<RowId>
  rounds: number
  /** Messages in the log of the rows that have one. */
  rows: number
  minutes: number
  /** Messages of one round, and devices. Smaller numbers only show that it works. */
  messages: number
  devices: number
  /** Where the server stores: SQLite, the benchmark's own PostgreSQL, or the one at this URL. */
  database: 'SQLite' | 'own' | URL
  /** Numbers of servers to measure, instead of the rows. */
  replicas: readonly number[]
  save: boolean
  profile: boolean
}

export const HELP = `npm run bench [-- row …] [options]

Measures this server next to Kannel and node:http, and writes the results to tools/bench/results and docs/performance.md.

rows (all by default)
${rows.map(({ id, title, marks }) => `  ${id.padEnd(20)}${title}${onlyOn(Object.keys(marks))}`).join('\n')}

options
  --rounds N      of each row; their median is shown (5)
  --rows N        messages in the long log (10000000); filled once and kept in the temporary folder. The row growth
                  also takes a tenth and a thousandth of them
  --minutes N     how long the row memory lasts (2); 60 show whether its tables stay small
  --messages N    of one round (10000); the row disk takes ten times as many
  --devices N     connected devices (1000). The rows idle and reconnect take ten times as many, packets, the rows named
                  after it and busy-page five times
  --postgres      measures on its own PostgreSQL instead of SQLite
  --database URL  measures on this PostgreSQL, in databases that it creates and drops there
  --replicas A..B instead of the rows: A to B servers over one PostgreSQL, with 4000 messages a round unless more are
                  named, to docs/scaling.md
  --no-save       only prints
  --profile       the server writes a profile of its processor time to tools/bench/scratch
`

function onlyOn(engines: readonly string[]): string {
  return engines.length === 1 ? ` (only on ${engines[0]})` : ''
}

/** Parses the command line, or throws an Error that names the fault. */
export function readOptions(args: readonly string[]): Options | 'help' {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '5' },
      rows: { type: 'string', default: '10000000' },
      minutes: { type: 'string', default: '2' },
      messages: { type: 'string' },
      devices: { type: 'string', default: '1000' },
      postgres: { type: 'boolean', default: false },
      database: { type: 'string' },
      replicas: { type: 'string' },
      'no-save': { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const known = new Set<string>(rows.map(({ id }) => id))
  const unknown = positionals.filter((name) => !known.has(name))
  if (unknown.length > 0)
    throw new Error(`There is no row ${unknown.join(', ')}; there are ${[...known].join(', ')}`)
  // Several servers share a PostgreSQL.
  const database = databaseOf({ ...values, postgres: values.postgres || values.replicas !== undefined })
  const replicas = values.replicas === undefined ? [] : range('replicas', values.replicas)
  if (replicas.length > 0 && positionals.length > 0) throw new Error('--replicas measures no rows')
  return {
    wanted: wantedOf(positionals as RowId[], database === 'SQLite' ? 'SQLite' : 'PostgreSQL'),
    rounds: count('rounds', values.rounds, 1, 1_000),
    rows: count('rows', values.rows, 1_000, 100_000_000),
    minutes: count('minutes', values.minutes, 0.05, 10_000),
    messages: count('messages', values.messages ?? (replicas.length > 0 ? '4000' : '10000'), 10, 1_000_000),
    devices: count('devices', values.devices, 2, 2_000),
    database,
    replicas,
    save: !values['no-save'],
    profile: values.profile,
  }
}

/** The named rows, or all of the engine. */
function wantedOf(named: readonly RowId[], engine: Engine): Set<RowId> {
  const measured = new Set(rowsOn(engine).map(({ id }) => id))
  for (const id of named)
    if (!measured.has(id))
      throw new Error(
        `The row ${id} is not measured on ${engine}${engine === 'SQLite' ? ': add --postgres or --database' : ''}`,
      )
  return new Set(named.length > 0 ? named : measured)
}

function databaseOf({ postgres, database }: { postgres: boolean; database?: string }): Options['database'] {
  if (database === undefined) return postgres ? 'own' : 'SQLite'
  const url = URL.parse(database)
  if (url && /^postgres(ql)?:$/.test(url.protocol)) return url
  throw new Error('--database must be a URL, postgres://user:password@host/name')
}

/** `1..3`, or one number. */
function range(name: string, value: string): number[] {
  const [, from, until = from] = /^(\d)(?:\.\.(\d))?$/.exec(value) ?? []
  const [least, most] = [Number(from), Number(until)]
  if (least >= 1 && most >= least)
    return Array.from({ length: most - least + 1 }, (_, place) => least + place)
  throw new Error(`--${name} must be a number, or two as 1..3, up to 9; it is ${value}`)
}

function count(name: string, value: string, least: number, most: number): number {
  const number = Number(value)
  if (number >= least && number <= most) return number
  throw new Error(`--${name} must be a number, ${least} to ${most}; it is ${value}`)
}
