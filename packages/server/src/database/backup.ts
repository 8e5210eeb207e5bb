import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DATABASE_FILE, MARKER_FILE } from './files.ts'

export type Backup = { path: string; bytes: number }

/** `20261121T031500Z.db`; what was made before a migration says so: `20261121T031500Z-before-0002-tasks.db`. */
const NAME = /^\d{8}T\d{6}Z(-before-[\w-]+)?\.db$/

/**
 * Copies the database of `folder` into a file of its own in `to`, whole as of one moment, while a server works on it:
 * `vacuum into` reads one snapshot and holds nobody up. The copy is checked, and on disk, before it has its name.
 * Blocks its thread for as long as that takes. Throws where there is no database, no room, or the copy is damaged.
 */
export function makeBackup(needs: {
  folder: string
  to: string
  now: Date
  before?: string | undefined
}): Backup {
  const { folder, to, now, before } = needs
  const source = join(folder, DATABASE_FILE)
  if (!existsSync(source)) throw new Error(`${source} does not exist: there is nothing to back up`)
  mkdirSync(to, { recursive: true, mode: 0o700 })
  const stamp = now.toISOString().replace(/[-:]|\.\d+/g, '')
  const path = join(to, `${stamp}${before ? `-before-${before}` : ''}.db`)
  const partial = `${path}.partial`
  rmSync(partial, { force: true })
  try {
    copyInto(source, partial)
    chmodSync(partial, 0o600)
    checkFile(partial)
    sync(partial)
    renameSync(partial, path)
    sync(to)
  } catch (error) {
    rmSync(partial, { force: true })
    throw error
  }
  return { path, bytes: statSync(path).size }
}

/** The backups in a folder, the newest first; of those before a migration none. */
export function listBackups(folder: string): string[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => NAME.exec(name)?.[1] === undefined && NAME.test(name))
  return names
    .sort()
    .reverse()
    .map((name) => join(folder, name))
}

/** Removes the oldest backups, but for so many. Those made before a migration stay. */
export function removeOldBackups(folder: string, keep: number): string[] {
  const old = listBackups(folder).slice(keep)
  for (const path of old) rmSync(path)
  return old
}

/**
 * Puts a backup into a folder that has no database yet. Sessions in it end, and sending is off in every company: what
 * waited when the backup was made may have gone out since, and only a person can know whether it shall go (again).
 * Throws where the folder has a database, or the file is not a whole backup of ours.
 */
export function restoreBackup(needs: { path: string; folder: string; now: Date }): {
  waiting: number
  companies: number
} {
  const { path, folder, now } = needs
  const target = join(folder, DATABASE_FILE)
  if (!existsSync(path)) throw new Error(`${path} does not exist`)
  const there = [target, `${target}-wal`, join(folder, MARKER_FILE)].find((file) => existsSync(file))
  if (there) throw new Error(`${there} exists: restore into an empty folder, so that nothing is lost`)
  checkFile(path)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const partial = `${target}.partial`
  copyFileSync(path, partial)
  try {
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

function copyInto(source: string, target: string): void {
  const connection = new DatabaseSync(source, { readOnly: true, timeout: 5_000 })
  try {
    connection.prepare('vacuum into ?').run(target)
  } finally {
    connection.close()
  }
}

function checkFile(path: string): void {
  let said: string
  try {
    const connection = new DatabaseSync(path, { readOnly: true })
    try {
      const [row] = connection.prepare('pragma integrity_check(1)').all() as { integrity_check: string }[]
      said = row?.integrity_check ?? 'no answer'
      connection.prepare('select name from schema_migrations').all()
    } finally {
      connection.close()
    }
  } catch (error) {
    throw new Error(`${basename(path)} is no backup of this program (${(error as Error).message})`, {
      cause: error,
    })
  }
  if (said !== 'ok') throw new Error(`${basename(path)} is damaged (${said.split('\n')[0]})`)
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

function sync(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}
