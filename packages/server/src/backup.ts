import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readConfig } from './config.ts'
import { makeBackup, removeOldBackups } from './database/backup.ts'
import { BACKUP_FOLDER } from './database/files.ts'

/** `npm run backup`: copies the database while the server runs, and removes the oldest copies beyond `BACKUPS_KEPT`. */
const HELP = `npm run backup [-- FOLDER]

Copies the database of DATA_DIR into one file in FOLDER (DATA_DIR/backups where none is named), while the
server runs, and keeps as many as BACKUPS_KEPT says. npm run restore puts one back.
`

try {
  const { values, positionals } = parseArgs({
    options: { help: { type: 'boolean' }, 'data-dir': { type: 'string' }, keep: { type: 'string' } },
    allowPositionals: true,
  })
  if (values.help) process.stdout.write(HELP)
  else backUp(positionals[0], values['data-dir'], values.keep)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}

/** The server that makes its own backups names its folder and how many it keeps; else the settings do. */
function backUp(named: string | undefined, data_dir?: string, keep?: string): void {
  const { DATA_DIR, BACKUPS_KEPT } =
    data_dir && keep ? { DATA_DIR: data_dir, BACKUPS_KEPT: Number(keep) } : readConfig()
  const to = named ?? join(DATA_DIR, BACKUP_FOLDER)
  const began = performance.now()
  const { path, bytes } = makeBackup({ folder: DATA_DIR, to, now: new Date() })
  const secs = ((performance.now() - began) / 1_000).toFixed(1)
  process.stdout.write(`${path}: ${(bytes / 1e6).toFixed(1)} MB, checked, in ${secs} s\n`)
  for (const old of removeOldBackups(to, BACKUPS_KEPT)) process.stdout.write(`Removed ${old}\n`)
}
