import { closeSync, fdatasync, openSync } from 'node:fs'
import { promisify } from 'node:util'

export type Sync = {
  /** Resolves once all that has been written to the file before is on disk. Rejects where the disk does not keep it. */
  sync(): Promise<void>
  close(): void
}

const toDisk = promisify(fdatasync)

/** Syncs a file that somebody else writes, without holding up the thread while the disk is at it. */
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
