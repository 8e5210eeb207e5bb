import pg from 'pg'
import { storable } from './rows.ts'
import type { Logger } from 'pino'
import { urlsOf } from './url.ts'
import { openPrimary, type Primary } from './primary.ts'
import { NotReplicated } from './reach.ts'

export type Result = { rows: unknown[]; rowCount: number | null; command: string }

/** One session. What is sent before the last has been answered follows it at once, and is answered in order. */
export type Connection = {
  send(text: string, values?: readonly unknown[], name?: string): Promise<Result>
  /** It has gone, and takes nothing more. */
  broken(): boolean
  close(): Promise<void>
}

/** Nothing is waited for without end. The server's are shorter: it can say which statement took so long. */
const CONNECT_MS = 5_000
const STATEMENT_MS = 30_000
const ANSWER_MS = STATEMENT_MS + 5_000
const LOCK_MS = 10_000
/** A writer that hangs between two statements is cut off, and what it held is free again, before others give up. */
const IDLE_IN_TRANSACTION_MS = 5_000
const KEEP_ALIVE_MS = 10_000

/** How every session is opened, and to which server. */
export type Settings = pg.PoolConfig & { primary: Primary }

/** Those who share it go to the same server, and leave together one that another has taken over from. */
export function settingsOf(
  url: string,
  { log, name = 'storage' }: { log?: Pick<Logger, 'info'> | undefined; name?: string | undefined } = {},
): Settings {
  const settings = {
    application_name: name,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    statement_timeout: STATEMENT_MS,
    lock_timeout: LOCK_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    types: { getTypeParser },
  }
  return { ...settings, primary: openPrimary(urlsOf(url), { settings, log }) }
}

/** For what may take as long as it takes: migrations, and copying a whole database. */
export function patientSettingsOf(url: string): Settings {
  return patient(settingsOf(url))
}

export function patient(settings: Settings): Settings {
  return { ...settings, query_timeout: 0, statement_timeout: 0, lock_timeout: 0 }
}

/**
 * Answered is on disk, and on a standby that is to confirm it: less than that would break this promise. What somebody
 * set beyond `on`, or how much a standby confirms, stays.
 */
const SYNCHRONOUS = `select set_config('synchronous_commit', 'on', false)
  where current_setting('synchronous_commit') in ('off', 'local')`
/** Where PostgreSQL says that it has stopped waiting for a standby: a warning without a code of its own. */
const STOPPED_WAITING = 'SyncRepWaitForLSN'

/** `notified` hears what other sessions NOTIFY, once this one listens. */
export async function connect(
  { primary, ...settings }: Settings,
  notified?: (payload: string) => void,
): Promise<Connection> {
  const connectionString = await primary.find()
  const client = new pg.Client({ ...settings, connectionString, pipeline: true } as pg.ClientConfig)
  let [gone, unconfirmed] = [false, false]
  client.on('error', () => (gone = true))
  client.on('end', () => (gone = true))
  client.on('notification', ({ processId, payload }) => {
    if (payload !== undefined && processId !== (client as unknown as { processID: number }).processID)
      notified?.(payload)
  })
  client.on('notice', ({ routine }) => {
    if (routine === STOPPED_WAITING) unconfirmed = true
  })
  try {
    await client.connect()
    await primary.admit(client)
    await client.query(SYNCHRONOUS)
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
  return {
    async send(text, values, name) {
      const result: Result = await client.query(asPgWants(text, values, name))
      // Its answer looks like any other, and what was committed may be lost with this server.
      if (unconfirmed) throw new NotReplicated()
      return result
    },
    broken: () => gone || unconfirmed,
    close: () => client.end(),
  }
}

/** Without values it is a plain text, which may hold several statements. */
export function asPgWants(text: string, values?: readonly unknown[], name?: string): pg.QueryConfig {
  return {
    text,
    ...(values !== undefined && values.length > 0 && { values: values.map(storable) }),
    ...(name !== undefined && { name }),
  }
}

const [INT8, NUMERIC] = [20, 1700]

/** Ids and counts are numbers, as they are on SQLite; what is beyond 2⁵³ does not come up. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === INT8 || oid === NUMERIC ? Number : (pg.types.getTypeParser(oid, format as 'text') as unknown)
}
