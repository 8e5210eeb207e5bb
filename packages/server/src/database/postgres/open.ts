import pg from 'pg'
import type { Logger } from 'pino'
import { ConfigError } from '#server/core/config.ts'
import type { Aside } from '#server/database/aside.ts'
import { migrate } from '#server/database/migrate.ts'
import { keepMonths } from '#server/database/partitions/months.ts'
import type { Tx } from '#server/database/schema.ts'
import { openApart } from './apart.ts'
import {
  asPgWants,
  connect,
  type Connection,
  patient,
  patientSettingsOf,
  type Settings,
  settingsOf,
} from './connection.ts'
import { kyselyOverPostgres } from './kysely.ts'
import { openChannel } from './channel.ts'
import { startCounting } from './counting.ts'
import { joinServers, openLine } from './line.ts'
import { isCut, openReach } from './reach.ts'
import { openStandbyCheck } from './standby.ts'
import { openWriting } from './writing.ts'

/** Sessions for what is read; one more is for what is written, and one for the other servers. */
export const READERS = 10
const LEAST_VERSION = 15
/** Of two servers that start at once, one migrates, and the other finds that done (an arbitrary number). */
const MIGRATION_LOCK = '4201957306'

/**
 * Opens the PostgreSQL database behind a URL and brings its schema up to date. A server that cannot be reached, or a
 * database that cannot be used, is said (`ConfigError` about `DATABASE_URL`); once open, one that goes away is said to
 * each caller, and found again.
 */
export async function openPostgres(needs: {
  url: string
  log?: Logger | undefined
  committed: (seconds: number, callers: number) => void
}) {
  const { url, log, committed } = needs
  const settings = settingsOf(url, log)
  const { primary } = settings
  const sayIfAlone = openStandbyCheck(primary, log)
  const line = openLine(settings, async (session) => {
    await joinServers(session)
    if (primary.several) await sayIfAlone(session)
  })
  try {
    await prepare(url)
    await line.session()
  } catch (error) {
    throw error instanceof ConfigError
      ? error
      : new ConfigError('DATABASE_URL', `the database ${inWords(error as Error)}`)
  }
  const pool = openPool(settings)
  // A session that ends while nobody uses it is replaced at the next query.
  pool.on('error', () => {})
  const reach = openReach({ log, probe: () => writing.write(async () => {}) })
  const read = kyselyOverPostgres(
    async ({ text, name }, values) => {
      const ask = () => pool.query(asPgWants(text, values, name))
      try {
        // A session may have ended without a word since it was used last; the next one is new.
        return await ask().catch(async (error: unknown) => {
          if (!isCut(error)) throw error
          await primary.find()
          return ask()
        })
      } catch (error) {
        throw reach.told(error)
      }
    },
    { writing: false },
  )
  const channel = openChannel(settings)
  const { apart, ...beside } = openApart(patient(settings), reach.told)
  const counting = startCounting({ read, apart, log: log ?? { error() {} } })
  const writing = openWriting({ line, told: reach.told, answered: reach.answered, committed })
  return {
    read,
    readAside: read,
    runAside: <Given, Answer>({ run }: Aside<Given, Answer>, given: Given) => run(read, given),
    write: writing.write,
    apart,
    fault: reach.standing,
    async connectionNumber() {
      const { rows } = await pool.query(`select nextval('device_connections') as number`).catch((error) => {
        throw reach.told(error)
      })
      return (rows as { number: number }[])[0]!.number
    },
    channel,
    async close() {
      reach.stop()
      await Promise.all([counting.stop(), writing.close()])
      await Promise.all([channel.close(), line.close(), beside.close(), pool.end()])
    },
  }
}

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
export async function prepare(url: string): Promise<void> {
  const session = await connect(patientSettingsOf(url))
  try {
    await refuseUnusable(session)
    await session.send(`select pg_advisory_lock(${MIGRATION_LOCK})`)
    const tx = handleOver(session)
    await migrate(tx, (work) => transact(session, tx, work))
    await keepMonths((work) => transact(session, tx, work))
  } finally {
    await session.close()
  }
}

/** For one who has a session to himself, and sees to its transactions. */
export function handleOver(session: Connection): Tx {
  return kyselyOverPostgres(({ text }, values) => session.send(text, values), { writing: false })
}

export async function transact<T>(session: Connection, tx: Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
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

/** `ConfigError` where the server is too old, or the database keeps other characters. */
export async function refuseUnusable(session: Connection): Promise<void> {
  const { rows } = await session.send(
    `select current_setting('server_version_num')::int / 10000 as version,
      current_setting('server_encoding') as encoding`,
  )
  const [{ version, encoding }] = rows as [{ version: number; encoding: string }]
  if (version < LEAST_VERSION) {
    const why = `is PostgreSQL ${version}; ${LEAST_VERSION} or newer is needed`
    throw new ConfigError('DATABASE_URL', `the server ${why}`)
  }
  if (encoding !== 'UTF8') {
    const why = `has the encoding ${encoding}; make one with UTF8 (create database … encoding 'UTF8' template template0)`
    throw new ConfigError('DATABASE_URL', `the database ${why}`)
  }
}

/** Never the URL, which has a password in it. */
function inWords({ message, errors, servers }: Error & { errors?: Error[]; servers?: string[] }): string {
  // Of several servers, and of a name with several addresses, each has an error of its own.
  const each = servers?.join('; ') || (message === '' && errors?.map((error) => error.message).join('; '))
  const why = each || message || 'unknown reason'
  return /^(is|was|has) /.test(why) ? why : `cannot be opened (${why})`
}
