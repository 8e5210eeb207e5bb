import { DatabaseSync } from 'node:sqlite'

/**
 * Locks a file, so that no second server works in the same folder. SQLite takes a lock of the kernel, which ends with
 * the process however it dies, so a stale lock cannot exist. Throws if another process holds it.
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
