import { parseArgs } from 'node:util'
import type { Clock } from '#agent/clock.ts'
import type { Config } from '#agent/config.ts'
import type { DriverKinds } from '#agent/drivers.ts'
import type { Ledger } from '#agent/ledger/ledger.ts'
import { fileOptions } from './secrets.ts'
import { UsageError } from './usage-error.ts'

/** What a command needs from outside. */
export type World = {
  readonly config: Config
  readonly kinds: DriverKinds
  readonly openLedger: (path: string) => Ledger
  readonly clock: Clock
  readonly random: () => number
  /** Prints a line for the person at the terminal. */
  readonly print: (line: string) => void
  /** Asks the person without showing the input; without a terminal it reads the next line of standard input. */
  readonly ask: (question: string) => Promise<string>
  /** Aborted at the first SIGTERM or Ctrl-C. */
  readonly stop: AbortSignal
}

export type Option = {
  readonly value: string
  readonly meaning: string
  /** Can be asked for or read from a file, so that it need not be in the command line. */
  readonly secret?: boolean
}

export type CommandLine = {
  readonly values: Readonly<Record<string, string>>
  readonly positionals: readonly string[]
}

export type Command = {
  readonly summary: string
  /** After the name: `NUMBER TEXT`. */
  readonly positionals: readonly string[]
  readonly options: Readonly<Record<string, Option>>
  /** More lines for its help. */
  readonly details?: (kinds: DriverKinds) => string[]
  /** Whether it also takes the options of the drivers. */
  readonly takesDriver: boolean
  /** Resolves to the exit status. Rejects with an Error of one sentence that a person can act on. */
  readonly run: (world: World, line: CommandLine) => Promise<number>
}

export const DIR: Record<'dir', Option> = {
  dir: { value: 'FOLDER', meaning: "the agent's folder: linked devices and ledger" },
}

/** Throws a `UsageError` that names the option. */
export function readLine(command: Command, kinds: DriverKinds, args: readonly string[]): CommandLine {
  const names = [...Object.keys(command.options), ...(command.takesDriver ? driverOptionNames(kinds) : [])]
  names.push(...fileOptions(secretsOf(command, kinds).map(({ name }) => name)))
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]))
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      strict: true,
      allowPositionals: true,
    })
    const [missing] = command.positionals.slice(positionals.length)
    if (missing) throw new Error(`${missing} is missing`)
    const [extra] = positionals.slice(command.positionals.length)
    if (extra) throw new Error(`${JSON.stringify(extra)} is one argument too many: put the text in quotes`)
    for (const [name, value] of Object.entries(values))
      if (value === '') throw new Error(`--${name} is empty`)
    return { values: values as Record<string, string>, positionals }
  } catch (error) {
    // Node adds advice about positionals that begin with a dash; only its first sentence is about the error.
    throw new UsageError((error as Error).message.split(/\. To specify|\. If you/)[0])
  }
}

/** The secret options of a command. A driver's secrets last as long as the device; the command's own do not. */
export function secretsOf(command: Command, kinds: DriverKinds): { name: string; lasting: boolean }[] {
  const namesIn = (options: Readonly<Record<string, { secret?: boolean }>>) =>
    Object.keys(options).filter((name) => options[name]!.secret)
  const ofDrivers = command.takesDriver ? Object.values(kinds).flatMap(({ options }) => namesIn(options)) : []
  return [
    ...namesIn(command.options).map((name) => ({ name, lasting: false })),
    ...[...new Set(ofDrivers)].map((name) => ({ name, lasting: true })),
  ]
}

export function driverOptionNames(kinds: DriverKinds): string[] {
  return [...new Set(Object.values(kinds).flatMap((kind) => Object.keys(kind.options)))]
}
