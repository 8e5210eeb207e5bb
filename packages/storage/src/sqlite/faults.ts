import { statfsSync } from 'node:fs'
import type { Logger } from 'pino'
import type { MakeError, Unavailable } from '#storage/errors.ts'

/** What is wrong with the disk under the database, and what callers are told of it. */
export type Faults = {
  /** What a caller is told in place of an error of the disk; any other error comes back as it is. */
  told(error: unknown): unknown
  /** A commit is on disk. */
  wrote(): void
  /** Why nothing can be stored now; `undefined` while all is well. */
  standing(): Error | undefined
  /** Throws once the database is known to be damaged: from then on nothing is written. */
  refuseDamaged(): void
  /** Somebody who looked found this: nothing is written from now on. */
  damaged(what: string): void
  /**
   * The disk did not keep what had been written: throws, as nothing is written from now on. What is in the file and what
   * this process takes for stored may differ, and trying again would say that all is well (https://lwn.net/Articles/752063/).
   */
  lost(error: unknown): never
  stop(): void
}

/** A disk with less than this has no room: SQLite cannot always tell that from one that fails. */
const NO_ROOM_BYTES = 1 << 20
/** While a fault stands, something is written so often to learn whether it has passed. */
const PROBE_MS = 1_000
/** A fault has passed when writes go well for so long: one that fits where another does not is no recovery. */
const SETTLED_MS = 3_000

/** Result codes of SQLite (https://sqlite.org/rescode.html), without what extends them. */
const [BUSY, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, NOTADB] = [5, 8, 10, 11, 13, 14, 26]
const OF_THE_DISK = new Set([BUSY, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, NOTADB])

type Fault = Unavailable & { damage: boolean }

/**
 * Tells faults of the disk from those of a statement, and remembers them: no room and a disk that fails pass by
 * themselves, damage stays. `probe` writes something small, as any other caller would.
 */
export function openFaults(needs: {
  folder: string
  log: Pick<Logger, 'error' | 'info'> | undefined
  probe: () => Promise<unknown>
  unavailable: MakeError
}): Faults {
  const { folder, log, probe, unavailable } = needs
  let fault: Fault | undefined
  let [since_ms, failed_ms] = [0, 0]
  let probing: NodeJS.Timeout | undefined

  function told(error: unknown): unknown {
    const found = faultOf(error, folder)
    if (found === undefined) return error
    if (!fault?.damage) note(found)
    return unavailable(fault ?? found)
  }

  function note(found: Fault): void {
    failed_ms = performance.now()
    if (found.code !== fault?.code || found.damage) log?.error(found.detail)
    if (fault === undefined) since_ms = failed_ms
    fault = found
    if (!found.damage) probeSoon()
  }

  function probeSoon(): void {
    probing ??= setTimeout(() => {
      probing = undefined
      // What a write fails with is noted where it fails; where the rest fails, it is tried again.
      void Promise.try(probe).catch(probeSoon)
    }, PROBE_MS).unref()
  }

  return {
    told,
    wrote() {
      if (fault === undefined || fault.damage) return
      const now = performance.now()
      if (now - failed_ms < SETTLED_MS) return probeSoon()
      log?.info(`The database in ${folder} is written again, after ${Math.round((now - since_ms) / 1_000)} s`)
      fault = undefined
    },
    standing: () => fault && unavailable(fault),
    refuseDamaged() {
      if (fault?.damage) throw unavailable(fault)
    },
    lost(error) {
      const detail = `The disk of ${folder} did not keep what was written (${(error as Error).message}): nothing more is stored. Look at the disk, then start the server again.`
      note({ code: 'not_ready', detail, damage: true })
      throw unavailable(fault!)
    },
    damaged: (what) => void told(Object.assign(new Error(what), { errcode: CORRUPT })),
    stop: () => clearTimeout(probing),
  }
}

/** What is wrong with the disk, where that is what an error at the start is about; of damage the start says more. */
export function diskFault(error: unknown, folder: string): string | undefined {
  const fault = faultOf(error, folder)
  return fault?.damage ? undefined : fault?.detail
}

function faultOf(error: unknown, folder: string): Fault | undefined {
  const { errcode, message } = Object(error) as { errcode?: number; message?: string }
  const code = (errcode ?? 0) & 0xff
  if (!OF_THE_DISK.has(code)) return undefined
  if (code === CORRUPT || code === NOTADB) {
    const detail = `The database in ${folder} is damaged (${message}): nothing more is stored. Stop the server and restore a backup.`
    return { code: 'not_ready', detail, damage: true }
  }
  if (code === FULL || (code === IOERR && hasNoRoom(folder))) {
    const detail = `There is no room left on the disk of ${folder}: nothing was stored. Free some room there and try again.`
    return { code: 'disk_full', detail, damage: false }
  }
  const why = code === BUSY ? 'another program holds it' : message
  const detail = `The database in ${folder} cannot be written (${why}): nothing was stored. Look at the disk and try again.`
  return { code: 'not_ready', detail, damage: false }
}

function hasNoRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize < NO_ROOM_BYTES
  } catch {
    return false
  }
}
