import { isIn, sql } from '@sdd/storage/sql.ts'
import type { Tx } from '#server/database/schema.ts'

/**
 * Who sent these messages, by message id: the name of the user as it was then, or of the API key. Of a user's message
 * older than that column, the name as it is now.
 */
export async function senderNames(tx: Tx, ids: readonly number[]): Promise<Map<number, string | null>> {
  const rows = await tx.rows(SENDERS, { ids })
  return new Map(rows.map(({ id, name }) => [id, name]))
}

const SENDERS = sql<{ id: number; name: string | null }, { ids: readonly number[] }>`
  select messages.id, coalesce(queued_by_name, users.name, api_keys.name) as name from messages
    left join users on users.id = queued_by left join api_keys on api_keys.id = api_key_id
  where ${isIn('messages.id', 'ids')}`
