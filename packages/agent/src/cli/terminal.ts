import { machineClock } from '#agent/clock.ts'
import { readConfig } from '#agent/config.ts'
import type { DriverKinds } from '#agent/drivers.ts'
import { type Ledger, openLedger } from '#agent/ledger/ledger.ts'
import { openAsking } from './ask.ts'
import { obey } from './cli.ts'

/**
 * Runs this process's command line and ends the process. The first SIGTERM or Ctrl-C asks it to stop. The second stops
 * it at once: the ledger has the unfinished work.
 */
export async function obeyTerminal(
  kinds: DriverKinds,
  open: (path: string) => Ledger = openLedger,
): Promise<never> {
  process.umask(0o077) // the folder has secrets and texts
  process.title = 'sdd-agent' // hides the command line, which may have a secret
  const stopping = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping.signal.aborted) process.exit(1)
      stopping.abort()
    })
  }
  process.on('SIGHUP', () => stopping.abort())
  process.on('uncaughtException', (error) => {
    process.stderr.write(`sdd-agent: unexpected error, ending: ${error.stack}\n`)
    process.exit(1)
  })
  const world = {
    config: readConfig(),
    kinds,
    openLedger: open,
    clock: machineClock,
    random: Math.random,
    ask: openAsking(),
    print: (line: string) => void process.stdout.write(`${line}\n`),
    stop: stopping.signal,
  }
  const status = await obey(
    process.argv.slice(2),
    world,
    (line) => void process.stderr.write(`sdd-agent: ${line}\n`),
  )
  process.exit(status)
}
