import { withTables } from './engine.ts'

/** Adds a dead callback to the database of a running server, and returns its id. */
export function addDeadCallback(server: { folder: string }, company_id: number): Promise<number> {
  return withTables(server, async ({ all }) => {
    const [row] = await all(
      `insert into callbacks (company_id, webhook_id, type, guid, url, host, body, state, created_at)
        values (?, ?, 'task.sent', 'guid', 'http://192.0.2.1/', '192.0.2.1', '{}', 'dead', ?) returning id`,
      company_id,
      `msg_${crypto.randomUUID()}`,
      new Date().toISOString(),
    )
    return Number(row!['id'])
  })
}
