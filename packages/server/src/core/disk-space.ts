import { statfs } from 'node:fs/promises'
import type { Logger } from 'pino'
import { startLoop } from '#server/core/loop.ts'
import { Refusal } from '#server/core/refusal.ts'

/** The free space on the disk of the data folder, as of the last check. */
export type DiskSpace = {
  /** `undefined` if the system does not report it. */
  freeBytes(): number | undefined
  /** Why no new work is accepted; `undefined` if there is enough space. */
  shortage(): string | undefined
  /** Throws `disk_full` if there is too little space for new work. */
  refuseIfShort(): void
  stop(): Promise<void>
}

/** At a thousand new messages a second, a few megabytes arrive between two checks. */
const LOOK_MS = 2_000

/**
 * Watches the free space of a folder's disk. Below `least_free_mb` no new work is accepted. The remaining space is
 * reserved for existing work, above all for device reports. With 0, work is accepted until the disk is full.
 */
export async function watchDiskSpace(needs: {
  folder: string
  least_free_mb: number
  log: Logger
  look?: (folder: string) => Promise<number>
}): Promise<DiskSpace> {
  const { folder, least_free_mb, log, look = freeBytesOf } = needs
  let free: number | undefined
  let short: string | undefined

  async function work(): Promise<void> {
    try {
      free = await look(folder)
    } catch (error) {
      free = short = undefined
      throw error
    }
    const was = short
    short = free < least_free_mb * 1e6 ? sentence(folder, free, least_free_mb) : undefined
    if (short !== undefined && was === undefined) log.error(short)
    if (short === undefined && was !== undefined)
      log.info(`The disk of ${folder} has ${inMb(free)} MB free again: new messages and tasks are accepted`)
  }

  // So that the first caller gets an answer. The loop logs any error.
  await work().catch(() => {})
  const loop = startLoop({ name: 'disk space', every_ms: LOOK_MS, log, work })
  return {
    freeBytes: () => free,
    shortage: () => short,
    refuseIfShort() {
      if (short !== undefined) throw new Refusal('disk_full', short)
    },
    stop: () => loop.stop(),
  }
}

/** For a database on another machine, whose disk cannot be seen. */
export const unknownDiskSpace: DiskSpace = {
  freeBytes: () => undefined,
  shortage: () => undefined,
  refuseIfShort() {},
  stop: async () => {},
}

/** How many bytes this process may still write on the disk of a folder. */
export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

function sentence(folder: string, free: number, least_free_mb: number): string {
  return (
    `The disk of ${folder} has ${inMb(free)} MB free, and LEAST_FREE_MB keeps ${least_free_mb} MB for device ` +
    'reports: new messages, tasks, contacts and campaigns are refused. Free some room there and try again.'
  )
}

function inMb(bytes: number): string {
  return (bytes / 1e6).toFixed(bytes < 10e6 ? 1 : 0)
}
