import { type Kysely, sql } from 'kysely'
import { inWordsOf } from '#server/database/dialect.ts'

/**
 * Fewer indexes of messages, and none that changes with each step of a message: every one of them was most of what a
 * step costs.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(inWordsOf(db, statement)).execute(db)
}

const dropped = [
  'messages_open',
  'messages_waiting',
  'messages_by_device',
  'messages_by_uid',
  'messages_by_state',
  'messages_by_number',
  'messages_to_number',
  'tasks_received',
  'tasks_started',
  'tasks_completed',
]

const statements = [
  ...dropped.map((index) => `drop index ${index}`),
  `create index messages_waiting on messages (device_id, priority, id)
    where step = 'waiting' and device_id is not null`,
  `create index messages_unfinished on messages (step, company_id, id) where step <> 'finished'`,
  `create index messages_by_uid on messages (device_guid, company_id, id) where device_guid is not null`,
  `create index messages_by_state on messages (company_id, state, id) where step = 'finished'`,
  `create index messages_by_number on messages (company_id, substr(ltrim(message_to, '+'), -9), id)`,
  `create index tasks_completed on messages (company_id, id) where task = 1 and step = 'finished'`,
]
