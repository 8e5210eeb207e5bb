import { openSqlite } from './sqlite.ts'

/**
 * Locks a file so that no second process works on the same folder. The kernel holds the lock, through SQLite. It ends
 * with the process, even after a crash, so it is never stale. `undefined` if another process holds it.
 */
export function holdLock(path: string): (() => void) | undefined {
  const file = openSqlite(path)
  try {
    file.exec('pragma journal_mode = delete; pragma locking_mode = exclusive; begin exclusive')
    return () => file.close()
  } catch (error) {
    file.close()
    if (error instanceof Error && error.message === 'database is locked') return undefined
    throw error
  }
}
