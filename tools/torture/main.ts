import { parseArgs } from 'node:util'
import { startPostgres } from '../../scripts/postgres.ts'
import { main } from '../../scripts/run.ts'
import { HAPROXY_DRAIN_SECS, hasHaproxy, startHaproxy } from './replicas/balancer.ts'
import { type Kind, kinds, planFaults } from './replicas/faults.ts'
import { reportOfSeveral } from './replicas/report.ts'
import { tortureSeveral } from './replicas/several.ts'
import { reportOf } from './report.ts'
import { torture } from './torture.ts'

/**
 * `npm run torture [-- --seed N]`: the whole product under load. Its server is killed more than a hundred times, its
 * devices are cut off and killed; then the records of all parties are compared (docs/reliability.md). With `--replicas
 * 3`, several servers run behind HAProxy over a PostgreSQL and meet each kind of fault. The seed determines the plan
 * and every choice; the machine's timing is still its own.
 */
const options = {
  seed: ['', 'repeats the plan and the choices of an earlier run'],
  devices: ['20', 'how many devices'],
  failing: ['0.01', 'share of messages with a temporary failure; each is retried after 10 s, then 60 s'],
  messages: ['10000', 'one server: how many messages'],
  kills: ['110', 'one server: how many kills of it'],
  'ready-secs': ['5', 'one server: the longest time from a start until it serves'],
  replicas: ['', 'this many servers behind HAProxy, over a PostgreSQL that is started for them'],
  rounds: ['2', 'several servers: how often each kind of fault comes'],
  only: ['', `several servers: only these faults, separated by commas: ${Object.keys(kinds).join(', ')}`],
  rate: ['10', 'several servers: messages a second'],
  'freeze-secs': ['120', 'several servers: how long one sleeps'],
  'cut-secs': ['40', 'several servers: the longest time one is cut off; the shortest is half of it'],
} as const

type Name = keyof typeof options

const KILLING_MS = 20 * 60_000
const SETTLING_MS = 3 * 60_000
const AWAY_MS = 20_000
const SEVERAL = { calm_ms: 8_000, on_time: true }

await main(async () => {
  if (process.argv.includes('--help')) return console.log(usage())
  const { values, postgres } = readArgs()
  const numberOf = (name: Name, least = 1, most = 1_000_000) => {
    const value = Number(values[name])
    if (value >= least && value <= most) return value
    throw new Error(`--${name} must be a number from ${least} to ${most}, not ${values[name]}`)
  }
  const common = {
    seed: values.seed || String(Math.floor(Math.random() * 1e9)),
    devices: numberOf('devices'),
    failing: numberOf('failing', 0, 0.5),
    settle_within_ms: SETTLING_MS,
    say: (line: string) => console.log(line),
  }

  async function oneServer() {
    const [messages, kills] = [numberOf('messages'), numberOf('kills')]
    const limits = { ready_within_ms: numberOf('ready-secs') * 1_000, kill_within_ms: KILLING_MS }
    console.log(`seed ${common.seed}: ${messages} messages, ${kills} kills, ${common.devices} devices`)
    const database = postgres ? await startPostgres() : undefined
    try {
      const outcome = await torture({ ...common, ...limits, messages, kills, database_url: database?.url })
      return { faults: outcome.faults, lines: reportOf(outcome) }
    } finally {
      await database?.stop()
    }
  }

  async function severalServers() {
    if (!hasHaproxy()) throw new Error('--replicas needs HAProxy: apt-get install haproxy')
    const replicas = numberOf('replicas', 1, 3)
    const only = values.only === '' ? undefined : (values.only.split(',') as Kind[])
    const stranger = only?.find((kind) => !(kind in kinds))
    if (stranger !== undefined) throw new Error(`--only names ${stranger}, which is not a fault`)
    const spans = {
      away_ms: AWAY_MS,
      freeze_ms: numberOf('freeze-secs', 10) * 1_000,
      cut_ms: numberOf('cut-secs', 20) * 1_000,
    }
    const plan = planFaults({
      ...common,
      ...spans,
      replicas,
      rounds: numberOf('rounds'),
      ...(only && { only }),
    })
    console.log(`seed ${common.seed}: ${replicas} servers, ${plan.length} faults, ${common.devices} devices`)
    const outcome = await tortureSeveral({
      ...common,
      replicas,
      plan,
      rate: numberOf('rate', 1, 1_000),
      ...SEVERAL,
      startBalancer: startHaproxy,
      drain_secs: HAPROXY_DRAIN_SECS,
    })
    return { faults: outcome.faults, lines: reportOfSeveral(outcome) }
  }

  const { faults, lines } = await (values.replicas === '' ? oneServer() : severalServers())
  for (const line of lines) console.log(line)
  return faults.length === 0 ? 0 : 1
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
  const postgres = '  --postgres     one server: on a PostgreSQL that is started for it, instead of SQLite'
  return ['npm run torture -- [options]', '', ...lines, postgres].join('\n')
}
