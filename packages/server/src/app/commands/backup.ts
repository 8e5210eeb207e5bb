import { join } from 'node:path'
import { commandLine, type Config, isGiven, readConfig } from '#server/core/config.ts'
import { Damaged, makeBackup, removeOldBackups } from '@sdd/storage/sqlite/backup.ts'
import { BACKUP_FOLDER } from '@sdd/storage/sqlite/files.ts'
import { DATABASE_FILE } from '#server/database/files.ts'
import { runCommand } from './run-command.ts'

/** The exit status if the database is damaged. */
const DAMAGED = 3

/**
 * Copies the database while the server runs. Removes old copies only if `BACKUPS_KEPT` is set, because the command may
 * have been started without the settings of the server, which keeps more than the default.
 */
const HELP = `${commandLine('backup', '[FOLDER]')}

Copies the database of DATA_DIR into one file in FOLDER (DATA_DIR/backups by default) while the server
runs. If BACKUPS_KEPT is set, it keeps the newest BACKUPS_KEPT backups there; otherwise it removes none.
${commandLine('restore')} restores one.
`

/** Shown for PostgreSQL, whose own tools make better backups. */
const OF_POSTGRES = `DATABASE_URL is set: PostgreSQL keeps the database, and its own tools back it up while the server runs.
With the value of DATABASE_URL instead of URL:

  pg_dump --format=custom --no-owner --file=sms-drone-dash.dump 'URL'

This command made no backup. ${commandLine('restore')} says how to restore one.
`

const OPTIONS = {
  'data-dir': { type: 'string' },
  keep: { type: 'string' },
  spare: { type: 'string' },
  now: { type: 'string' },
} as const

await runCommand({ help: HELP, options: OPTIONS, words: 1 }, (values, folder) => {
  const now = new Date(values.now ?? Date.now())
  try {
    backUp(folder, passedSettings(values) ?? ownSettings(), now)
  } catch (error) {
    if (error instanceof Damaged) process.exitCode = DAMAGED
    throw error
  }
})

type Settings = Pick<Config, 'DATA_DIR' | 'LEAST_FREE_MB'> &
  Partial<Pick<Config, 'BACKUPS_KEPT' | 'DATABASE_URL'>>

/** Those of a server that makes its own backups. */
function passedSettings(values: {
  'data-dir'?: string
  keep?: string
  spare?: string
}): Settings | undefined {
  const { 'data-dir': DATA_DIR, keep, spare } = values
  if (!DATA_DIR || !keep || !spare) return undefined
  return { DATA_DIR, BACKUPS_KEPT: Number(keep), LEAST_FREE_MB: Number(spare) }
}

function ownSettings(): Settings {
  const { BACKUPS_KEPT, ...settings } = readConfig()
  return { ...settings, ...(isGiven('BACKUPS_KEPT') && { BACKUPS_KEPT }) }
}

function backUp(named: string | undefined, settings: Settings, now: Date): void {
  const { DATA_DIR, BACKUPS_KEPT, LEAST_FREE_MB, DATABASE_URL } = settings
  if (DATABASE_URL !== undefined) throw new Error(OF_POSTGRES)
  const to = named ?? join(DATA_DIR, BACKUP_FOLDER)
  const began = performance.now()
  const { path, bytes } = makeBackup({
    path: join(DATA_DIR, DATABASE_FILE),
    to,
    now,
    spare: { bytes: LEAST_FREE_MB * 1e6, setting: 'LEAST_FREE_MB' },
  })
  const secs = ((performance.now() - began) / 1_000).toFixed(1)
  process.stdout.write(`${path}: ${(bytes / 1e6).toFixed(1)} MB, checked, in ${secs} s\n`)
  if (BACKUPS_KEPT === undefined) return
  for (const old of removeOldBackups(to, BACKUPS_KEPT, path)) process.stdout.write(`Removed ${old}\n`)
}
