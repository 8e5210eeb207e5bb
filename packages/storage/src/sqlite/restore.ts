import {
  closeSync,
  existsSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { migrate, type Migration, unknownMigrations } from '#storage/migrate.ts'
import type { Tx } from '#storage/tx.ts'
import { checkFile, freeBytesOf, makeOwnFile, refuseWithoutRoom, sync } from './backup.ts'
import { MARKER_FILE } from './files.ts'
import { lockFolder, makeFolder, requireReadable } from './folder.ts'
import { sqliteTx } from './tx.ts'

type Needs<Tables, Changed> = {
  /** The path of the backup. */
  from: string
  /** The path of the new database, in a folder that has none yet. */
  path: string
  migrations: readonly Migration<Tables>[]
  /** Makes the database safe to start, in one transaction, before the file gets its name. */
  restored: (tx: Tx<Tables>) => Promise<Changed>
  freeBytes?: ((folder: string) => number) | undefined
}

/** Bytes copied at a time. */
const CHUNK_BYTES = 1 << 20

/**
 * Puts a backup at `path`, brings it up to date and runs `restored` on it. Throws and leaves nothing if the folder has
 * a database, is in use or has no room. The same goes for a file that is not a complete backup of this version or an
 * older one.
 */
export async function restoreBackup<Tables, Changed>(needs: Needs<Tables, Changed>): Promise<Changed> {
  const { from, path, migrations, freeBytes = freeBytesOf } = needs
  const folder = dirname(path)
  refuseUnfit(from, migrations)
  makeFolder(folder)
  const release = lockFolder(folder)
  try {
    refuseTaken(path)
    refuseWithoutRoom(folder, statSync(from).size, freeBytes(folder))
    return await copyInto(needs)
  } finally {
    release()
  }
}

function refuseUnfit(from: string, migrations: readonly { name: string }[]): void {
  requireReadable(from, {
    missing: 'name the file of a backup',
    closed: 'copy it into DATA_DIR, and give the copy to that user',
  })
  if (!statSync(from).isFile()) throw new Error(`${from} is no file; name one backup`)
  const log = `${from}-wal`
  if (existsSync(log) && statSync(log).size > 0) {
    throw new Error(
      `${basename(from)} is no backup but the file of a server, with what it wrote last in ${basename(log)}: ` +
        'set DATA_DIR to its folder to use it as it is, or to make a backup of it',
    )
  }
  checkFile(from)
  const unknown = unknownMigrations(migrationsOf(from), migrations)
  if (unknown.length === 0) return
  const newer = `was made by a newer version of this program (it knows ${unknown.join(', ')})`
  throw new Error(`${basename(from)} ${newer}: restore it with that one`)
}

function refuseTaken(path: string): void {
  const existing = [path, `${path}-wal`, join(dirname(path), MARKER_FILE)].find((file) => existsSync(file))
  if (existing) throw new Error(`${existing} exists: restore into an empty folder, so that nothing is lost`)
}

function migrationsOf(path: string): string[] {
  const connection = new DatabaseSync(path, { readOnly: true })
  try {
    return connection
      .prepare('select name from schema_migrations')
      .all()
      .map(({ name }) => String(name))
  } finally {
    connection.close()
  }
}

async function copyInto<Tables, Changed>(needs: Needs<Tables, Changed>): Promise<Changed> {
  const { from, path } = needs
  const partial = `${path}.partial`
  try {
    rmSync(partial, { force: true })
    makeOwnFile(partial)
    copyBytes(from, partial)
    const changed = await change(partial, needs)
    sync(partial)
    renameSync(partial, path)
    sync(dirname(path))
    return changed
  } finally {
    for (const rest of [partial, `${partial}-wal`, `${partial}-shm`, `${partial}-journal`])
      rmSync(rest, { force: true })
  }
}

/** Not `copyFile`: it would give the copy the mode of the backup. */
function copyBytes(from: string, to: string): void {
  const source = openSync(from, 'r')
  const target = openSync(to, 'w')
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
    for (let read = readSync(source, buffer); read > 0; read = readSync(source, buffer))
      writeFileSync(target, buffer.subarray(0, read))
  } finally {
    closeSync(source)
    closeSync(target)
  }
}

/** Migrates the file first, so that `restored` finds the current schema. */
async function change<Tables, Changed>(
  path: string,
  { migrations, restored }: Needs<Tables, Changed>,
): Promise<Changed> {
  const connection = new DatabaseSync(path)
  try {
    connection.exec('pragma journal_mode = delete; pragma foreign_keys = on; pragma temp_store = memory')
    const tx = sqliteTx<Tables>(connection)
    const transact = async <T>(work: (tx: Tx<Tables>) => Promise<T>): Promise<T> => {
      connection.exec('begin')
      const done = await work(tx)
      connection.exec('commit')
      return done
    }
    await migrate(tx, transact, migrations)
    return await transact(restored)
  } finally {
    connection.close()
  }
}
