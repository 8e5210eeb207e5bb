import { join } from 'node:path'
import { commandLine, readConfig } from '#server/core/config.ts'
import { moveDatabase } from '@sdd/storage/move.ts'
import { DATABASE_FILE } from '#server/database/files.ts'
import { countOnAfterCopy, isSearchTable } from '#server/database/months/months.ts'
import { asConfigError, storageOptions } from '#server/database/open.ts'
import type { Schema } from '#server/database/schema.ts'
import { runCommand } from './run-command.ts'

const HELP = `${commandLine('move-database', '--to postgres://user:password@host/database')}

Copies the embedded database of DATA_DIR into an empty PostgreSQL database (15 or newer). Stop the server first.
Either all rows are copied and compared one by one, or none are. Without --to, DATABASE_URL is used.
`

await runCommand({ help: HELP, options: { to: { type: 'string' } }, words: 0 }, ({ to }) => move(to))

async function move(to: string | undefined): Promise<void> {
  const { DATA_DIR, DATABASE_URL } = readConfig()
  const url = to ?? DATABASE_URL
  if (url === undefined) throw new Error(`--to is missing: name the PostgreSQL database.\n\n${HELP}`)
  if (!/^postgres(ql)?:\/\//.test(url))
    throw new Error('--to must be like postgres://user:password@host:5432/database')
  const say = (line: string) => process.stdout.write(`${line}\n`)
  const { rows, tables, kept } = await moveDatabase<Schema>({
    path: join(DATA_DIR, DATABASE_FILE),
    url,
    options: storageOptions,
    leftOut: isSearchTable,
    copied: countOnAfterCopy,
    now: new Date(),
    say,
  }).catch(asConfigError)
  say(`${rows.toLocaleString('en')} rows of ${tables} tables were copied, and each row was compared.

The old file is kept as ${kept}, so that no server opens it by mistake:
two servers with the same messages would send them twice. Now set DATABASE_URL and start the server. From now on, back
up PostgreSQL: ${commandLine('backup')} says how.`)
}
