import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { Unusable } from '#storage/errors.ts'
import { readIntact } from './wal.ts'

/** What is looked at before a database is opened, so that nothing is made anew or thrown away in silence. */
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
    return '' // what a full disk made of it: that it is there says enough
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

/** SQLite would go on without what stands behind the damage, though it was answered. */
function refuseTorn(wal: string): void {
  const intact = readIntact(wal)
  if (intact === undefined || intact.lost === 0) return
  const { bytes, lost } = intact
  throw unusable(
    `${wal} is damaged${bytes === 0 ? '' : ` behind its first ${bytes} bytes`}: what was stored last, at least ` +
      `${lost} writes that were answered, cannot be read; restore a backup, or go on without them: truncate -s ${bytes} ${wal}`,
  )
}

/** Larger files would hold up the start: the next backup, which reads every table, finds what is damaged in them. */
export const WHOLE_BYTES = 64 << 20

/** Reads every page; throws where one is damaged. Of a large file it is only seen that it is a database of ours. */
export function refuseDamaged(connection: DatabaseSync, path: string, whole_bytes = WHOLE_BYTES): void {
  if (statSync(path).size > whole_bytes)
    return void connection.prepare('select name from sqlite_schema').all()
  const [row] = connection.prepare('pragma quick_check(1)').all() as { quick_check: string }[]
  if (row?.quick_check === 'ok') return
  throw unusable(`${path} is damaged (${firstFault(row?.quick_check)}); restore a backup`)
}

/** What SQLite says comes under a heading. */
function firstFault(said = ''): string | undefined {
  return said.split('\n').find((line) => line !== '' && !line.startsWith('***'))
}

export function unusable(why: string): Unusable {
  return new Unusable('folder', why)
}
