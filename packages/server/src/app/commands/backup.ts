import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Config, readConfig } from '#server/core/config.ts'
import { Damaged, makeBackup, removeOldBackups } from '@sdd/storage/sqlite/backup.ts'
import { BACKUP_FOLDER } from '@sdd/storage/sqlite/files.ts'
import { DATABASE_FILE } from '#server/database/files.ts'
import { HOW_TO_BACK_UP } from '#server/database/safe-restore.postgres.ts'

/** The exit status if the database is damaged. */
const DAMAGED = 3

/** `npm run backup`: copies the database while the server runs, and removes the oldest copies beyond `BACKUPS_KEPT`. */
const HELP = `npm run backup [-- FOLDER]

Copies the database of DATA_DIR into one file in FOLDER (DATA_DIR/backups by default) while the server
runs, and keeps the newest BACKUPS_KEPT backups. npm run restore restores one.
`

try {
  const { values, positionals } = parseArgs({
    options: {
      help: { type: 'boolean' },
      'data-dir': { type: 'string' },
      keep: { type: 'string' },
      spare: { type: 'string' },
      now: { type: 'string' },
    },
    allowPositionals: true,
  })
  if (values.help) process.stdout.write(HELP)
  else backUp(positionals[0], readGiven(values) ?? readConfig(), new Date(values.now ?? Date.now()))
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = error instanceof Damaged ? DAMAGED : 1
}

type Settings = Pick<Config, 'DATA_DIR' | 'BACKUPS_KEPT' | 'LEAST_FREE_MB'> &
  Partial<Pick<Config, 'DATABASE_URL'>>

/** A server that makes its own backups passes its settings and its time. Otherwise the environment has the settings. */
function readGiven(values: { 'data-dir'?: string; keep?: string; spare?: string }): Settings | undefined {
  const { 'data-dir': DATA_DIR, keep, spare } = values
  if (!DATA_DIR || !keep || !spare) return undefined
  return { DATA_DIR, BACKUPS_KEPT: Number(keep), LEAST_FREE_MB: Number(spare) }
}

function backUp(named: string | undefined, settings: Settings, now: Date): void {
  const { DATA_DIR, BACKUPS_KEPT, LEAST_FREE_MB, DATABASE_URL } = settings
  if (DATABASE_URL !== undefined) throw new Error(HOW_TO_BACK_UP)
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
  for (const old of removeOldBackups(to, BACKUPS_KEPT, path)) process.stdout.write(`Removed ${old}\n`)
}
