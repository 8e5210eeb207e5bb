import type { DatabaseSync } from 'node:sqlite'

/**
 * Opens a SQLite file. The module is loaded here instead of imported, so that an older Node without it can still report
 * the version it needs.
 */
export function openSqlite(path: string): DatabaseSync {
  const { emitWarning } = process
  // Before version 24, Node prints an experimental warning each time it is loaded.
  process.emitWarning = () => undefined
  try {
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
    return new DatabaseSync(path)
  } finally {
    process.emitWarning = emitWarning
  }
}
