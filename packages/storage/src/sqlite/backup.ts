import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeFolder, requireReadable } from './folder.ts'

/** The database to be copied is damaged. */
export class Damaged extends Error {
  override readonly name = 'Damaged'
}

/** SQLITE_CORRUPT and SQLITE_NOTADB (https://sqlite.org/rescode.html). */
const DAMAGE = new Set([11, 26])

export type Backup = { path: string; bytes: number }

/** `20261121T031500Z.db`, or for a copy made before a migration `20261121T031500Z-before-0002-tasks.db`. */
const NAME = /^\d{8}T\d{6}Z(?:-before-([\w-]+))?\.db$/
const PARTIAL = '.partial'
/** An older partial file belongs to a killed process. */
const STALE_MS = 86_400_000

/**
 * Copies the database at `path` into a new file in `to`, while the server keeps working. The copy is one consistent
 * snapshot: `vacuum into` reads without blocking writers. The file has mode 0600 from the start, and gets its name only
 * after it has been checked and synced. Blocks its thread until then. Throws and leaves nothing if there is no
 * database, it is damaged (`Damaged`), or there is no room. `spare` counts only on the disk of the database.
 */
export function makeBackup(needs: {
  path: string
  to: string
  now: Date
  before?: string | undefined
  /** The bytes that must stay free on the disk of the database, and the name of the setting that says so. */
  spare?: { bytes: number; setting: string }
  freeBytes?: (folder: string) => number
}): Backup {
  const { path: source, to, now, before, spare, freeBytes = freeBytesOf } = needs
  requireReadable(source, {
    missing: 'there is nothing to back up',
    closed: 'run it as the user of the server',
  })
  makeFolder(to)
  removeStale(to, now)
  const path = pathOf(to, now, before)
  const partial = path + PARTIAL
  rmSync(partial, { force: true })
  const kept = statSync(to).dev === statSync(dirname(source)).dev ? spare : undefined
  try {
    makeOwnFile(partial)
    copyInto(source, partial, (bytes) => refuseWithoutRoom(to, bytes, freeBytes(to), kept))
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

/** Removes the unfinished file of a `makeBackup` whose process was killed. */
export function removePartial(to: string, now: Date): void {
  rmSync(pathOf(to, now) + PARTIAL, { force: true })
}

/** The backups in a folder, newest first, without the copies made before migrations. */
export function listBackups(folder: string): string[] {
  return listNames(folder, (before) => before === undefined)
}

/** The copies made before this migration, newest first. */
export function listBefore(folder: string, migration: string): string[] {
  return listNames(folder, (before) => before === migration)
}

/**
 * Removes the oldest backups and keeps `keep` of them. It never removes `made`, because the clock may have been wrong
 * when older backups were named.
 */
export function removeOldBackups(folder: string, keep: number, made: string): string[] {
  const old = listBackups(folder)
    .filter((path) => path !== made)
    .slice(Math.max(0, keep - 1))
  for (const path of old) rmSync(path)
  return old
}

/** When a backup was made, in ms, according to its name. */
export function madeAt(path: string): number {
  const [, y, mo, d, h, mi, s] = /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(basename(path)) ?? []
  return Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}Z`)
}

/** Throws if the file is not a complete database of this program. */
export function checkFile(path: string): void {
  let result: string
  try {
    const connection = new DatabaseSync(path, { readOnly: true })
    try {
      const [row] = connection.prepare('pragma integrity_check(1)').all() as { integrity_check: string }[]
      result = row?.integrity_check ?? 'no answer'
      connection.prepare('select name from schema_migrations').all()
    } finally {
      connection.close()
    }
  } catch (error) {
    throw new Error(`${basename(path)} is no backup of this program (${(error as Error).message})`, {
      cause: error,
    })
  }
  if (result !== 'ok') throw new Error(`${basename(path)} is damaged (${result.split('\n')[0]})`)
}

/** Throws if the folder's disk cannot take this many bytes and still keep `spare` free. */
export function refuseWithoutRoom(
  folder: string,
  bytes: number,
  free: number,
  spare?: { bytes: number; setting: string },
): void {
  if (free - (spare?.bytes ?? 0) >= bytes) return
  const inMb = (many: number) => `${Math.ceil(many / 1e6)} MB`
  const kept = spare && spare.bytes > 0 ? `, of which ${spare.setting} keeps ${inMb(spare.bytes)}` : ''
  throw new Error(
    `${folder} has no room: ${inMb(bytes)} are needed, and its disk has ${inMb(free)} free${kept}`,
  )
}

export function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** Makes an empty file with mode 0600, whatever the umask. Throws if the file exists. */
export function makeOwnFile(path: string): void {
  const file = openSync(path, 'wx', 0o600)
  fchmodSync(file, 0o600)
  closeSync(file)
}

/** Syncs a file, or the names in a folder, to disk. */
export function sync(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}

function pathOf(folder: string, now: Date, before?: string): string {
  const stamp = now.toISOString().replace(/[-:]|\.\d+/g, '')
  return join(folder, `${stamp}${before ? `-before-${before}` : ''}.db`)
}

function listNames(folder: string, wanted: (before: string | undefined) => boolean): string[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => NAME.test(name) && wanted(NAME.exec(name)?.[1]))
  return names
    .sort()
    .reverse()
    .map((name) => join(folder, name))
}

function removeStale(folder: string, now: Date): void {
  for (const name of readdirSync(folder).filter((name) => name.endsWith(PARTIAL))) {
    const path = join(folder, name)
    if (statSync(path).mtimeMs < now.getTime() - STALE_MS) rmSync(path, { force: true })
  }
}

function copyInto(source: string, target: string, refuse: (bytes: number) => void): void {
  const connection = new DatabaseSync(source, { readOnly: true, timeout: 5_000 })
  try {
    const pragma = (name: string) =>
      Number(Object.values(connection.prepare(`pragma ${name}`).get() as object)[0])
    refuse((pragma('page_count') - pragma('freelist_count')) * pragma('page_size'))
    connection.prepare('vacuum into ?').run(target)
  } catch (error) {
    const { errcode = 0, message } = error as Error & { errcode?: number }
    throw DAMAGE.has(errcode & 0xff) ? new Damaged(message) : error
  } finally {
    connection.close()
  }
}
