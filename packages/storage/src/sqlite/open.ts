import { randomUUID } from 'node:crypto'
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { WorkerRead } from '#storage/worker-read.ts'
import type { Database, OpenOptions } from '#storage/database.ts'
import { Unusable } from '#storage/errors.ts'
import { migrate, pendingMigrations } from '#storage/migrate.ts'
import type { Tx } from '#storage/tx.ts'
import { listBefore, makeBackup } from './backup.ts'
import { startCheckpoints } from './checkpoints.ts'
import { refuseDamaged, refuseUnusable, unusable } from './checks.ts'
import { diskFault, openFaults } from './faults.ts'
import { BACKUP_FOLDER, MARKER_FILE } from './files.ts'
import { lockFolder, makeFolder } from './folder.ts'
import { openGroupCommit } from './group-commit.ts'
import { openSyncing } from './sync.ts'
import { openThread } from './thread.ts'
import { addTextFunctions } from './text-functions.ts'
import { sqliteThreadTx, sqliteTx } from './tx.ts'

/**
 * Opens the SQLite database at `path`. On the first start it is created together with its folder, and a marker file
 * records that it exists. A database that has vanished, is damaged or belongs to a newer version is then an error
 * (`Unusable`) and never replaced by a new one. A lock keeps a second server out.
 */
export async function openSqlite<Tables>(
  path: string,
  options: OpenOptions<Tables>,
): Promise<Database<Tables>> {
  const folder = dirname(path)
  makeFolder(folder)
  const release = lockFolder(folder)
  try {
    const db = await openFile(path, options)
    return { ...db, close: () => db.close().finally(release) }
  } catch (error) {
    release()
    if (error instanceof Unusable) throw error
    const { message } = error as Error
    throw unusable(diskFault(error, folder) ?? `${folder}: the database ${message}`)
  }
}

async function openFile<Tables>(path: string, options: OpenOptions<Tables>): Promise<Database<Tables>> {
  const { migrations, unavailable, log, committed = () => {}, beforeCommit = () => {} } = options
  const folder = dirname(path)
  const marker = join(folder, MARKER_FILE)
  refuseUnusable({ path, marker })
  const connection = connect(path)
  const reading = connect(path)
  const probe = () => {
    // Commits fail now, so none triggers a checkpoint. This one moves the log into the file, so that the log's space is
    // reused.
    reading.exec('pragma wal_checkpoint(passive)')
    return group.write((tx) => tx.query('pragma user_version = 0'))
  }
  const faults = openFaults({ folder, log, probe, unavailable })
  const log_file = openSyncing(`${path}-wal`)
  // Each transaction is on disk before the next begins. The check of the log at startup relies on that.
  let pendingSync: Promise<void> | undefined
  const group = openGroupCommit<Tx<Tables>>({
    connection,
    makeTx: (totals) => sqliteTx(connection, { translateError: faults.toCallerError, totals }),
    faults,
    sync: log_file.sync,
    pendingSync: () => pendingSync,
    committed,
    beforeCommit,
  })
  const asking = openThread(path)
  const keeping = openThread(path)
  const checkpoints = startCheckpoints({
    log_path: `${path}-wal`,
    thread: keeping,
    runBetweenCommits: group.runBetweenCommits,
  })
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
    const tx = sqliteTx<Tables>(connection, { translateError: faults.toCallerError })
    await keepBefore(tx, path, migrations)
    await migrate(tx, group.write, migrations)
  } catch (error) {
    await close()
    throw error
  }
  if (!existsSync(marker)) writeMarker(marker)
  return {
    channel: undefined,
    read: sqliteTx(reading, { translateError: faults.toCallerError }),
    readInWorker: sqliteThreadTx(asking.all, faults.toCallerError),
    runInWorker: <Given, Answer>({ module }: WorkerRead<Tables, Given, Answer>, given: Given) =>
      asking.work<Answer>(module, given).catch((error: unknown) => {
        throw faults.toCallerError(error)
      }),
    write: group.write,
    async writeInWorker(texts) {
      const { durable, ...written } = await group.runBetweenCommits(async () => {
        await pendingSync
        faults.refuseDamaged()
        try {
          const rows = await keeping.run(['begin immediate', ...texts.slice(0, -1), 'commit', texts.at(-1)!])
          pendingSync = log_file.sync().catch(faults.noteFailedSync)
          return { rows, held_up: group.isWanted(), durable: pendingSync }
        } catch (error) {
          throw faults.toCallerError(error)
        }
      })
      await durable
      return written
    },
    fault: faults.standing,
    damaged: faults.damaged,
    close,
  }
}

/**
 * `synchronous=NORMAL` keeps the file intact in a power cut, and the group commit waits for the sync. The cache stays
 * at SQLite's default of 2 MB: a commit on another connection clears it, which takes longer for a larger cache, and the
 * page cache of the system has the file anyway.
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
  addTextFunctions(connection)
  return connection
}

/** Copies a database before its schema changes. After several attempts only the last copy is kept. */
async function keepBefore<Tables>(
  tx: Tx<Tables>,
  path: string,
  migrations: OpenOptions<Tables>['migrations'],
): Promise<void> {
  const { applied, pending } = await pendingMigrations(tx, migrations)
  if (applied.length === 0 || pending.length === 0) return
  const to = join(dirname(path), BACKUP_FOLDER)
  const before = pending[0]!.name
  const made = makeBackup({ path, to, now: new Date(), before })
  for (const earlier of listBefore(to, before)) if (earlier !== made.path) rmSync(earlier)
}

function writeMarker(marker: string): void {
  const installation = { installation: randomUUID(), created_at: new Date().toISOString() }
  writeFileSync(marker, `${JSON.stringify(installation, null, 2)}\n`, { mode: 0o600, flush: true })
}
