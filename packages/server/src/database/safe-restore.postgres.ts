import { type SafeRestore, secureRestore } from './safe-restore.ts'
import { withoutPostgresServers } from './without-servers.ts'

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
export function securePostgresRestore(url: string, now: Date, keep_access: boolean): Promise<SafeRestore> {
  return withoutPostgresServers(url, (tx) => secureRestore(tx, now, keep_access))
}
