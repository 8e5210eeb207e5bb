import pg from 'pg'
import type { Logger } from 'pino'
import { reasonOf } from '#storage/errors.ts'
import { serverOf } from './url.ts'
import { NotPrimary } from './reach.ts'

/** The server that accepts writes, among those that `DATABASE_URL` lists or to which one name resolves over time. */
export type Primary = {
  /** Whether several servers are listed. */
  readonly several: boolean
  /** The URL of the last known primary. */
  url(): string
  /**
   * Resolves to the URL of the primary, and searches if several servers are listed. Throws `NotPrimary` if there is
   * none.
   */
  find(): Promise<string>
  /**
   * Call it with each new session. Throws `NotPrimary` unless the server accepts writes and no other has taken over
   * from it. The first session on a new primary cuts all sessions to the old one.
   */
  admit(client: pg.ClientBase): Promise<void>
}

/**
 * Each promotion of a standby starts a new timeline of the same cluster. An old primary that was cut off, or did not
 * notice the promotion, is still on the old timeline.
 */
type Age = { system: string; timeline: string }

type Found = { url: string; age: Age | undefined }

const PROBE_MS = 3_000
/** Once all servers have answered, an old primary can be recognized. Unreachable servers are not waited for. */
const GRACE_MS = 500

const TAKES_CHANGES = `select current_setting('transaction_read_only') = 'off' as takes_changes`
const AGE = `select (pg_control_system()).system_identifier::text as system,
  substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as timeline`

export function openPrimary(
  urls: readonly [string, ...string[]],
  { settings, log }: { settings: pg.ClientConfig; log?: Pick<Logger, 'info'> | undefined },
): Primary {
  const several = urls.length > 1
  const sessions = new Map<pg.ClientBase, Age | undefined>()
  let newest: Age | undefined
  let [current, known] = [urls[0], false]
  let finding: Promise<string> | undefined

  async function ageOf(client: pg.ClientBase): Promise<Age | undefined> {
    const { rows } = await client.query<{ takes_changes: boolean }>(TAKES_CHANGES)
    if (!rows[0]!.takes_changes) throw new NotPrimary('it is a standby, or read-only')
    // Some servers that speak PostgreSQL's protocol have no WAL. Their age stays unknown.
    const age = await client.query<Age>(AGE).catch(() => undefined)
    return age?.rows[0]
  }

  function refuseOlder(age: Age | undefined): void {
    if (isOlder(age, newest)) throw new NotPrimary('another server has taken over from it')
  }

  async function probe(url: string): Promise<Found> {
    const client = new pg.Client({ ...settings, connectionString: url, connectionTimeoutMillis: PROBE_MS })
    client.on('error', () => {})
    try {
      await client.connect()
      const age = await ageOf(client)
      refuseOlder(age)
      return { url, age }
    } finally {
      void client.end().catch(() => {})
    }
  }

  async function look(): Promise<string> {
    const found: Found[] = []
    const why: string[] = []
    const all = urls.map(async (url) => {
      try {
        found.push(await probe(url))
      } catch (error) {
        why.push(`${serverOf(url)}: ${reasonOf(error as Error)}`)
        throw error
      }
    })
    // Handle late rejections, which are not awaited.
    const settled = Promise.allSettled(all)
    await Promise.any(all).catch(() => {})
    await Promise.race([settled, pause(GRACE_MS)])
    // If two servers accept writes, prefer the one promoted last, then the one already in use.
    const [best] = found.toSorted(
      (a, b) =>
        Number(isOlder(a.age, b.age)) - Number(isOlder(b.age, a.age)) ||
        Number(b.url === current) - Number(a.url === current),
    )
    if (best === undefined) throw new NotPrimary('no server takes changes', why)
    if (known && best.url !== current) log?.info(`PostgreSQL at ${serverOf(best.url)} has taken over`)
    ;[current, known] = [best.url, true]
    return current
  }

  return {
    several,
    url: () => current,
    find: async () => (several ? (finding ??= look().finally(() => (finding = undefined))) : current),
    async admit(client) {
      const age = await ageOf(client)
      refuseOlder(age)
      if (isNewer(age, newest)) {
        newest = age
        for (const [session, its] of sessions) if (isNewer(age, its)) cut(session)
      }
      sessions.set(client, age)
      client.once('end', () => sessions.delete(client))
    },
  }
}

/** Whether `age` is the same cluster before a promotion. */
function isOlder(age: Age | undefined, than: Age | undefined): boolean {
  return age !== undefined && than !== undefined && age.system === than.system && age.timeline < than.timeline
}

/** Whether `age` is a later timeline or another cluster, for example after a name was pointed to a new one. */
function isNewer(age: Age | undefined, than: Age | undefined): boolean {
  return (
    age !== undefined && (than === undefined || age.system !== than.system || age.timeline > than.timeline)
  )
}

/** Cuts the connection; its pending statements fail. */
function cut(client: pg.ClientBase): void {
  ;(client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref())
}
