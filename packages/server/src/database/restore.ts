import { join } from 'node:path'
import * as storage from '@sdd/storage/sqlite/restore.ts'
import { DATABASE_FILE } from './files.ts'
import { type SafeRestore, secureRestore } from './safe-restore.ts'
import { migrations as ours } from './migrations.ts'
import { asConfigError } from './open.ts'

/**
 * Restores a backup into a folder that has no database yet, migrates it, and holds it back (see `secureRestore`). Throws,
 * and leaves nothing, if the folder has a database, is in use or has too little space. It also throws if the file is
 * not a complete backup of this version or an older one.
 */
export function restoreBackup(needs: {
  path: string
  folder: string
  now: Date
  keep_access?: boolean
  migrations?: typeof ours
  freeBytes?: (folder: string) => number
}): Promise<SafeRestore> {
  const { path, folder, now, keep_access = false, migrations = ours, freeBytes } = needs
  return storage
    .restoreBackup({
      from: path,
      path: join(folder, DATABASE_FILE),
      migrations,
      restored: (tx) => secureRestore(tx, now, keep_access),
      freeBytes,
    })
    .catch(asConfigError)
}
