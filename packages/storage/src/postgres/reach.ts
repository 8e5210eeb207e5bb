import pg from 'pg'
import type { Logger } from 'pino'
import type { MakeError, Unavailable } from '#storage/errors.ts'

/** Whether PostgreSQL can be reached, and what callers are told while it cannot. */
export type Reach = {
  /** What a caller is told in place of an error of the connection; any other error comes back as it is. */
  told(error: unknown): unknown
  /** It has answered. */
  answered(): void
  /** Why nothing can be read or stored now; `undefined` while all is well. */
  standing(): Error | undefined
  stop(): void
}

/** While it cannot be reached, it is asked so often. */
const PROBE_MS = 1_000

/** Classes of SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const DISK_FULL = '53100'
const CONNECTION = /^(08|28|57P0[1-5]|53300|53400|3D000|25006|25P0[34])/

/** The connection, or the server behind it, has gone; or the server takes nobody, or no changes. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof OtherServer || error instanceof NotPrimary || error instanceof NotReplicated)
    return true
  const { code } = Object(error) as { code?: unknown }
  if (error instanceof pg.DatabaseError) return CONNECTION.test(String(code))
  // An error with a code of Node's is about the socket. pg's own errors about it have no code, and no class of their own.
  if (typeof code === 'string') return /^E[A-Z]+$/.test(code)
  const { constructor, message } = Object(error) as Error
  return constructor === Error && /terminated|not queryable|timeout|ended by the other/i.test(message)
}

/** The connection has gone, and nobody waited long to learn it. */
export function isCut(error: unknown): boolean {
  return isUnreachable(error) && !/timeout/i.test((error as Error).message)
}

/** Nothing is wrong with what was asked: others have the same rows. It goes well when it is asked again. */
export function isCollision(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^(40001|40P01|55P03)$/.test(error.code ?? '')
}

/** Another transaction has stored the same key since this one looked for it. */
export function isTaken(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23505'
}

/** A lock or a statement took longer than it may, or others came first again and again. */
function isBusy(error: unknown): boolean {
  return isCollision(error) || (error instanceof pg.DatabaseError && error.code === '57014')
}

/** Others work on this database, who would not bear it. */
export class OtherServer extends Error {
  override readonly name = 'OtherServer'

  constructor(why: string) {
    super(`${why}; wait until that has ended, or stop it`)
  }
}

/** It takes no changes, or not any more: a standby, or a primary that another has taken over from. */
export class NotPrimary extends Error {
  override readonly name = 'NotPrimary'
  /** What each of several servers said, for the log. */
  readonly servers: readonly string[]

  constructor(why: string, servers: readonly string[] = []) {
    super(why)
    this.servers = servers
  }
}

/** It is committed where it was sent, and whether a standby has it is not known. */
export class NotReplicated extends Error {
  override readonly name = 'NotReplicated'

  constructor() {
    super('the standby has not confirmed it')
  }
}

function faultOf(error: unknown): Unavailable | undefined {
  const { code, message } = Object(error) as { code?: string; message: string }
  if (error instanceof pg.DatabaseError && code === DISK_FULL) {
    const detail =
      'There is no room left on the disk of the database: nothing was stored. Free some room there.'
    return { code: 'disk_full', detail }
  }
  if (!isUnreachable(error)) return undefined
  // What a connection that was refused says names hosts, and those are nobody's business.
  const detail = `The database cannot be reached (${code ?? message}): nothing was stored. Try again soon.`
  return { code: 'not_ready', detail, retry_after_secs: 5 }
}

/** `probe` asks something small; what comes of it is told here as of any other statement. */
export function openReach(needs: {
  log: Pick<Logger, 'error' | 'info'> | undefined
  probe: () => Promise<unknown>
  unavailable: MakeError
}): Reach {
  const { log, probe, unavailable } = needs
  let fault: Error | undefined
  let since_ms = 0
  let probing: NodeJS.Timeout | undefined

  function probeSoon(): void {
    probing ??= setTimeout(() => {
      probing = undefined
      if (fault) void probe().catch(() => fault && probeSoon())
    }, PROBE_MS).unref()
  }

  return {
    told(error) {
      if (isBusy(error)) {
        const detail = 'The database is busy: nothing was stored. Try again soon.'
        return unavailable({ code: 'not_ready', detail, retry_after_secs: 5 })
      }
      const found = faultOf(error)
      if (found === undefined) return error
      if (fault === undefined) {
        since_ms = performance.now()
        log?.error({ err: error }, `${found.detail.split(':')[0]}; the server goes on by itself`)
      }
      fault = unavailable(found)
      probeSoon()
      return fault
    },
    answered() {
      if (fault === undefined) return
      log?.info(
        `The database is written again, after ${Math.round((performance.now() - since_ms) / 1_000)} s`,
      )
      fault = undefined
    },
    standing: () => fault,
    stop: () => clearTimeout(probing),
  }
}
