import type { DatabaseSync } from 'node:sqlite'

/**
 * Opens a SQLite file. Its module is looked up only here, not imported: an older Node, which has none, can then still say
 * what it lacks.
 */
export function openSqlite(path: string): DatabaseSync {
  const { emitWarning } = process
  // Until version 24 Node calls it experimental, each time it is loaded.
  process.emitWarning = () => undefined
  try {
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
    return new DatabaseSync(path)
  } finally {
    process.emitWarning = emitWarning
  }
}
