import { statfsSync } from 'node:fs'
import type { Logger } from 'pino'
import type { MakeError, Unavailable } from '#storage/errors.ts'

/** The state of the disk under the database, and the errors that callers get. */
export type Faults = {
  /** Replaces an error of the disk with the error for callers. Returns any other error unchanged. */
  toCallerError(error: unknown): unknown
  /** A commit is on disk. */
  noteSuccess(): void
  /** Why nothing can be stored now; `undefined` if storing works. */
  standing(): Error | undefined
  /** Throws if the database is known to be damaged: nothing is written from then on. */
  refuseDamaged(): void
  /** Stops all writing, because the caller found this damage. */
  damaged(what: string): void
  /**
   * A sync failed: throws, and nothing is written from now on. The file may no longer match this process's view of it,
   * and a retry of the sync would falsely succeed (https://lwn.net/Articles/752063/).
   */
  noteFailedSync(error: unknown): never
  stop(): void
}

/** A disk with less free space counts as full: SQLite cannot always tell a full disk from a failing one. */
const NO_ROOM_BYTES = 1 << 20
/** How often a probe is written during a fault, to learn whether it has passed. */
const PROBE_MS = 1_000
/** A fault is over when writes succeed for this long. One small write that still fits is no recovery. */
const SETTLED_MS = 3_000

/** Primary result codes of SQLite (https://sqlite.org/rescode.html). */
const [BUSY, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, NOTADB] = [5, 8, 10, 11, 13, 14, 26]
const OF_THE_DISK = new Set([BUSY, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, NOTADB])

type Fault = Unavailable & { damage: boolean }

/**
 * Separates faults of the disk from errors of a statement, and remembers them. A full or failing disk recovers; damage
 * is permanent. `probe` writes something small through the same path as any caller.
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

  function toCallerError(error: unknown): unknown {
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
      // A failing write notes its own fault; after any other error, probe again.
      void Promise.try(probe).catch(probeSoon)
    }, PROBE_MS).unref()
  }

  return {
    toCallerError,
    noteSuccess() {
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
    noteFailedSync(error) {
      const detail = `The disk of ${folder} did not keep what was written (${(error as Error).message}): nothing more is stored. Look at the disk, then start the server again.`
      note({ code: 'not_ready', detail, damage: true })
      throw unavailable(fault!)
    },
    damaged: (what) => void toCallerError(Object.assign(new Error(what), { errcode: CORRUPT })),
    stop: () => clearTimeout(probing),
  }
}

/**
 * The fault of the disk behind an error at startup. `undefined` for damage, which the startup checks describe better.
 */
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
