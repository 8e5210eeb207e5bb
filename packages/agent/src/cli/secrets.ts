import { readFileSync } from 'node:fs'
import { UsageError } from './usage-error.ts'

/** What stands in place of a secret that is asked for, or comes on standard input. */
const ASKED = '-'
/** Behind the name of a secret option: the file that it stands in. */
const FILE = '-file'

/** The options by which secrets are given without standing in the command line. */
export function fileOptions(secrets: readonly string[]): string[] {
  return secrets.map((name) => name + FILE)
}

/**
 * The values of a command line with its secrets in place: of `--pin -` what `ask` answers, of `--pin-file FILE` the
 * file's first line. `warn` hears of a lasting secret that stands in the command line itself.
 */
export async function readSecrets(
  values: Readonly<Record<string, string>>,
  secrets: readonly { name: string; lasting: boolean }[],
  { ask, warn }: { ask: (question: string) => Promise<string>; warn: (line: string) => void },
): Promise<Record<string, string>> {
  const read: Record<string, string> = { ...values }
  // Before anything is asked for.
  for (const { name, lasting } of secrets) {
    if (!lasting || values[name] === undefined || values[name] === ASKED) continue
    warn(
      `--${name} is readable in the shell's history: give it by --${name}${FILE} FILE, or type it after --${name} ${ASKED}`,
    )
  }
  for (const { name } of secrets) {
    const given = values[name]
    const path = values[name + FILE]
    delete read[name + FILE]
    if (given !== undefined && path !== undefined)
      throw new UsageError(`--${name} and --${name}${FILE} are both given: leave one out`)
    if (given === ASKED) read[name] = filled(`--${name} ${ASKED}`, await ask(`${name}: `))
    else if (path !== undefined) read[name] = filled(`--${name}${FILE} ${path}`, lineOf(name, path))
  }
  return read
}

function lineOf(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8').split('\n')[0]!
  } catch (error) {
    throw new UsageError(`--${name}${FILE} ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

function filled(option: string, given: string): string {
  const secret = given.trim()
  if (secret === '') throw new UsageError(`${option} is empty`)
  return secret
}
