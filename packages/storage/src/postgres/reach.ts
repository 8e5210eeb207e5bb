import pg from 'pg'
import type { Logger } from 'pino'
import type { MakeError, Unavailable } from '#storage/errors.ts'

/** Whether PostgreSQL can be reached, and the errors that callers get while it cannot. */
export type Reach = {
  /** Replaces an error of the connection with the error for callers. Returns any other error unchanged. */
  toCallerError(error: unknown): unknown
  /** The server has answered. */
  noteSuccess(): void
  /** Why nothing can be read or stored now; `undefined` if the server answers. */
  standing(): Error | undefined
  stop(): void
}

/** How often an unreachable server is probed. */
const PROBE_MS = 1_000

/** Classes of SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const DISK_FULL = '53100'
/** Of pg-pool. A server that does not answer has another one. */
const ALL_TAKEN = 'timeout exceeded when trying to connect'
const CONNECTION = /^(08|28|57P0[1-5]|53300|53400|3D000|25006|25P0[34])/
/**
 * Of Node's sockets, name look-ups, and TLS with its certificates
 * (https://nodejs.org/api/tls.html#x509-certificate-error-codes). Other codes with ERR_ are defects of the program.
 */
const SOCKET = /^(E(?!RR_)[A-Z_]+|ERR_(TLS|SSL)_.+|UNABLE_TO_.+|INVALID_(CA|PURPOSE)|.*CERT.*)$/

/** The connection or the server is gone, or the server accepts no clients or no writes. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof OtherServer || error instanceof NotPrimary || error instanceof NotReplicated)
    return true
  const { code } = Object(error) as { code?: unknown }
  if (error instanceof pg.DatabaseError) return CONNECTION.test(String(code))
  if (typeof code === 'string') return SOCKET.test(code)
  // The connection errors of `pg` itself have no code and no class.
  const { constructor, message } = Object(error) as Error
  return constructor === Error && /terminated|not queryable|timeout|ended by the other/i.test(message)
}

/** The connection is gone, and that was known at once, without a timeout. */
export function isCut(error: unknown): boolean {
  return isUnreachable(error) && !/timeout/i.test((error as Error).message)
}

/** A conflict with another transaction on the same rows. A retry succeeds. */
export function isCollision(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^(40001|40P01|55P03)$/.test(error.code ?? '')
}

/** Another transaction has stored the same key since this one looked for it. */
export function isTaken(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23505'
}

/** A lock or a statement timed out, every retry ran into another conflict, or no session of the pool became free. */
function isBusy(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return isCollision(error) || error.code === '57014'
  return error instanceof Error && error.message === ALL_TAKEN
}

/** Another process uses this database and excludes this one. */
export class OtherServer extends Error {
  override readonly name = 'OtherServer'

  constructor(why: string) {
    super(`${why}; wait until that has ended, or stop it`)
  }
}

/** The server does not accept writes: it is a standby, or a primary that another server has replaced. */
export class NotPrimary extends Error {
  override readonly name = 'NotPrimary'
  /** The error of each server, for the log. */
  readonly servers: readonly string[]

  constructor(why: string, servers: readonly string[] = []) {
    super(why)
    this.servers = servers
  }
}

/** Committed on the primary, but not confirmed by a standby. */
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
  // The message of a refused connection names hosts, which callers must not see.
  const detail = `The database cannot be reached (${code ?? message}): nothing was stored. Try again soon.`
  return { code: 'not_ready', detail, retry_after_secs: 5 }
}

/** `probe` runs a small statement, and reports its outcome here like any other statement. */
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
    toCallerError(error) {
      if (isBusy(error)) {
        const detail = 'The database is busy: nothing was stored. Try again soon.'
        return unavailable({ code: 'not_ready', detail, retry_after_secs: 5 })
      }
      const found = faultOf(error)
      if (found === undefined) return error
      if (fault === undefined) {
        since_ms = performance.now()
        log?.error({ err: error }, `${found.detail.split(':')[0]}; the server keeps trying`)
      }
      fault = unavailable(found)
      probeSoon()
      return fault
    },
    noteSuccess() {
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
