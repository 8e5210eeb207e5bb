import { parseArgs } from 'node:util'
import { main } from './run.ts'
import { reportOf } from './torture/report.ts'
import { torture } from './torture/torture.ts'

/**
 * `npm run torture [-- --seed N]`: the whole product under load, its server killed more than a hundred times, its devices cut off
 * and killed; then what everybody has in writing is compared (docs/reliability.md). The seed makes the plan and every
 * choice; what the machine does in between is its own.
 */
const options = {
  seed: ['', 'repeats the plan and the choices of an earlier run'],
  messages: ['10000', 'how many messages'],
  kills: ['110', 'how many kills of the server'],
  devices: ['20', 'how many devices'],
  failing: ['0.01', 'share of messages that fail in passing; each is tried again after 10 s, then 60 s'],
  'ready-secs': ['5', 'it must serve again within so long of each start'],
} as const

await main(async () => {
  if (process.argv.includes('--help')) return console.log(usage())
  const names = Object.fromEntries(Object.keys(options).map((name) => [name, { type: 'string' as const }]))
  const { values } = parseArgs({ options: names })
  const textOf = (name: keyof typeof options) => (values[name] as string | undefined) ?? options[name][0]
  const numberOf = (name: keyof typeof options, [least, most] = [1, 1_000_000]) => {
    const value = Number(textOf(name))
    if (value >= least! && value <= most!) return value
    throw new Error(`--${name} must be a number from ${least} to ${most}, not ${textOf(name)}`)
  }
  const needs = {
    seed: textOf('seed') || String(Math.floor(Math.random() * 1e9)),
    messages: numberOf('messages'),
    kills: numberOf('kills'),
    devices: numberOf('devices'),
    failing: numberOf('failing', [0, 0.5]),
    ready_within_ms: numberOf('ready-secs') * 1_000,
  }
  console.log(
    `seed ${needs.seed}: ${needs.messages} messages, ${needs.kills} kills, ${needs.devices} devices`,
  )
  const outcome = await torture({
    ...needs,
    kill_within_ms: 15 * 60_000,
    settle_within_ms: 3 * 60_000,
    say: (line) => console.log(line),
  })
  for (const line of reportOf(outcome)) console.log(line)
  return outcome.faults.length === 0 ? 0 : 1
})

function usage(): string {
  const lines = Object.entries(options).map(
    ([name, [usual, meaning]]) => `  --${name.padEnd(12)} ${meaning}${usual && ` (${usual})`}`,
  )
  return ['npm run torture -- [options]', '', ...lines].join('\n')
}
