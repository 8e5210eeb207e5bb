import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DATABASE_FILE } from '../../packages/server/src/database/files.ts'

/**
 * The damage that a kill left in the database, by SQLite's own full check; empty if it is intact. It checks a copy,
 * because opening the original would make the repairs that the next start has to make.
 */
export function damageOf(data_dir: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-torture-copy-'))
  try {
    for (const name of [DATABASE_FILE, `${DATABASE_FILE}-wal`]) {
      if (existsSync(join(data_dir, name))) copyFileSync(join(data_dir, name), join(folder, name))
    }
    return check(join(folder, DATABASE_FILE))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function check(path: string): string[] {
  const copy = new DatabaseSync(path)
  try {
    const found = copy.prepare('pragma integrity_check').all() as { integrity_check: string }[]
    const orphans = copy.prepare('pragma foreign_key_check').all()
    const damages = found.map((row) => row.integrity_check).filter((result) => result !== 'ok')
    return orphans.length > 0 ? [...damages, `${orphans.length} rows refer to missing ones`] : damages
  } catch (error) {
    return [(error as Error).message]
  } finally {
    copy.close()
  }
}
