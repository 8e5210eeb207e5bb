import pg from 'pg'
import type { Channel } from '#storage/database.ts'
import { type Connection, connect, type Settings } from './connection.ts'

/** Events within this time are sent together: in PostgreSQL, concurrent notifiers wait for each other at commit. */
const MERGE_MS = 30
/** A payload is shorter than 8,000 bytes (https://www.postgresql.org/docs/current/sql-notify.html). */
const MOST_BYTES = 7_900
const ANSWER_MS = 3_000
/** Stands for events that could not be sent. Its receiver reads the database instead. */
const MISSED = 'missed'
const AGAIN_MS = 1_000
const NOTIFY = 'select pg_notify($1, $2)'

export function openChannel(settings: Settings): Channel {
  const channel = String(settings.application_name).replaceAll(/\W/g, '_')
  let session: Connection | undefined
  let opening: Promise<Connection> | undefined
  let listener: Parameters<Channel['listen']>[0] | undefined
  /** A repeated event moves to the end: of two events about the same thing, the last one counts. */
  const unsent = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let closed = false

  async function begin(): Promise<Connection> {
    const opened = await connect(
      {
        ...settings,
        application_name: `${settings.application_name} channel`,
        connectionTimeoutMillis: ANSWER_MS,
        query_timeout: ANSWER_MS,
        statement_timeout: ANSWER_MS,
      },
      (payload) => {
        for (const event of JSON.parse(payload) as unknown[])
          if (event === MISSED) listener?.missed()
          else listener?.heard(event)
      },
    )
    try {
      await opened.send(`listen ${channel}`)
    } catch (error) {
      void opened.close().catch(() => {})
      throw error
    }
    session = opened
    listener?.missed()
    return opened
  }

  /** The session; reopens it if it is broken. Calls at the same moment share one, as each session hears all events. */
  async function open(): Promise<Connection> {
    if (closed) throw new Error('The channel is closed')
    if (session && !session.broken()) return session
    opening ??= begin().finally(() => (opening = undefined))
    return opening
  }

  async function ask<Row>(text: string, values?: readonly unknown[]): Promise<Row[]> {
    const asked = await open()
    try {
      const { rows } = await asked.send(text, values)
      return rows as Row[]
    } catch (error) {
      // A session that does not answer may be dead without notice.
      if (!(error instanceof pg.DatabaseError)) drop(asked)
      throw error
    }
  }

  function drop(gone: Connection): void {
    if (session === gone) session = undefined
    void gone.close().catch(() => {})
  }

  function flush(): void {
    timer = undefined
    const payloads = payloadsOf(unsent)
    unsent.clear()
    for (const payload of payloads) void ask(NOTIFY, [channel, payload]).catch(lost)
  }

  /** The other servers do not know of these events, so tell them as soon as possible that they missed some. */
  function lost(): void {
    if (closed) return
    unsent.add(JSON.stringify(MISSED))
    timer ??= setTimeout(flush, AGAIN_MS)
  }

  return {
    ask,
    tell(event) {
      const text = JSON.stringify(event)
      unsent.delete(text)
      unsent.add(text)
      timer ??= setTimeout(flush, MERGE_MS)
    },
    listen: (added) => (listener = added),
    async close() {
      clearTimeout(timer)
      closed = true
      await opening?.catch(() => {})
      const last = session
      if (last === undefined) return
      // They say that this server's devices are disconnected.
      await Promise.allSettled(payloadsOf(unsent).map((payload) => last.send(NOTIFY, [channel, payload])))
      await last.close().catch(() => {})
    },
  }
}

/** The events as JSON lists, each short enough for one NOTIFY. */
function payloadsOf(events: Iterable<string>): string[] {
  const payloads: string[] = []
  let [list, bytes]: [string[], number] = [[], 0]
  for (const event of events) {
    const length = Buffer.byteLength(event) + 1
    if (bytes + length > MOST_BYTES && list.length > 0) {
      payloads.push(`[${list.join(',')}]`)
      ;[list, bytes] = [[], 0]
    }
    list.push(event)
    bytes += length
  }
  if (list.length > 0) payloads.push(`[${list.join(',')}]`)
  return payloads
}
