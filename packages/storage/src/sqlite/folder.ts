import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync } from 'node:fs'
import { userInfo } from 'node:os'
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
    const { code = '' } = error as NodeJS.ErrnoException
    const by = CLOSED.has(code) ? ` by ${thisUser()}` : ''
    throw unusable(`${folder} cannot be written${by} (${code}); name a folder that can`)
  }
}

/** Throws if there is no such file, or if this user cannot read it. The message ends with the remedy in `then`. */
export function requireReadable(path: string, then: { missing: string; closed: string }): void {
  try {
    closeSync(openSync(path, 'r'))
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new Error(`${path} does not exist: ${then.missing}`)
    if (CLOSED.has(code)) throw new Error(`${path} cannot be read by ${thisUser()}: ${then.closed}`)
    throw error
  }
}

/** The error codes of files that are closed to this user. */
const CLOSED = new Set(['EACCES', 'EPERM'])

/** Root starts the program as another user, and does not expect a closed file. */
function thisUser(): string {
  try {
    return `${userInfo().username}, the user of this program`
  } catch {
    // In a container the user may have no name.
    return `user ${process.geteuid?.()}, who has no name`
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
