import pg from 'pg'
import type { WorkerRead } from '#storage/worker-read.ts'
import type { Database, OpenOptions } from '#storage/database.ts'
import { reasonOf, Unusable } from '#storage/errors.ts'
import { migrate } from '#storage/migrate.ts'
import type { Tx } from '#storage/tx.ts'
import { openOwnSession } from './own-session.ts'
import { openChannel } from './channel.ts'
import {
  queryConfig,
  connect,
  type Connection,
  forUpkeep,
  patientSettingsOf,
  type Settings,
  settingsOf,
} from './connection.ts'
import { joinServers, openWriteSession } from './write-session.ts'
import { isCut, openReach } from './reach.ts'
import { openStandbyCheck } from './standby.ts'
import { handleOver, postgresTx, transact } from './tx.ts'
import { openWriting } from './writing.ts'

/** Sessions for reading. One more is for writing, and one for the channel to other servers. */
const READERS = 10
const LEAST_VERSION = 15
/** If several servers start at once, one migrates while the others wait (an arbitrary number). */
const MIGRATION_LOCK = '4201957306'

export type PostgresOptions<Tables> = OpenOptions<Tables> & {
  /** The name of its sessions in `pg_stat_activity`, and of the channel between servers. */
  name?: string
  /** Runs after the migrations at each start, in separate transactions. */
  prepared?: (transact: Transact<Tables>) => Promise<void>
}

type Transact<Tables> = <T>(work: (tx: Tx<Tables>) => Promise<T>) => Promise<T>

/**
 * Opens the PostgreSQL database behind a URL and brings its schema up to date. Throws `Unusable` if the server cannot
 * be reached or the database cannot be used. Later, if the server goes away, callers get an error until it is found
 * again.
 */
export async function openPostgres<Tables>(
  url: string,
  options: PostgresOptions<Tables>,
): Promise<Database<Tables>> {
  const { log, committed = () => {}, beforeCommit = () => {}, unavailable, name } = options
  const settings = settingsOf(url, { log, name })
  const { primary } = settings
  const warnIfAlone = openStandbyCheck(primary, log)
  const writeSession = openWriteSession(settings, async (session) => {
    await joinServers(session)
    if (primary.several) await warnIfAlone(session)
  })
  try {
    await prepare(url, options)
    await writeSession.session()
  } catch (error) {
    throw error instanceof Unusable ? error : new Unusable('url', `the database ${whyNot(error as Error)}`)
  }
  const pool = openPool(settings)
  // An idle session that ends is replaced at the next query.
  pool.on('error', () => {})
  const reach = openReach({ log, unavailable, probe: () => writing.write(async () => {}) })
  const ask = async (query: pg.QueryConfig): Promise<{ rows: unknown[] }> => {
    try {
      // The session may have ended unnoticed since its last use; the next one is new.
      return await pool.query(query).catch(async (error: unknown) => {
        if (!isCut(error)) throw error
        await primary.find()
        return pool.query(query)
      })
    } catch (error) {
      throw reach.toCallerError(error)
    }
  }
  const read = postgresTx<Tables>(({ text, name }, values) => ask(queryConfig(text, values, name)), {
    writing: false,
  })
  const channel = openChannel(settings)
  const { inOwnSession, ...ownSession } = openOwnSession<Tables>(forUpkeep(settings), reach.toCallerError)
  const writing = openWriting<Tables>({
    writeSession,
    toCallerError: reach.toCallerError,
    noteSuccess: reach.noteSuccess,
    committed,
    beforeCommit,
    unavailable,
  })
  return {
    read,
    readInWorker: read,
    runInWorker: <Given, Answer>({ run }: WorkerRead<Tables, Given, Answer>, given: Given) =>
      run(read, given),
    write: writing.write,
    inOwnSession,
    fault: reach.standing,
    damaged() {},
    async nextNumbers(sequence, count) {
      const { rows } = await ask({
        text: `select nextval('${sequence}') as number from generate_series(1, ${count})`,
      })
      return (rows as { number: number }[]).map(({ number }) => number)
    },
    channel,
    async close() {
      reach.stop()
      await writing.close()
      await Promise.all([channel.close(), writeSession.close(), ownSession.close(), pool.end()])
    },
  }
}

/** The last transaction of each writing server, to look up a commit whose answer was lost. */
const WRITERS = `create table if not exists writers (
  id text collate "C" primary key, last_transaction text collate "C" not null, at timestamptz not null)`

/** The pool for reading. Each session uses the primary, because a standby may lag behind. */
function openPool({ primary, ...settings }: Settings): pg.Pool {
  function Client(options: pg.ClientConfig) {
    return new pg.Client({ ...options, connectionString: primary.url() })
  }
  return new pg.Pool({
    ...settings,
    max: READERS,
    // If a constructor returns an object, `new` returns that object.
    Client: Client as unknown as new () => pg.ClientBase,
    // The pool awaits the result, whatever its type says.
    onConnect: primary.admit as (client: pg.ClientBase) => void,
  })
}

/** Checks the database and migrates it. If several servers start at once, one of them migrates. */
export async function prepare<Tables>(
  url: string,
  { migrations, prepared }: Pick<PostgresOptions<Tables>, 'migrations' | 'prepared'>,
): Promise<void> {
  const session = await connect(patientSettingsOf(url))
  try {
    await refuseUnusable(session)
    await session.send(`select pg_advisory_lock(${MIGRATION_LOCK})`)
    await session.send(WRITERS)
    const tx = handleOver<Tables>(session)
    await migrate(tx, (work) => transact(session, tx, work), migrations)
    await prepared?.((work) => transact(session, tx, work))
  } finally {
    await session.close()
  }
}

/** Throws `Unusable` if the server is too old, or the database's encoding is not UTF-8. */
export async function refuseUnusable(session: Connection): Promise<void> {
  const { rows } = await session.send(
    `select current_setting('server_version_num')::int / 10000 as version,
      current_setting('server_encoding') as encoding`,
  )
  const [{ version, encoding }] = rows as [{ version: number; encoding: string }]
  if (version < LEAST_VERSION) {
    const why = `is PostgreSQL ${version}; ${LEAST_VERSION} or newer is needed`
    throw new Unusable('url', `the server ${why}`)
  }
  if (encoding !== 'UTF8') {
    const why = `has the encoding ${encoding}; make one with UTF8 (create database … encoding 'UTF8' template template0)`
    throw new Unusable('url', `the database ${why}`)
  }
}

/** Never includes the URL, which contains a password. */
function whyNot(error: Error): string {
  const why = reasonOf(error)
  return /^(is|was|has) /.test(why) ? why : `cannot be opened (${why})`
}
