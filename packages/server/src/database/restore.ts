import { copyFileSync, existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { checkFile, freeBytesOf, refuseWithoutRoom, sync } from './backup.ts'
import { DATABASE_FILE, MARKER_FILE } from './files.ts'
import { lockFolder, makeFolder } from './folder.ts'
import { unknownMigrations } from './migrate.ts'

/**
 * Puts a backup into a folder that has no database yet. Sessions in it end, and sending is off in every company: what
 * waited when the backup was made may have gone out since, and only a person can know whether it shall go (again).
 * Throws, and leaves nothing, where the folder has a database, is in use or has no room, and where the file is not a
 * whole backup of this version or an older one.
 */
export function restoreBackup(needs: {
  path: string
  folder: string
  now: Date
  freeBytes?: (folder: string) => number
}): {
  waiting: number
  companies: number
} {
  const { path, folder, now, freeBytes = freeBytesOf } = needs
  refuseUnfit(path)
  makeFolder(folder)
  const release = lockFolder(folder)
  try {
    refuseTaken(folder)
    refuseWithoutRoom(folder, statSync(path).size, 0, freeBytes(folder))
    return copyInto(folder, path, now)
  } finally {
    release()
  }
}

function refuseUnfit(path: string): void {
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
  const unknown = unknownMigrations(migrationsOf(path))
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

function copyInto(folder: string, path: string, now: Date): { waiting: number; companies: number } {
  const target = join(folder, DATABASE_FILE)
  const partial = `${target}.partial`
  try {
    copyFileSync(path, partial)
    const found = holdBack(partial, now)
    sync(partial)
    renameSync(partial, target)
    sync(folder)
    return found
  } finally {
    for (const rest of [partial, `${partial}-wal`, `${partial}-shm`, `${partial}-journal`])
      rmSync(rest, { force: true })
  }
}

function holdBack(path: string, now: Date): { waiting: number; companies: number } {
  const connection = new DatabaseSync(path)
  try {
    connection.exec('pragma journal_mode = delete; begin')
    connection.exec('delete from sessions')
    connection.prepare('update settings set send_enabled = 0, send_enabled_at = ?').run(now.toISOString())
    const count = (sql: string) => Number((connection.prepare(sql).get() as { n: number }).n)
    const waiting = count(`select count(*) as n from messages where step <> 'finished'`)
    const companies = count('select count(*) as n from settings')
    connection.exec('commit')
    return { waiting, companies }
  } finally {
    connection.close()
  }
}
