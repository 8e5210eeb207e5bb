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
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { checkFile, freeBytesOf, makeOwnFile, refuseWithoutRoom, sync } from '@sdd/storage/sqlite/backup.ts'
import { MARKER_FILE } from '@sdd/storage/sqlite/files.ts'
import { migrate, unknownMigrations } from '@sdd/storage/migrate.ts'
import { sqliteTx } from '@sdd/storage/sqlite/tx.ts'
import { DATABASE_FILE } from './files.ts'
import { lockFolder, makeFolder } from '@sdd/storage/sqlite/folder.ts'
import { type HeldBack, holdBack } from './hold-back.ts'
import { migrations as productMigrations } from './migrations.ts'
import { asConfigError } from './open.ts'
import type { Schema, Tx } from './schema.ts'

type Needs = {
  path: string
  folder: string
  now: Date
  keep_access?: boolean
  migrations?: typeof productMigrations
  freeBytes?: (folder: string) => number
}

/** Copied at a time. */
const CHUNK_BYTES = 1 << 20

/**
 * Puts a backup into a folder that has no database yet, brought up to date and held back (see `holdBack`). Throws, and
 * leaves nothing, if the folder has a database, is in use or has no room, or if the file is not a whole backup of this
 * version or an older one.
 */
export function restoreBackup(needs: Needs): Promise<HeldBack> {
  return restore(needs).catch(asConfigError)
}

async function restore(needs: Needs): Promise<HeldBack> {
  const { path, folder, migrations = productMigrations, freeBytes = freeBytesOf } = needs
  refuseUnfit(path, migrations)
  makeFolder(folder)
  const release = lockFolder(folder)
  try {
    refuseTaken(folder)
    refuseWithoutRoom(folder, statSync(path).size, 0, freeBytes(folder))
    return await copyInto(needs)
  } finally {
    release()
  }
}

function refuseUnfit(path: string, migrations: typeof productMigrations): void {
  if (!existsSync(path)) throw new Error(`${path} does not exist`)
  if (!statSync(path).isFile()) throw new Error(`${path} is no file; name one backup`)
  const log = `${path}-wal`
  if (existsSync(log) && statSync(log).size > 0) {
    throw new Error(
      `${basename(path)} is no backup but the file of a server, with what it wrote last in ${basename(log)}: ` +
        'set DATA_DIR to its folder to use it as it is, or make a backup of it with npm run backup',
    )
  }
  checkFile(path)
  const unknown = unknownMigrations(migrationsOf(path), migrations)
  if (unknown.length === 0) return
  const newer = `was made by a newer version of this program (it knows ${unknown.join(', ')})`
  throw new Error(`${basename(path)} ${newer}: restore it with that one`)
}

function refuseTaken(folder: string): void {
  const target = join(folder, DATABASE_FILE)
  const there = [target, `${target}-wal`, join(folder, MARKER_FILE)].find((file) => existsSync(file))
  if (there) throw new Error(`${there} exists: restore into an empty folder, so that nothing is lost`)
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

async function copyInto(needs: Needs): Promise<HeldBack> {
  const { path, folder, now, keep_access = false, migrations = productMigrations } = needs
  const target = join(folder, DATABASE_FILE)
  const partial = `${target}.partial`
  try {
    rmSync(partial, { force: true })
    makeOwnFile(partial)
    copyBytes(path, partial)
    const held = await holdBackFile(partial, migrations, (tx) => holdBack(tx, now, keep_access))
    sync(partial)
    renameSync(partial, target)
    sync(folder)
    return held
  } finally {
    for (const rest of [partial, `${partial}-wal`, `${partial}-shm`, `${partial}-journal`])
      rmSync(rest, { force: true })
  }
}

/** `copyFile` would give the copy the mode of the backup. */
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

/** Brings the file up to date first, so that everything that can be taken back has its place. */
async function holdBackFile(
  path: string,
  migrations: typeof productMigrations,
  hold: (tx: Tx) => Promise<HeldBack>,
): Promise<HeldBack> {
  const connection = new DatabaseSync(path)
  try {
    connection.exec('pragma journal_mode = delete; pragma foreign_keys = on; pragma temp_store = memory')
    const tx = sqliteTx<Schema>(connection)
    const transact = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
      connection.exec('begin')
      const done = await work(tx)
      connection.exec('commit')
      return done
    }
    await migrate(tx, transact, migrations)
    return await transact(hold)
  } finally {
    connection.close()
  }
}
