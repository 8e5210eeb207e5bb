import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

// Loaded before the server by `--import`. While the file named by FULL_DISK exists, SQLite gets no more pages and
// reports SQLITE_FULL itself, as on a full disk. This needs no separate file system and so no root.

const { exec } = DatabaseSync.prototype

DatabaseSync.prototype.exec = function (sql: string): void {
  if (sql === 'begin immediate') {
    const full = existsSync(process.env.FULL_DISK ?? '')
    exec.call(this, `pragma max_page_count = ${full ? 1 : 4_294_967_294}`)
  }
  exec.call(this, sql)
}
