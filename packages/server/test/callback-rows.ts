import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Puts a callback that was given up into the database of a running server, and returns its id. */
export function addDeadCallback(server: { folder: string }, company_id: number): number {
  const db = new DatabaseSync(join(server.folder, 'sms-drone-dash.db'))
  try {
    const { lastInsertRowid } = db
      .prepare(
        `insert into callbacks (company_id, webhook_id, type, guid, url, host, body, state, created_at)
          values (?, ?, 'task.sent', 'guid', 'http://192.0.2.1/', '192.0.2.1', '{}', 'dead', ?)`,
      )
      .run(company_id, `msg_${crypto.randomUUID()}`, new Date().toISOString())
    return Number(lastInsertRowid)
  } finally {
    db.close()
  }
}
