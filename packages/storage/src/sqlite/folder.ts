import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { unusable } from './checks.ts'
import { LOCK_FILE } from './files.ts'
import { holdLock } from './lock.ts'

/** Makes a data folder, accessible to its owner only, if there is none. Throws `Unusable` if it cannot be written. */
export function makeFolder(folder: string): void {
  try {
    makeFolders(folder)
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw unusable(
      `${folder} cannot be written (${(error as NodeJS.ErrnoException).code}); name a folder that can`,
    )
  }
}

// Level by level, because Node's recursive mkdir never returns below /proc.
function makeFolders(folder: string): void {
  if (existsSync(folder)) return
  makeFolders(dirname(folder))
  mkdirSync(folder, { mode: 0o700 })
}

/**
 * Keeps other processes out of the folder until the returned function is called. Throws `Unusable` if one is using it.
 */
export function lockFolder(folder: string): () => void {
  try {
    return holdLock(join(folder, LOCK_FILE))
  } catch (error) {
    const busy = /locked|busy/i.test((error as Error).message)
    throw unusable(
      busy
        ? `${folder} is in use by another server; stop that one, or give this one a folder of its own`
        : `${folder} cannot be locked (${(error as Error).message}); name a folder that can be written`,
    )
  }
}
