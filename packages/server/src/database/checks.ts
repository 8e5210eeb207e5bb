import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs'
import { execFile } from 'node:child_process'
import { constants as system, setPriority } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { ConfigError } from '#server/core/config.ts'
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

/** Larger files would hold up the start: those are looked through while the server works. */
export const WHOLE_BYTES = 64 << 20

/** Reads every page; throws where one is damaged. Of a large file it is only seen that it is a database of ours. */
export function refuseDamaged(connection: DatabaseSync, path: string, whole_bytes = WHOLE_BYTES): void {
  if (statSync(path).size > whole_bytes)
    return void connection.prepare('select name from sqlite_schema').all()
  const [row] = connection.prepare('pragma quick_check(1)').all() as { quick_check: string }[]
  if (row?.quick_check === 'ok') return
  throw unusable(`${path} is damaged (${firstFault(row?.quick_check)}); restore a backup`)
}

/**
 * Looks through a file that was too large for `refuseDamaged`, in a process of its own: what is wrong, or undefined, also
 * after `stop`; throws where it could not be looked through.
 */
export function lookThrough(
  path: string,
  whole_bytes = WHOLE_BYTES,
): { found: Promise<string | undefined>; stop(): void } {
  if (statSync(path).size <= whole_bytes) return { found: Promise.resolve(undefined), stop() {} }
  const { promise: found, resolve, reject } = Promise.withResolvers<string | undefined>()
  const program = execFile(process.execPath, [LOOK_THROUGH, path], (error, stdout, stderr) => {
    if (stdout.trim() !== '') return resolve(firstFault(stdout))
    if (error === null || error.killed) return resolve(undefined)
    reject(new Error(stderr.split('\n').find((line) => line.includes('Error: ')) ?? error.message))
  })
  program.unref()
  // It reads all of a large file, which takes a core for minutes: everything else goes first.
  if (program.pid !== undefined) giveWay(program.pid)
  return { found, stop: () => void program.kill() }
}

function giveWay(pid: number): void {
  try {
    setPriority(pid, system.priority.PRIORITY_LOW)
  } catch {
    // It has ended already, or the system knows no priorities.
  }
}

/** What SQLite says comes under a heading. */
function firstFault(said = ''): string | undefined {
  return said.split('\n').find((line) => line !== '' && !line.startsWith('***'))
}

/** The program that looks through a file. */
export const LOOK_THROUGH = join(import.meta.dirname, 'look-through.ts')

export function unusable(why: string): ConfigError {
  return new ConfigError('DATA_DIR', why)
}
