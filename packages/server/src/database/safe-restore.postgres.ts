import { type SafeRestore, secureRestore } from './safe-restore.ts'
import { withoutPostgresServers } from './without-servers.ts'

/**
 * Does for a restored PostgreSQL database what `restoreBackup` does for a file. Throws while a server uses the
 * database.
 */
export function securePostgresRestore(url: string, now: Date, keep_access: boolean): Promise<SafeRestore> {
  return withoutPostgresServers(url, (tx) => secureRestore(tx, now, keep_access))
}
