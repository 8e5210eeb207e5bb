import { parseArgs, type ParseArgsConfig } from 'node:util'
import { reasonOf } from '@sdd/storage/errors.ts'

type Options = NonNullable<ParseArgsConfig['options']>
type Values<T extends Options> = ReturnType<typeof parseArgs<{ options: T }>>['values']

/**
 * Runs a program of the server with the options and words of its command line. `--help` only prints the help. If the
 * work throws, its message is printed, and the exit status is 1 unless the work has set another.
 */
export async function runCommand<T extends Options>(
  { help, options, words }: { help: string; options: T; words: 0 | 1 },
  work: (values: Values<T>, word: string | undefined) => void | Promise<void>,
): Promise<void> {
  try {
    const given = { ...options, help: { type: 'boolean' } } as const
    const { values, positionals } = parseArgs({ options: given, allowPositionals: true })
    if ((values as { help?: boolean }).help) return void process.stdout.write(help)
    const surplus = positionals.slice(words)
    if (surplus.length > 0) throw new Error(`This is more than the command takes: ${surplus.join(' ')}`)
    await work(values as Values<T>, positionals[0])
  } catch (error) {
    process.stderr.write(`${reasonOf(error as Error)}\n`)
    process.exitCode ??= 1
  }
}
