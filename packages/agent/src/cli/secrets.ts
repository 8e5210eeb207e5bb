import { readFileSync } from 'node:fs'
import { UsageError } from './usage-error.ts'

/** Stands for a secret that is typed or read from standard input. */
const ASKED = '-'
/** The suffix of the option that names a file with the secret. */
const FILE = '-file'

/** The options that name files with secrets. */
export function fileOptions(secrets: readonly string[]): string[] {
  return secrets.map((name) => name + FILE)
}

/**
 * Fills in the secrets of a command line: `--pin -` from `ask`, `--pin-file FILE` from the file's first line. `warn` is
 * called for a lasting secret in the command line itself.
 */
export async function readSecrets(
  values: Readonly<Record<string, string>>,
  secrets: readonly { name: string; lasting: boolean }[],
  { ask, warn }: { ask: (question: string) => Promise<string>; warn: (line: string) => void },
): Promise<Record<string, string>> {
  const read: Record<string, string> = { ...values }
  // Warn before asking for anything.
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
