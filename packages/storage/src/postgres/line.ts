import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type Connection, connect, type Settings } from './connection.ts'
import { isUnreachable, OtherServer } from './reach.ts'

/** The session in which everything is written, opened anew when it has gone. */
export type Line = {
  /** The session; opens one where there is none. */
  session(): Promise<Connection>
  /** The statement that leaves the mark of a transaction: only if the transaction is committed, the mark is there. */
  mark(session: Connection, transaction: string): Promise<unknown>
  /** Whether a transaction whose end nobody heard of was committed. Waits until that is known, or throws. */
  wasCommitted(transaction: string): Promise<boolean>
  /** Gives the session up: what was open in it is undone. */
  drop(): void
  close(): Promise<void>
}

/** Held by each server that works on a database, and alone by who wants it to himself (an arbitrary number). */
const SERVER_LOCK = '7305412186'
/** What an old session of ours, or a server that has just ended, may take to let go of it. */
const LOCK_WITHIN_MS = 10_000
/** For so long the end of a transaction is looked for. */
const KNOWN_WITHIN_MS = 30_000
const RETRY_MS = 250

/**
 * Writes find their rows by keys. Left to itself, the planner scans whole tables if it has no statistics yet, or old ones,
 * or if a few keys have most of the rows; and it plans a statement over many partitions again at each run.
 */
const BY_KEYS = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin']
  .map((way) => `set enable_${way} = off`)
  .concat('set plan_cache_mode = force_generic_plan')
  .join('; ')

/** Marks of writers that have ended are of no use: a transaction is never looked for so long after. */
const FORGET = `delete from writers where at < now() - interval '7 days'`
const MARK = `insert into writers (id, last_transaction, at) values ($1, $2, now())
  on conflict (id) do update set last_transaction = excluded.last_transaction, at = excluded.at`
/** Waits for a transaction that is still being committed, as that has the row. */
const LOOK = 'select last_transaction from writers where id = $1 for update'

/** Each session that it opens is `prepared` before it is used. */
export function openLine(
  settings: Settings,
  prepared: (session: Connection) => Promise<void> = async () => {},
): Line {
  const id = randomUUID()
  const name = `${settings.application_name} ${id}`
  let open: Connection | undefined
  let opening: Promise<Connection> | undefined

  async function begin(): Promise<Connection> {
    const session = await connect({ ...settings, application_name: name })
    try {
      // A session of ours that the server has not missed yet would hold our own locks against us.
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

/** Keeps away those who want the database to themselves, for as long as the session lasts. Throws while one has it. */
export function joinServers(session: Connection): Promise<void> {
  return hold(session, 'pg_try_advisory_lock_shared', 'is being restored, or moved to')
}

/** Keeps servers out for as long as the session lasts. Throws where there is one. */
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
