#!/usr/bin/env node
import { addAbortSignal } from 'node:stream'
import { text } from 'node:stream/consumers'
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { SddError } from './client.ts'
import { commands } from './commands.ts'
import { readAccess, UsageError } from './config.ts'
import { withAccess } from './session.ts'

const HELP = `sdd: sends SMS through SMS Drone Dash

${Object.values(commands)
  .map(({ usage, about }) => `  sdd ${usage}\n      ${about}`)
  .join('\n')}

--json prints each row as JSON. SDD_URL is the server, and SDD_KEY an API key. For what only people may see, set
SDD_USER and SDD_PASSWORD instead, and SDD_CODE if the login asks for a code.
Exit status: 0, 1 if refused or not reached, 2 if not understood, 3 if an SMS did not go out, 130 if interrupted
(0 with --follow).`

const STRING = { type: 'string' } as const
const FLAG = { type: 'boolean' } as const

const stopping = new AbortController()

async function main(): Promise<number> {
  const { values, positionals } = readWords({
    allowPositionals: true,
    options: {
      help: FLAG,
      json: FLAG,
      wait: FLAG,
      follow: FLAG,
      guid: STRING,
      from: STRING,
      class: STRING,
      state: STRING,
      search: STRING,
      'from-time': STRING,
      'to-time': STRING,
      limit: STRING,
    },
  })
  const [name = '', ...args] = positionals
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (values.help || command === undefined || args.length !== command.words) {
    say(HELP)
    return values.help ? 0 : 2
  }
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, (_: string, number: number) => interrupt(values.follow ? 0 : 128 + number))
  const { signal } = stopping
  return withAccess(
    readAccess(),
    (sdd) =>
      command.run({
        sdd,
        args,
        options: values,
        say,
        write: (piece) => process.stdout.write(piece),
        readInput: () => text(addAbortSignal(signal, process.stdin)),
        signal,
      }),
    signal,
  )
}

function readWords<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config)
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

/** Stops the command, which ends with this exit status. */
function interrupt(status: number): void {
  process.exitCode = status
  stopping.abort()
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function complain(line: string): void {
  process.stderr.write(`${line}\n`)
}

// A program that reads only the first lines, such as `head`, has enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  complain(error.message)
  process.exit(1)
})

try {
  const status = await main()
  if (!stopping.signal.aborted) process.exitCode = status
} catch (error) {
  const { aborted } = stopping.signal
  if (!(error instanceof SddError || error instanceof UsageError || aborted)) throw error
  if (!aborted) {
    complain((error as Error).message)
    process.exitCode = error instanceof UsageError ? 2 : 1
  }
  if (error instanceof SddError) {
    for (const [field, fault] of Object.entries(error.fields)) complain(`  ${field} ${fault}`)
    const guid = error.status === 0 || error.status >= 500 ? error.tasks[0]?.guid : undefined
    if (guid) complain(`The SMS may be on its way: repeat the command with --guid ${guid}`)
  }
}
