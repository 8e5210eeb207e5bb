import { type Command, readLine, secretsOf, type World } from './command.ts'
import { doctor } from './doctor.ts'
import { forget } from './forget.ts'
import { commandHelp, generalHelp } from './help.ts'
import { link } from './link.ts'
import { run } from './run.ts'
import { readSecrets } from './secrets.ts'
import { send } from './send.ts'
import { UsageError } from './usage-error.ts'
import { verify } from './verify.ts'

const commands: Readonly<Record<string, Command>> = { link, run, doctor, send, forget, verify }

/** Runs a command line; resolves to the exit status: 1 with one line on `complain` after an error. */
export async function obey(
  args: readonly string[],
  world: World,
  complain: (line: string) => void,
): Promise<number> {
  const [name, ...rest] = args
  const asksHelp = rest.includes('--help') || rest.includes('-h')
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    world.print(generalHelp(commands, world.config.folder))
    return name === undefined ? 1 : 0
  }
  const command = commands[name]
  if (!command) {
    complain(`${name} is not a command: use one of ${Object.keys(commands).join(', ')}`)
    return 1
  }
  if (asksHelp) {
    world.print(commandHelp(name, command, world.kinds))
    return 0
  }
  try {
    const line = readLine(command, world.kinds, rest)
    const values = await readSecrets(line.values, secretsOf(command, world.kinds), {
      ask: world.ask,
      warn: complain,
    })
    return await command.run(world, { ...line, values })
  } catch (error) {
    const hint = error instanceof UsageError ? ` ('sdd-agent ${name} --help' lists all options)` : ''
    complain(`${(error as Error).message}${hint}`)
    return 1
  }
}
