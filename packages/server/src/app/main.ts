import { setFlagsFromString } from 'node:v8'
import { startApp } from './app.ts'
import { type Config, ConfigError, helpText, readConfig } from '#server/core/config.ts'
import { PASSWORD_COST } from '#server/accounts/passwords/passwords.ts'
import { openLog } from '#server/core/log.ts'

if (process.argv.includes('--help')) {
  process.stdout.write(helpText())
  process.exit(0)
}

// By default V8 lets the live heap double before it collects garbage. The server's memory depends on this setting and
// on `--max-semi-space-size`, with which it is started (docs/performance.md).
setFlagsFromString('--heap-growing-percent=30')
// While the server starts, V8 may conclude that the objects created at some place in the code live long, and allocate
// them as old from then on. If that place runs for each request, whole requests stay in memory until the next full
// collection.
setFlagsFromString('--no-allocation-site-pretenuring')

const config = configOrExit()
const log = openLog(config.LOG_LEVEL)
const starting = startApp({ config, log, passwordCost: PASSWORD_COST })

let stopping = false
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal))
// Without a certificate SIGHUP ends the process, as it does for any other program.
if (config.TLS) process.on('SIGHUP', () => void starting.then((running) => running.renewCertificate()))
// The parent process, which started this one with an IPC channel, has ended.
process.on('disconnect', () => stop('the parent has ended'))

const app = await starting.catch(exitWithLine)
log.info(`The console is at ${app.url}`)
log.info(
  'To link a device, make a link code in the console or as docs/operating.md shows, and give it to the device',
)
if (app.firstUser?.password) {
  // Logged at every log level, because there is no other way to learn the password.
  openLog('info').info(
    `The first superadmin is ${app.firstUser.username}, with the password ${app.firstUser.password} (shown this once; the first login asks for another)`,
  )
}

function stop(why: string): void {
  if (stopping) return
  stopping = true
  log.info(`Stopping (${why})`)
  // Committed data is safe in any case, so a hanging peer must not keep the server up.
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

/** An error that the operator can fix is one line. Any other error is a defect and shows its stack. */
function exitWithLine(error: unknown): never {
  process.stderr.write(`${error instanceof ConfigError ? error.message : String((error as Error).stack)}\n`)
  process.exit(1)
}
