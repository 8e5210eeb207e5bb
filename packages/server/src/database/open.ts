import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { ConfigError } from '#server/core/config.ts'
import type { Logger } from 'pino'
import { Refusal } from '#server/core/refusal.ts'
import type { Aside } from './aside.ts'
import { listBefore, makeBackup } from './backup.ts'
import { startCheckpoints } from './checkpoints.ts'
import { lookThrough, refuseDamaged, refuseUnusable, unusable } from './checks.ts'
import { BACKUP_FOLDER, DATABASE_FILE, MARKER_FILE } from './files.ts'
import { diskFault, openFaults } from './faults.ts'
import { lockFolder, makeFolder } from './folder.ts'
import { type Early, openGroupCommit } from './group-commit.ts'
import { migrate, pendingMigrations } from './migrate.ts'
import type { Channel } from './postgres/channel.ts'
import { openPostgres } from './postgres/open.ts'
import type { Tx } from './schema.ts'
import { kyselyOver, kyselyOverThread } from './sqlite.ts'
import { openSyncing } from './sync.ts'
import { openThread } from './thread.ts'

export type Database = {
  /** For reading alone; sees what is committed. */
  read: Tx
  /** The same for what may take long, lists and searches: on SQLite in a thread of its own, so that nobody waits for it. */
  readAside: Tx
  /** Reads by this, there as well: it goes there and comes back once, however many statements it takes. */
  runAside<Given, Answer>(work: Aside<Given, Answer>, given: Given): Promise<Answer>
  /**
   * Runs `work` in a transaction and resolves once it is on disk; what throws is undone. Many callers share one
   * commit. Inside, only `tx` may be awaited, and nothing changed but through it: a work may be undone and run again.
   * `disk_full` where there is no room, `not_ready` where the disk fails, the database is damaged or cannot be
   * reached: nothing is stored then. Where others write too, one that is `alone` has a commit to itself; `callers` says
   * for how many it is asked so far, where it may be for several. `early` hears of it between the commit and the disk,
   * where there is such a time.
   */
  write<T>(
    work: (tx: Tx) => Promise<T>,
    how?: { alone?: boolean; callers?: () => number; early?: Early<T> },
  ): Promise<T>
  /**
   * The same beside those who write, for what may take long: it waits for nobody, but throws `not_ready` where it would
   * have to. `undefined` where there is a single writer.
   */
  apart?: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>
  /**
   * On SQLite: runs these statements in one transaction of another thread, and resolves to the rows of the last. Who
   * writes meanwhile waits, nobody else does: `held_up` says whether somebody did.
   */
  writeAside?: (texts: readonly string[]) => Promise<{ rows: Record<string, unknown>[]; held_up: boolean }>
  /** Why nothing can be stored now; `undefined` while all is well. */
  fault(): Refusal | undefined
  /** A number for a device's connection: higher than any before it, at whichever server. */
  connectionNumber(): Promise<number>
  /** To the other servers over this database; `undefined` where there can be none. */
  channel: Channel | undefined
  close(): Promise<void>
}

/** Opens the PostgreSQL database behind `url`; where there is none, the SQLite database in `folder`. */
export function openDatabase({
  url,
  folder,
  log,
  committed = () => {},
}: {
  url?: string | undefined
  folder: string
  log?: Logger
  committed?: (seconds: number, callers: number) => void
}): Promise<Database> {
  return url === undefined ? openSqlite({ folder, log, committed }) : openPostgres({ url, log, committed })
}

/**
 * Opens the SQLite database in `folder`, made on the first start. A marker file remembers that there is one: a
 * database that has vanished, is damaged or belongs to a newer version is said (`ConfigError` about `DATA_DIR`),
 * never silently made anew. A lock keeps a second server out.
 */
async function openSqlite(needs: {
  folder: string
  log: Logger | undefined
  committed: (seconds: number, callers: number) => void
}): Promise<Database> {
  const { folder, log, committed } = needs
  makeFolder(folder)
  const release = lockFolder(folder)
  try {
    const db = await openFile(folder, log, committed)
    return { ...db, close: () => db.close().finally(release) }
  } catch (error) {
    release()
    if (error instanceof ConfigError) throw error
    const { message } = error as Error
    const said = error instanceof Refusal ? message : diskFault(error, folder)
    throw unusable(said ?? `${folder}: the database ${message}`)
  }
}

async function openFile(
  folder: string,
  log: Logger | undefined,
  committed: (seconds: number, callers: number) => void,
): Promise<Database> {
  const path = join(folder, DATABASE_FILE)
  const marker = join(folder, MARKER_FILE)
  refuseUnusable({ path, marker })
  const connection = connect(path)
  const reading = connect(path)
  const probe = () => {
    // Commits do this, but none succeeds: what the log holds already goes into the file, and its room is used again.
    reading.exec('pragma wal_checkpoint(passive)')
    return group.write((tx) => sql`pragma user_version = 0`.execute(tx))
  }
  const faults = openFaults({ folder, log, probe })
  const tx = kyselyOver(connection, faults.told)
  const log_file = openSyncing(`${path}-wal`)
  // Each transaction is on disk before the next begins: what a start finds in the log is judged by that.
  let lent: Promise<void> | undefined
  const group = openGroupCommit({
    connection,
    makeTx: (totals) => kyselyOver(connection, faults.told, totals),
    faults,
    sync: log_file.sync,
    lent: () => lent,
    committed,
  })
  const asking = openThread(path)
  const keeping = openThread(path)
  const checkpoints = startCheckpoints({ log_path: `${path}-wal`, thread: keeping, lend: group.lend })
  const close = async () => {
    faults.stop()
    await Promise.all([checkpoints.stop(), group.close()])
    await Promise.all([asking.close(), keeping.close()])
    log_file.close()
    reading.close()
    connection.close()
  }
  try {
    refuseDamaged(connection, path)
    await keepBefore(tx, folder)
    await migrate(tx, group.write)
  } catch (error) {
    await close()
    throw error
  }
  if (!existsSync(marker)) writeMarker(marker)
  const looking = lookThrough(path)
  looking.found.then(
    (what) => what !== undefined && faults.damaged(what),
    (error: Error) => log?.warn(`${path} could not be looked through for damage: ${error.message}`),
  )
  let connections = 0
  return {
    connectionNumber: () => Promise.resolve(++connections),
    channel: undefined,
    read: kyselyOver(reading, faults.told),
    readAside: kyselyOverThread(asking, faults.told),
    runAside: <Given, Answer>({ module }: Aside<Given, Answer>, given: Given) =>
      asking.work<Answer>(module, given).catch((error: unknown) => {
        throw faults.told(error)
      }),
    write: group.write,
    async writeAside(texts) {
      const { kept, ...written } = await group.lend(async () => {
        await lent
        faults.refuseDamaged()
        try {
          const rows = await keeping.run(['begin immediate', ...texts.slice(0, -1), 'commit', texts.at(-1)!])
          return { rows, held_up: group.isWanted(), kept: (lent = log_file.sync().catch(faults.lost)) }
        } catch (error) {
          throw faults.told(error)
        }
      })
      await kept
      return written
    },
    fault: faults.standing,
    close() {
      looking.stop()
      return close()
    },
  }
}

/**
 * `synchronous=NORMAL` keeps the file whole in a power cut; that commits are on disk is seen to by the group commit. Each
 * connection's cache stays at SQLite's own 2 MB: whatever another one commits empties it, which takes the longer the
 * larger it is, and the system has the file in what memory is free.
 */
function connect(path: string): DatabaseSync {
  const connection = new DatabaseSync(path)
  chmodSync(path, 0o600)
  connection.exec(`
    pragma busy_timeout = 5000;
    pragma journal_mode = wal;
    pragma synchronous = normal;
    pragma journal_size_limit = 67108864;
    pragma wal_autocheckpoint = 0;
    pragma foreign_keys = on;
    pragma temp_store = memory;
  `)
  return connection
}

/** A database that is about to change its shape is copied first; of several tries the last copy is kept. */
async function keepBefore(tx: Tx, folder: string): Promise<void> {
  const { applied, pending } = await pendingMigrations(tx)
  if (applied.length === 0 || pending.length === 0) return
  const to = join(folder, BACKUP_FOLDER)
  const before = pending[0]!.name
  const { path } = makeBackup({ folder, to, now: new Date(), before })
  for (const earlier of listBefore(to, before)) if (earlier !== path) rmSync(earlier)
}

function writeMarker(marker: string): void {
  const installation = { installation: randomUUID(), created_at: new Date().toISOString() }
  writeFileSync(marker, `${JSON.stringify(installation, null, 2)}\n`, { mode: 0o600, flush: true })
}
