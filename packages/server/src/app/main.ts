import { setFlagsFromString } from 'node:v8'
import { startApp } from './app.ts'
import { type Config, ConfigError, helpText, readConfig } from '#server/core/config.ts'
import { PASSWORD_COST } from '#server/accounts/passwords/passwords.ts'
import { openLog } from '#server/core/log.ts'

if (process.argv.includes('--help')) {
  process.stdout.write(helpText())
  process.exit(0)
}

// V8 lets what lives on double before it looks for what does not; beside `--max-semi-space-size`, with which the server
// is started, this is what its memory depends on (docs/performance.md).
setFlagsFromString('--heap-growing-percent=30')
// V8 may decide while it starts that what some place of the code makes lives long, and makes it old from then on. Where
// that is made for each request, it keeps whole requests from the collector until the next full collection.
setFlagsFromString('--no-allocation-site-pretenuring')

const config = configOrExit()
const log = openLog(config.LOG_LEVEL)
const starting = startApp({ config, log, passwordCost: PASSWORD_COST })

let stopping = false
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal))
// Without a certificate a hang-up ends the program, as it does any other.
if (config.TLS) process.on('SIGHUP', () => void starting.then((running) => running.renewCertificate()))
// A program that started us over a channel, and has ended.
process.on('disconnect', () => stop('the parent has ended'))

const app = await starting.catch(exitWithLine)
log.info(`The console is at ${app.url}`)
log.info(
  'To link a device, make a link code in the console or as docs/operating.md shows, and give it to the device',
)
if (app.firstUser?.password) {
  // At every level: there is no other way to learn it.
  openLog('info').info(
    `The first superadmin is ${app.firstUser.username}, with the password ${app.firstUser.password} (shown this once; the first login asks for another)`,
  )
}

function stop(why: string): void {
  if (stopping) return
  stopping = true
  log.info(`Stopping (${why})`)
  // What is committed is safe in any case; a peer that hangs shall not keep the server up.
  setTimeout(() => process.exit(0), config.DRAIN_SECS * 1_000 + 9_000).unref()
  void starting
    .then((running) => running.stop())
    .then(() => {
      log.info('Stopped')
      process.exit(0)
    }, exitWithLine)
}

function configOrExit(): Config {
  try {
    return readConfig()
  } catch (error) {
    return exitWithLine(error)
  }
}

/** What the operator can mend is one line; anything else is a defect of ours and shows its stack. */
function exitWithLine(error: unknown): never {
  process.stderr.write(`${error instanceof ConfigError ? error.message : String((error as Error).stack)}\n`)
  process.exit(1)
}
