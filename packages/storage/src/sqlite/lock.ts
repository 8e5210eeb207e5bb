import { DatabaseSync } from 'node:sqlite'

/**
 * Holds a file so that no second server works on the same folder. The lock is the kernel's, taken through SQLite:
 * it ends with the process however that ends, so there is none that could be stale.
 * Throws where another process holds it.
 */
export function holdLock(path: string): () => void {
  const file = new DatabaseSync(path)
  try {
    file.exec('pragma journal_mode = memory; pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    file.close()
    throw error
  }
  return () => file.close()
}
