import { openSqlite } from './sqlite.ts'

/**
 * Holds a file so that no second process works on the same folder. The lock is the kernel's, taken through SQLite: it
 * ends with the process however that ends, so there is none that could be stale. `undefined` where another holds it.
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
