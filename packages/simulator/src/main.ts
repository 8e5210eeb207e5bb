import { readFileSync } from 'node:fs'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { type Fleet, startFleet } from '#simulator/fleet.ts'
import { linkFleet } from '#simulator/link.ts'
import { readOptions, usage } from '#simulator/options.ts'

const PROGRESS_EVERY_MS = 5_000

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}

async function run(args: string[]): Promise<void> {
  const options = readOptions(args)
  trustAlso(options.ca_file)
  const devices = await linkFleet({ ...options, path: options.accounts_path })
  const [first] = devices
  if (!first) throw new Error('--devices must be at least 1')
  const { mqtt_url = first.mqtt_url } = options
  const fleet = await startFleet({ ...options, devices, mqtt_url, acks: first.acks })
  say(`${devices.length} devices (${first.uid} …) connect to the server at ${mqtt_url}`)
  const progress = setInterval(() => say(summary(fleet)), PROGRESS_EVERY_MS)
  void fleet.connected().then(() => say('all devices are connected'))
  await untilStopped(options.duration_secs)
  clearInterval(progress)
  say('stopping: messages on the radio are finished first (Ctrl-C again: stop at once)')
  await fleet.stop()
  say(summary(fleet))
  for (const { rule, code, uid, guid = '', detail } of fleet.breaches()) {
    say(`breach of rule ${rule}: ${code} ${uid} ${guid} ${detail}`)
  }
}

/** Adds the file to the certificates that Node and this machine trust, for all connections of this process. */
function trustAlso(ca_file: string | undefined): void {
  const trusted = [...getCACertificates('default'), ...getCACertificates('system')]
  try {
    setDefaultCACertificates(ca_file ? [...trusted, readFileSync(ca_file)] : trusted)
  } catch (cause) {
    throw new Error(`--ca ${ca_file} cannot be used: ${(cause as Error).message}`, { cause })
  }
}

/** Resolves at Ctrl-C, SIGTERM or the end of the duration. A second signal ends the process as usual. */
function untilStopped(duration_secs: number): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve())
    process.once('SIGTERM', () => resolve())
    if (duration_secs > 0) setTimeout(resolve, duration_secs * 1_000)
  })
}

function summary(fleet: Fleet): string {
  const { connected, commands, repeated, sent, delivered, undelivered, failed, uncertain, ...rest } =
    fleet.stats()
  return [
    `connected ${connected}/${fleet.devices.size}`,
    `commands ${commands} (+${repeated} repeated)`,
    `on air ${rest.on_air}`,
    `sent ${sent}`,
    `delivered ${delivered}`,
    `undelivered ${undelivered}`,
    `failed ${failed}`,
    `uncertain ${uncertain}`,
    `replies ${rest.replies}`,
    `breaches ${rest.breaches}`,
  ].join(' · ')
}

process.on('unhandledRejection', fail)
if (process.argv.includes('--help')) say(usage())
else await run(process.argv.slice(2)).catch(fail)
