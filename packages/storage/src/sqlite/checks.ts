import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { Unusable } from '#storage/errors.ts'
import { readIntact } from './wal.ts'

/** Checks before a database is opened, so that nothing is silently created or discarded. */
export function refuseUnusable({ path, marker }: { path: string; marker: string }): void {
  refuseVanished(path, marker)
  for (const file of [path, `${path}-wal`, `${path}-shm`]) refuseReadOnly(file)
  refuseTorn(`${path}-wal`)
}

function refuseVanished(path: string, marker: string): void {
  if (!existsSync(marker)) return
  if (existsSync(path) && statSync(path).size > 0) return
  throw unusable(
    `${path} is ${existsSync(path) ? 'empty' : 'missing'}, but installation.json says there is a database` +
      `${since(marker)}; restore a backup, or remove installation.json to begin with an empty one`,
  )
}

function since(marker: string): string {
  try {
    return ` since ${(JSON.parse(readFileSync(marker, 'utf8')) as { created_at: string }).created_at}`
  } catch {
    return '' // a full disk may have left it empty; its existence is enough
  }
}

function refuseReadOnly(file: string): void {
  if (!existsSync(file)) return
  try {
    accessSync(file, constants.R_OK | constants.W_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw unusable(`${file} cannot be written (${code}); make it writable for the user that runs the server`)
  }
}

/** SQLite would silently drop the log after the damage, although those writes were answered. */
function refuseTorn(wal: string): void {
  const intact = readIntact(wal)
  if (intact === undefined || intact.lost === 0) return
  const { bytes, lost } = intact
  throw unusable(
    `${wal} is damaged${bytes === 0 ? '' : ` after its first ${bytes} bytes`}: at least ${lost} writes that ` +
      `were answered cannot be read; restore a backup, or continue without them: truncate -s ${bytes} ${wal}`,
  )
}

/** Checking a larger file would delay the start. The next backup reads every table and finds damage. */
const WHOLE_BYTES = 64 << 20

/** Reads every page and throws if one is damaged. For a large file, only checks that it is a database. */
export function refuseDamaged(connection: DatabaseSync, path: string, whole_bytes = WHOLE_BYTES): void {
  if (statSync(path).size > whole_bytes)
    return void connection.prepare('select name from sqlite_schema').all()
  const [row] = connection.prepare('pragma quick_check(1)').all() as { quick_check: string }[]
  if (row?.quick_check === 'ok') return
  throw unusable(`${path} is damaged (${firstFault(row?.quick_check)}); restore a backup`)
}

/** SQLite prints a heading before the first fault. */
function firstFault(report = ''): string | undefined {
  return report.split('\n').find((line) => line !== '' && !line.startsWith('***'))
}

export function unusable(why: string): Unusable {
  return new Unusable('folder', why)
}
