import { connect, patientSettingsOf } from '@sdd/storage/postgres/connection.ts'
import { keepServersOut } from '@sdd/storage/postgres/write-session.ts'
import { handleOver, transact } from '@sdd/storage/postgres/tx.ts'
import { type SafeRestore, secureRestore } from './safe-restore.ts'
import { prepareDatabase } from './open.ts'
import type { Schema } from './schema.ts'

/** Shown if an operator asks for a backup of PostgreSQL, whose own tools make better backups. */
export const HOW_TO_BACK_UP = `DATABASE_URL is set: PostgreSQL keeps the database, and its own tools back it up while the server runs:

  pg_dump --format=custom --no-owner --file=sms-drone-dash.dump "$DATABASE_URL"

This command made no backup. docs/operating.md says how to restore one.
`

export const HOW_TO_RESTORE = `DATABASE_URL is set: restore a backup with PostgreSQL's own tools. Stop the server, then run

  pg_restore --no-owner --exit-on-error --dbname "$DATABASE_URL" sms-drone-dash.dump    # into an empty database
  npm run restore -- --hold-back

The second command removes access that may have been revoked since the backup, and switches sending off in every company.
Messages that waited when the backup was made may have gone out since, and only a person can decide whether to send them
again. --keep-access leaves API keys, users and passwords as they were.
`

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
