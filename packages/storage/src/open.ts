import type { Database } from './database.ts'
import { openPostgres, type PostgresOptions } from './postgres/open.ts'
import { openSqlite } from './sqlite/open.ts'

/**
 * Opens the PostgreSQL database behind `url`, or without a URL the SQLite database at `path`. Throws `Unusable` if it
 * cannot be used; the message says what to do.
 */
export function openDatabase<Tables>({
  url,
  path,
  ...options
}: PostgresOptions<Tables> & { url?: string | undefined; path: string }): Promise<Database<Tables>> {
  return url === undefined ? openSqlite(path, options) : openPostgres(url, options)
}
