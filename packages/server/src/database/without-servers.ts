import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { connect, patientSettingsOf } from '@sdd/storage/postgres/connection.ts'
import { handleOver, transact } from '@sdd/storage/postgres/tx.ts'
import { keepServersOut } from '@sdd/storage/postgres/write-session.ts'
import { type Config, ConfigError } from '#server/core/config.ts'
import { DATABASE_FILE } from './files.ts'
import { openDatabase, prepareDatabase } from './open.ts'
import type { Schema, Tx } from './schema.ts'

/** Runs one transaction, for a command. Throws while a server uses the database, or if there is none. */
export async function withoutServers<Result>(
  { DATA_DIR, DATABASE_URL }: Pick<Config, 'DATA_DIR' | 'DATABASE_URL'>,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  if (DATABASE_URL !== undefined) return withoutPostgresServers(DATABASE_URL, work)
  if (!existsSync(join(DATA_DIR, DATABASE_FILE)))
    throw new ConfigError('DATA_DIR', `${DATA_DIR} has no database`)
  const db = await openDatabase({ folder: DATA_DIR })
  try {
    return await db.write(work)
  } finally {
    await db.close()
  }
}

/** Runs one transaction on a PostgreSQL database. Throws while a server uses it. */
export async function withoutPostgresServers<Result>(
  url: string,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const session = await connect(patientSettingsOf(url))
  try {
    await keepServersOut(session)
    await prepareDatabase(url)
    return await transact(session, handleOver<Schema>(session), work)
  } finally {
    await session.close()
  }
}
