import pg from 'pg'
import type { Aside } from '#storage/aside.ts'
import type { Database, OpenOptions } from '#storage/database.ts'
import { Unusable } from '#storage/errors.ts'
import { migrate } from '#storage/migrate.ts'
import type { Tx } from '#storage/tx.ts'
import { openApart } from './apart.ts'
import { openChannel } from './channel.ts'
import {
  asPgWants,
  connect,
  type Connection,
  patient,
  patientSettingsOf,
  type Settings,
  settingsOf,
} from './connection.ts'
import { joinServers, openLine } from './line.ts'
import { isCut, openReach } from './reach.ts'
import { openStandbyCheck } from './standby.ts'
import { postgresTx } from './tx.ts'
import { openWriting } from './writing.ts'

/** Sessions for what is read; one more is for what is written, and one for the other servers. */
export const READERS = 10
const LEAST_VERSION = 15
/** Of two servers that start at once, one migrates, and the other finds that done (an arbitrary number). */
const MIGRATION_LOCK = '4201957306'

export type PostgresOptions<Tables> = OpenOptions<Tables> & {
  /** The name of its sessions in `pg_stat_activity`, and of the channel between servers. */
  name?: string
  /** Runs after the migrations at each start, in transactions of their own. */
  prepared?: (transact: Transact<Tables>) => Promise<void>
}

type Transact<Tables> = <T>(work: (tx: Tx<Tables>) => Promise<T>) => Promise<T>

/**
 * Opens the PostgreSQL database behind a URL and brings its schema up to date. A server that cannot be reached, or a
 * database that cannot be used, is an error (`Unusable`). Once it is open, each caller hears of a server that goes away,
 * and it is found again.
 */
export async function openPostgres<Tables>(
  url: string,
  options: PostgresOptions<Tables>,
): Promise<Database<Tables>> {
  const { log, committed = () => {}, beforeCommit = () => {}, unavailable, name } = options
  const settings = settingsOf(url, { log, name })
  const { primary } = settings
  const warnIfAlone = openStandbyCheck(primary, log)
  const line = openLine(settings, async (session) => {
    await joinServers(session)
    if (primary.several) await warnIfAlone(session)
  })
  try {
    await prepare(url, options)
    await line.session()
  } catch (error) {
    throw error instanceof Unusable ? error : new Unusable('url', `the database ${whyNot(error as Error)}`)
  }
  const pool = openPool(settings)
  // A session that ends while nobody uses it is replaced at the next query.
  pool.on('error', () => {})
  const reach = openReach({ log, unavailable, probe: () => writing.write(async () => {}) })
  const ask = async (query: pg.QueryConfig): Promise<{ rows: unknown[] }> => {
    try {
      // A session may have ended without a word since it was used last; the next one is new.
      return await pool.query(query).catch(async (error: unknown) => {
        if (!isCut(error)) throw error
        await primary.find()
        return pool.query(query)
      })
    } catch (error) {
      throw reach.told(error)
    }
  }
  const read = postgresTx<Tables>(({ text, name }, values) => ask(asPgWants(text, values, name)), {
    writing: false,
  })
  const channel = openChannel(settings)
  const { apart, ...beside } = openApart<Tables>(patient(settings), reach.told)
  const writing = openWriting<Tables>({
    line,
    told: reach.told,
    answered: reach.answered,
    committed,
    beforeCommit,
    unavailable,
  })
  return {
    read,
    readAside: read,
    runAside: <Given, Answer>({ run }: Aside<Tables, Given, Answer>, given: Given) => run(read, given),
    write: writing.write,
    apart,
    fault: reach.standing,
    damaged() {},
    async nextNumber(sequence) {
      const { rows } = await ask({ text: `select nextval('${sequence}') as number` })
      return (rows as { number: number }[])[0]!.number
    },
    channel,
    async close() {
      reach.stop()
      await writing.close()
      await Promise.all([channel.close(), line.close(), beside.close(), pool.end()])
    },
  }
}

/** The last transaction of each server that writes: one whose answer was lost is looked up here. */
const WRITERS = `create table if not exists writers (
  id text collate "C" primary key, last_transaction text collate "C" not null, at timestamptz not null)`

/** For what is read; each session is at the server that takes changes, as a standby may know less. */
function openPool({ primary, ...settings }: Settings): pg.Pool {
  function Client(options: pg.ClientConfig) {
    return new pg.Client({ ...options, connectionString: primary.url() })
  }
  return new pg.Pool({
    ...settings,
    max: READERS,
    // `new` of a function that returns an object makes that object.
    Client: Client as unknown as new () => pg.ClientBase,
    // It waits for what this returns, whatever its type says.
    onConnect: primary.admit as (client: pg.ClientBase) => void,
  })
}

/** Looks at what kind of database it is, and migrates it; of several servers that start at once, one does. */
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

/** For a caller that has a session to itself, and begins and commits its transactions. */
export function handleOver<Tables>(session: Connection): Tx<Tables> {
  return postgresTx(({ text }, values) => session.send(text, values), { writing: false })
}

export async function transact<Tables, T>(
  session: Connection,
  tx: Tx<Tables>,
  work: (tx: Tx<Tables>) => Promise<T>,
): Promise<T> {
  await session.send('begin')
  try {
    const done = await work(tx)
    await session.send('commit')
    return done
  } catch (error) {
    await session.send('rollback').catch(() => {})
    throw error
  }
}

/** Throws `Unusable` if the server is too old, or the database keeps other characters. */
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

/** Never the URL, which has a password in it. */
function whyNot({ message, errors, servers }: Error & { errors?: Error[]; servers?: string[] }): string {
  // Of several servers, and of a name with several addresses, each has an error of its own.
  const each = servers?.join('; ') || (message === '' && errors?.map((error) => error.message).join('; '))
  const why = each || message || 'unknown reason'
  return /^(is|was|has) /.test(why) ? why : `cannot be opened (${why})`
}
