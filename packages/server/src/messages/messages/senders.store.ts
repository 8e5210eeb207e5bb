import { isIn, sql } from '@sdd/storage/sql.ts'
import type { Tx } from '#server/database/schema.ts'

/**
 * The senders of these messages, by message id: the user's name when it was sent, or the name of the API key. Messages
 * older than that column get the user's present name.
 */
export async function senderNames(tx: Tx, ids: readonly number[]): Promise<Map<number, string | null>> {
  const rows = await tx.rows(SENDERS, { ids })
  return new Map(rows.map(({ id, name }) => [id, name]))
}

const SENDERS = sql<{ id: number; name: string | null }, { ids: readonly number[] }>`
  select messages.id, coalesce(queued_by_name, users.name, api_keys.name) as name from messages
    left join users on users.id = queued_by left join api_keys on api_keys.id = api_key_id
  where ${isIn('messages.id', 'ids')}`
