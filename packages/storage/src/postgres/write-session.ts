import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type Connection, connect, type Settings } from './connection.ts'
import { isUnreachable, OtherServer } from './reach.ts'

/** The session for all writes, reopened when it breaks. */
export type WriteSession = {
  /** The session; opens one if there is none. */
  session(): Promise<Connection>
  /** The statement that leaves the mark of a transaction. The mark exists only if the transaction was committed. */
  mark(session: Connection, transaction: string): Promise<unknown>
  /** Whether a transaction was committed if its answer was lost. Waits until that is known, or throws. */
  wasCommitted(transaction: string): Promise<boolean>
  /** Drops the session, which rolls back its open transaction. */
  drop(): void
  close(): Promise<void>
}

/** The advisory lock that each server holds as shared, and a restore or move as exclusive (an arbitrary number). */
const SERVER_LOCK = '7305412186'
/** How long an old session of this server, or a server that just stopped, may take to release the lock. */
const LOCK_WITHIN_MS = 10_000
/** How long to look for the outcome of a transaction. */
const KNOWN_WITHIN_MS = 30_000
const RETRY_MS = 250

/**
 * Writes find their rows by key. By default the planner scans whole tables if its statistics are missing or old, or if
 * a few keys have most of the rows. It would also plan a statement over many partitions again at each run.
 */
export const BY_KEYS = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin']
  .map((way) => `set enable_${way} = off`)
  .concat('set plan_cache_mode = force_generic_plan')
  .join('; ')

/** Removes the marks of writers that have ended: no transaction is looked up after such a time. */
const FORGET = `delete from writers where at < now() - interval '7 days'`
const MARK = `insert into writers (id, last_transaction, at) values ($1, $2, now())
  on conflict (id) do update set last_transaction = excluded.last_transaction, at = excluded.at`
/** Waits for a transaction that is still committing, because it has locked the row. */
const LOOK = 'select last_transaction from writers where id = $1 for update'

/** `prepared` runs on each new session before it is used. */
export function openWriteSession(
  settings: Settings,
  prepared: (session: Connection) => Promise<void> = async () => {},
): WriteSession {
  const id = randomUUID()
  const name = `${settings.application_name} ${id}`
  let open: Connection | undefined
  let opening: Promise<Connection> | undefined

  async function begin(): Promise<Connection> {
    const session = await connect({ ...settings, application_name: name })
    try {
      // A dead session that the server has not noticed yet would still hold this server's locks.
      await session.send(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = $1 and pid <> pg_backend_pid() and usename = current_user`,
        [name],
      )
      await prepared(session)
      await session.send(BY_KEYS)
      await session.send(FORGET)
    } catch (error) {
      void session.close().catch(() => {})
      throw error
    }
    return session
  }

  async function session(): Promise<Connection> {
    if (open && !open.broken()) return open
    opening ??= begin().finally(() => (opening = undefined))
    open = await opening
    return open
  }

  function drop(): void {
    void open?.close().catch(() => {})
    open = undefined
  }

  return {
    session,
    drop,
    mark: (session, transaction) => session.send(MARK, [id, transaction], 'mark'),
    async wasCommitted(transaction) {
      const until = performance.now() + KNOWN_WITHIN_MS
      for (;;) {
        try {
          const { rows } = await (await session()).send(LOOK, [id])
          return (rows as { last_transaction: string }[])[0]?.last_transaction === transaction
        } catch (error) {
          if (!isUnreachable(error) || performance.now() > until) throw error
          drop()
          await wait(RETRY_MS)
        }
      }
    },
    async close() {
      await open?.close()
    },
  }
}

/** Keeps a restore or move out for as long as the session lasts. Throws while one is running. */
export function joinServers(session: Connection): Promise<void> {
  return hold(session, 'pg_try_advisory_lock_shared', 'is being restored, or moved to')
}

/** Keeps servers out for as long as the session lasts. Throws if one is running. */
export function keepServersOut(session: Connection): Promise<void> {
  return hold(session, 'pg_try_advisory_lock', 'is in use by a server')
}

async function hold(session: Connection, lock: string, why: string): Promise<void> {
  const until = performance.now() + LOCK_WITHIN_MS
  for (;;) {
    const { rows } = await session.send(`select ${lock}(${SERVER_LOCK}) as held`)
    if ((rows as { held: boolean }[])[0]?.held) return
    if (performance.now() > until) throw new OtherServer(why)
    await wait(RETRY_MS)
  }
}
