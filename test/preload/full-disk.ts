import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

// Loaded before the server, by `--import`. While the file that FULL_DISK names is there, SQLite is given no page more
// than it has, and says SQLITE_FULL by itself, as it does on a full disk: it needs no file system of its own, so no root.

const { exec } = DatabaseSync.prototype

DatabaseSync.prototype.exec = function (sql: string): void {
  if (sql === 'begin immediate') {
    const full = existsSync(process.env.FULL_DISK ?? '')
    exec.call(this, `pragma max_page_count = ${full ? 1 : 4_294_967_294}`)
  }
  exec.call(this, sql)
}
