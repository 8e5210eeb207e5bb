import { connect, patientSettingsOf } from '@sdd/storage/postgres/connection.ts'
import { keepServersOut } from '@sdd/storage/postgres/write-session.ts'
import { handleOver, transact } from '@sdd/storage/postgres/tx.ts'
import { type SafeRestore, secureRestore } from './safe-restore.ts'
import { prepareDatabase } from './open.ts'
import type { Schema } from './schema.ts'

/**
 * Does for a restored PostgreSQL database what `restoreBackup` does for a file. Throws while a server uses the
 * database.
 */
export async function securePostgresRestore(
  url: string,
  now: Date,
  keep_access: boolean,
): Promise<SafeRestore> {
  const session = await connect(patientSettingsOf(url))
  try {
    await keepServersOut(session)
    await prepareDatabase(url)
    const db = handleOver<Schema>(session)
    return await transact(session, db, (tx) => secureRestore(tx, now, keep_access))
  } finally {
    await session.close()
  }
}
