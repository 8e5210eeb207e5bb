import { startApp } from './app.ts'
import { type Config, ConfigError, helpText, readConfig } from './config.ts'
import { openLog } from './core/log.ts'

if (process.argv.includes('--help')) {
  process.stdout.write(helpText())
  process.exit(0)
}

const config = configOrExit()
const log = openLog(config.LOG_LEVEL)
const app = await startApp({ config, log }).catch(exitWithLine)

log.info(`The console is at ${app.url}`)
log.info('To link a device, make a link code in the console or as docs/operating.md shows, and give it to the device')
if (app.firstUser?.password) {
  log.info(
    `The first superadmin is ${app.firstUser.username}, with the password ${app.firstUser.password} (shown this once; change it after logging in)`,
  )
}

let stopping = false
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    if (stopping) return
    stopping = true
    log.info(`Stopping (${signal})`)
    void stopWithin(10_000)
  })
}

async function stopWithin(most_ms: number): Promise<void> {
  // What is committed is safe in any case; a peer that hangs shall not keep the server up.
  setTimeout(() => process.exit(0), most_ms - 1_000).unref()
  await app.stop()
  log.info('Stopped')
  process.exit(0)
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
