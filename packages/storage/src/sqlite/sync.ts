import { closeSync, fdatasync, openSync } from 'node:fs'
import { promisify } from 'node:util'

export type Sync = {
  /** Resolves once everything written to the file so far is on disk. Rejects if the sync fails. */
  sync(): Promise<void>
  close(): void
}

const toDisk = promisify(fdatasync)

/** Syncs a file that SQLite writes, without blocking the thread. */
export function openSyncing(path: string): Sync {
  let file: number | undefined
  return {
    async sync() {
      file ??= openSync(path, 'r+')
      await toDisk(file)
    },
    close() {
      if (file !== undefined) closeSync(file)
    },
  }
}
