import pg from 'pg'
import type { Logger } from 'pino'
import { type Asked, Batch, type ParseText, type Result, type RowMakers } from './batch.ts'
import { storable } from './rows.ts'
import { urlsOf } from './url.ts'
import { openPrimary, type Primary } from './primary.ts'
import { NotReplicated } from './reach.ts'

/**
 * One session. Statements are pipelined: each is sent without waiting for earlier answers, and answered in order. Those
 * that are sent before the event loop goes on are one batch.
 */
export type Connection = {
  send(text: string, values?: readonly unknown[], name?: string): Promise<Result>
  /** The session has ended and takes no more statements. */
  broken(): boolean
  close(): Promise<void>
}

/** Nothing waits forever. The server's timeouts are shorter, because it can say which statement was slow. */
const CONNECT_MS = 5_000
const STATEMENT_MS = 30_000
const ANSWER_MS = STATEMENT_MS + 5_000
const LOCK_MS = 10_000
const UPKEEP_MS = 300_000
/** A writer that hangs between two statements is cut off. Its locks are released before others time out. */
const IDLE_IN_TRANSACTION_MS = 5_000
const KEEP_ALIVE_MS = 10_000

/** The options of every session, and the server it connects to. */
export type Settings = pg.PoolConfig & { primary: Primary }

/** Sessions that share these settings use the same server, and leave it together after a failover. */
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

/** Without timeouts: for migrations and for copying a whole database. */
export function patientSettingsOf(url: string): Settings {
  return {
    ...settingsOf(url),
    query_timeout: 0,
    statement_timeout: 0,
    lock_timeout: 0,
    idle_in_transaction_session_timeout: 0,
  }
}

/** For slow statements that no caller waits for. */
export function forUpkeep(settings: Settings): Settings {
  return { ...settings, query_timeout: UPKEEP_MS + 5_000, statement_timeout: UPKEEP_MS, lock_timeout: 0 }
}

/**
 * An answered commit is on disk, and on a standby that must confirm it. A weaker setting would break this promise. A
 * setting stronger than `on`, and the standbys' own level, stay as configured.
 */
const SYNCHRONOUS = `select set_config('synchronous_commit', 'on', false)
  where current_setting('synchronous_commit') in ('off', 'local')`
/** The routine that warns when PostgreSQL stops waiting for a standby. The warning has no code of its own. */
const STOPPED_WAITING = 'SyncRepWaitForLSN'

/** Opens a session. `notified` gets the NOTIFY payloads of other sessions once this one listens. */
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
  const makers: RowMakers = new Map()
  let asked: Asked[] = []

  function sendBatch(): void {
    if (asked.length === 0) return
    const batch = asked
    asked = []
    client.query(new Batch(batch, makers, getTypeParser))
  }

  return {
    async send(text, values = [], name) {
      let result: Result
      if (values.length === 0 && name === undefined) {
        sendBatch()
        result = await client.query(text)
      } else {
        if (asked.length === 0) process.nextTick(sendBatch)
        result = await new Promise<Result>((resolve, reject) => {
          asked.push({ text, values: values.map(storable), name, resolve, reject })
        })
      }
      // The answer looks like any other, but the commit may be lost with this server.
      if (unconfirmed) throw new NotReplicated()
      return result
    },
    broken: () => gone || unconfirmed,
    close() {
      sendBatch()
      return client.end()
    },
  }
}

/** Text without values is sent unprepared and may contain several statements. */
export function queryConfig(text: string, values?: readonly unknown[], name?: string): pg.QueryConfig {
  return {
    text,
    ...(values !== undefined && values.length > 0 && { values: values.map(storable) }),
    ...(name !== undefined && { name }),
  }
}

const [INT8, NUMERIC] = [20, 1700]

/** Ids and counts are numbers, as on SQLite. Values beyond 2⁵³ do not occur. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): ParseText {
  return oid === INT8 || oid === NUMERIC
    ? Number
    : (pg.types.getTypeParser(oid, format as 'text') as ParseText)
}
