import { parseArgs } from 'node:util'
import { openPasswords, PASSWORD_COST } from '#server/accounts/passwords/passwords.ts'
import { replaceLostPassword } from '#server/accounts/user-editing/lost-password.ts'
import { systemClock } from '#server/core/clock.ts'
import { readConfig } from '#server/core/config.ts'
import { withoutServers } from '#server/database/without-servers.ts'

const HELP = `npm run new-password -- NAME

Gives the user with this name or e-mail a new password, and prints it. Stop the server first, all of them with
PostgreSQL. The next login asks for a password of the user's own. All sessions of the user end; a second factor stays.
`

// The files that this program creates, the lock included, are readable only by their owner.
process.umask(0o077)
try {
  const { values, positionals } = parseArgs({
    options: { help: { type: 'boolean' } },
    allowPositionals: true,
  })
  const [name, ...others] = positionals
  if (values.help) process.stdout.write(HELP)
  else if (name === undefined || others.length > 0) throw new Error(`name one user\n\n${HELP}`)
  else await replace(name)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}

async function replace(username: string): Promise<void> {
  const config = readConfig()
  const needs = { clock: systemClock(config.TZ), passwords: openPasswords(PASSWORD_COST) }
  const { name, password } = await replaceLostPassword(
    needs,
    (work) => withoutServers(config, work),
    username,
  )
  process.stdout.write(`The new password of ${name} is ${password} (the next login asks for another)\n`)
}
