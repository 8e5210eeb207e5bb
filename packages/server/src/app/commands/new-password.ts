import { openPasswords, PASSWORD_COST } from '#server/accounts/passwords/passwords.ts'
import { replaceLostPassword } from '#server/accounts/user-editing/lost-password.ts'
import { systemClock } from '#server/core/clock.ts'
import { commandLine, readConfig } from '#server/core/config.ts'
import { withoutServers } from '#server/database/without-servers.ts'
import { runCommand } from './run-command.ts'

const HELP = `${commandLine('new-password', 'NAME')}

Gives the user with this name or e-mail a new password, and prints it. Stop the server first, all of them with
PostgreSQL. The next login asks for a password of the user's own. All sessions of the user end; a second factor stays.
`

// The files that this program creates, the lock included, are readable only by their owner.
process.umask(0o077)
await runCommand({ help: HELP, options: {}, words: 1 }, async (_, username) => {
  if (username === undefined) throw new Error(`name one user\n\n${HELP}`)
  const config = readConfig()
  const needs = { clock: systemClock(config.TZ), passwords: openPasswords(PASSWORD_COST) }
  const { name, password } = await replaceLostPassword(
    needs,
    (work) => withoutServers(config, work),
    username,
  )
  process.stdout.write(`The new password of ${name} is ${password} (the next login asks for another)\n`)
})
