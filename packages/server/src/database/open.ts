import { join } from 'node:path'
import { type Database as Stored, type OpenOptions } from '@sdd/storage/database.ts'
import { type Unavailable, Unusable } from '@sdd/storage/errors.ts'
import { openDatabase as open } from '@sdd/storage/open.ts'
import { type PostgresOptions, prepare } from '@sdd/storage/postgres/open.ts'
import type { Logger } from 'pino'
import { ConfigError } from '#server/core/config.ts'
import { openLookUps } from '#server/core/look-ups.ts'
import { crashPoint } from '#server/core/crash-points.ts'
import { Refusal } from '#server/core/refusal.ts'
import { DATABASE_FILE } from './files.ts'
import { migrations } from './migrations.ts'
import { startAnalyzing } from './months/analyzing.ts'
import { ensureMonths } from './months/months.ts'
import type { Schema } from './schema.ts'

export type Database = Omit<Stored<Schema>, 'nextNumbers'> & {
  /** A number for a device's connection, higher than any number before it at any server. */
  connectionNumber(): Promise<number>
}

/**
 * Opens the PostgreSQL database at `url` or, without one, the SQLite database in `folder`. Throws a `ConfigError` about
 * `DATABASE_URL` or `DATA_DIR` if the database cannot be used. While nothing can be stored, callers get a `Refusal`:
 * `disk_full` or `not_ready`.
 */
export async function openDatabase(needs: {
  url?: string | undefined
  folder: string
  log?: Logger
  committed?: (seconds: number, callers: number) => void
  migrations?: OpenOptions<Schema>['migrations']
}): Promise<Database> {
  const { url, folder, ...options } = needs
  const { nextNumbers, ...db } = await open<Schema>({
    ...storageOptions,
    ...options,
    url,
    path: join(folder, DATABASE_FILE),
    name: 'sms-drone-dash',
  }).catch(asConfigError)
  if (nextNumbers === undefined) {
    let connections = 0
    return { ...db, connectionNumber: () => Promise.resolve(++connections) }
  }
  const analyzing = startAnalyzing({
    read: db.read,
    inOwnSession: db.inOwnSession!,
    log: needs.log ?? { error() {} },
  })
  return {
    ...db,
    connectionNumber: openLookUps((asked: readonly void[]) =>
      nextNumbers('device_connections', asked.length),
    ),
    async close() {
      await analyzing.stop()
      await db.close()
    },
  }
}

/** The storage options of the product. */
export const storageOptions: PostgresOptions<Schema> = {
  migrations,
  prepared: (transact) => ensureMonths(transact),
  unavailable: ({ code, detail, ...more }: Unavailable) => new Refusal(code, detail, more),
  beforeCommit: () => crashPoint('committing'),
}

/** Brings the schema of a PostgreSQL database up to date without opening it. */
export function prepareDatabase(url: string): Promise<void> {
  return prepare(url, storageOptions).catch(asConfigError)
}

/** For `catch`: turns the error about an unusable database into a `ConfigError` that names the setting. */
export function asConfigError(error: unknown): never {
  if (!(error instanceof Unusable)) throw error
  throw new ConfigError(error.subject === 'url' ? 'DATABASE_URL' : 'DATA_DIR', error.message)
}
