import { parseArgs } from 'node:util'
import { proveTasks } from '#simulator/proof.ts'
import { startReceiver } from '#simulator/receiver.ts'
import { startSubmitter } from '#simulator/submitter.ts'

/** Each option of the command line: its default as a text, and its meaning. */
const options = {
  server: ['http://127.0.0.1:8080', 'the HTTP address of the server'],
  key: ['', 'API key that may submit and read tasks'],
  'webhook-secret': ['', 'webhook secret of that key, to request and check callbacks'],
  count: ['1000', 'how many tasks'],
  rate: ['50', 'tasks per second; 0: as fast as the server answers'],
  batch: ['1', 'tasks per request, 1 to 1000'],
  'at-once': ['8', 'concurrent requests'],
  recipients: ['500', 'how many different recipients'],
  repeated: ['0.1', 'share that is submitted again with the same content'],
  conflicting: ['0.05', 'share whose guid is submitted again with other content'],
  refusing: ['0', 'share of the callbacks that are answered with 500'],
  'patience-secs': ['120', 'how long tasks and callbacks may take to finish'],
  seed: ['', 'prefix of the guids; the same seed makes the same tasks (default: the time)'],
} as const

type Name = keyof typeof options

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function usage(): string {
  const lines = Object.entries(options).map(
    ([name, [usual, meaning]]) => `  --${name.padEnd(16)} ${meaning}${usual && ` (${usual})`}`,
  )
  const what = 'Submits tasks like another system would, and checks that each ends exactly once.'
  return ['node packages/simulator/src/submit.ts --key sdk_… [options]', '', what, '', ...lines, ''].join(
    '\n',
  )
}

function readOptions(args: string[]) {
  const names = Object.fromEntries(Object.keys(options).map((name) => [name, { type: 'string' as const }]))
  const { values } = parseArgs({ args, options: names, strict: true, allowPositionals: false })
  const textOf = (name: Name) => values[name] ?? options[name][0]
  const numberOf = (name: Name, least: number, most: number) => {
    const value = Number(textOf(name))
    if (value >= least && value <= most) return value
    throw new Error(`--${name} must be a number from ${least} to ${most}, not ${textOf(name)}`)
  }
  const key = textOf('key')
  if (!key) throw new Error('--key is missing: create an API key in the console (Settings, API keys)')
  return {
    server_url: textOf('server'),
    key,
    webhook_secret: textOf('webhook-secret') || undefined,
    count: numberOf('count', 1, 10_000_000),
    rate: numberOf('rate', 0, 100_000),
    batch: numberOf('batch', 1, 1_000),
    at_once: numberOf('at-once', 1, 1_000),
    recipients: numberOf('recipients', 1, 1_000_000),
    repeated: numberOf('repeated', 0, 1),
    conflicting: numberOf('conflicting', 0, 1),
    refusing: numberOf('refusing', 0, 1),
    patience_ms: numberOf('patience-secs', 1, 86_400) * 1_000,
    seed: textOf('seed') || `sub-${Date.now()}`,
  }
}

async function run(args: string[]): Promise<void> {
  const given = readOptions(args)
  const { webhook_secret, refusing, count } = given
  const receiver = webhook_secret ? await startReceiver({ webhook_secret, refusing }) : undefined
  const submitter = startSubmitter({ ...given, receiver })
  const began = performance.now()
  const progress = setInterval(() => say(`${submitter.tasks.size} of ${count} submitted`), 5_000)
  process.once('SIGINT', submitter.stop)
  await submitter.finished
  const secs = (performance.now() - began) / 1_000
  say(`${submitter.tasks.size} tasks in ${secs.toFixed(1)} s, ${submitter.retries()} requests retried`)
  clearInterval(progress)
  say('waiting for each task to end …')
  const { ends, callbacks, faults } = await proveTasks({ ...given, submitter, receiver })
  await receiver?.stop()
  say(
    Object.entries(ends)
      .map(([state, tasks]) => `${state} ${tasks}`)
      .join(' · '),
  )
  if (receiver) say(`callbacks ${callbacks}, ${receiver.repetitions()} of them repeated`)
  for (const fault of faults.slice(0, 50)) say(`WRONG: ${fault}`)
  if (faults.length > 0) throw new Error(`${faults.length} things are wrong`)
  say(receiver ? 'Each task ended once, and each callback arrived.' : 'Each task ended once.')
}

if (process.argv.includes('--help')) say(usage())
else {
  await run(process.argv.slice(2)).catch((error: Error) => {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  })
}
