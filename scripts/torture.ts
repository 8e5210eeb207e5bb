import { parseArgs } from 'node:util'
import { startPostgres } from './postgres.ts'
import { main } from './run.ts'
import { reportOf } from './torture/report.ts'
import { torture } from './torture/torture.ts'

/**
 * `npm run torture [-- --seed N]`: the whole product under load, its server killed more than a hundred times, its
 * devices cut off and killed; then what everybody has in writing is compared (docs/reliability.md). The seed makes the
 * plan and every choice; what the machine does in between is its own.
 */
const options = {
  seed: ['', 'repeats the plan and the choices of an earlier run'],
  messages: ['10000', 'how many messages'],
  kills: ['110', 'how many kills of the server'],
  devices: ['20', 'how many devices'],
  failing: ['0.01', 'share of messages that fail in passing; each is tried again after 10 s, then 60 s'],
  'ready-secs': ['5', 'it must serve again within so long of each start'],
} as const

type Name = keyof typeof options

const KILLING_MS = 20 * 60_000
const SETTLING_MS = 3 * 60_000

await main(async () => {
  if (process.argv.includes('--help')) return console.log(usage())
  const { values, postgres } = readArgs()
  const numberOf = (name: Name, least = 1, most = 1_000_000) => {
    const value = Number(values[name])
    if (value >= least && value <= most) return value
    throw new Error(`--${name} must be a number from ${least} to ${most}, not ${values[name]}`)
  }
  const needs = {
    seed: values.seed || String(Math.floor(Math.random() * 1e9)),
    messages: numberOf('messages'),
    kills: numberOf('kills'),
    devices: numberOf('devices'),
    failing: numberOf('failing', 0, 0.5),
    ready_within_ms: numberOf('ready-secs') * 1_000,
    kill_within_ms: KILLING_MS,
    settle_within_ms: SETTLING_MS,
    say: (line: string) => console.log(line),
  }
  const { seed, messages, kills, devices } = needs
  console.log(`seed ${seed}: ${messages} messages, ${kills} kills, ${devices} devices`)
  const database = postgres ? await startPostgres() : undefined
  try {
    const outcome = await torture({ ...needs, database_url: database?.url })
    for (const line of reportOf(outcome)) console.log(line)
    return outcome.faults.length === 0 ? 0 : 1
  } finally {
    await database?.stop()
  }
})

function readArgs(): { values: Record<Name, string>; postgres: boolean } {
  const texts = Object.keys(options).map((name) => [name, { type: 'string' as const }])
  const { values } = parseArgs({
    options: { ...Object.fromEntries(texts), postgres: { type: 'boolean' as const } },
  }) as { values: Record<string, string | boolean | undefined> }
  const usual = Object.entries(options).map(([name, [value]]) => [name, values[name] ?? value])
  return {
    values: Object.fromEntries(usual) as Record<Name, string>,
    postgres: values['postgres'] === true,
  }
}

function usage(): string {
  const lines = Object.entries(options).map(
    ([name, [usual, meaning]]) => `  --${name.padEnd(12)} ${meaning}${usual && ` (${usual})`}`,
  )
  const postgres = '  --postgres     on a PostgreSQL that is started for it, in place of the embedded SQLite'
  return ['npm run torture -- [options]', '', ...lines, postgres].join('\n')
}
