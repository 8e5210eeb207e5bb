import { limit, locked, perEngine, sql } from '@sdd/storage/sql.ts'
import type { Tx } from '#server/database/schema.ts'
import { LATER } from '#server/dispatch/lanes/lane-names.ts'
import { type Message, selectIn } from '#server/messages/messages/rows.ts'
import { MESSAGE_COLUMNS, type MessageRow } from '#server/messages/messages/store.ts'

/** The messages of a campaign that have not ended. */
export function campaignMessages(tx: Tx, campaign_id: number) {
  return {
    /** Those in a lane. */
    waiting: () => tx.rows(WAITING, { campaign_id }),

    /** How many a device could take now. */
    takeable: async (now: string): Promise<number> => (await tx.first(TAKEABLE, { campaign_id, now }))!.count,

    /** Those that wait, or that a device has, has not accepted and was not asked to drop. */
    unfinished: (place: 'queue' | 'in_flight', most: number) =>
      tx.rows(UNFINISHED[place], { campaign_id, limit: most }),

    /** The message that waits longest. */
    first: () => tx.first(FIRST, { campaign_id }),
  }
}

type WaitingMessage = Pick<Message, 'id' | 'lane' | 'due_at'>

/** Without the hint, SQLite reads all rows of the campaign. */
const BY_STATE = perEngine({ sqlite: 'indexed by campaign_rows_by_state', postgres: '' })

/** The messages of rows whose message waits, or was given to a device that has not accepted it. */
const [QUEUED, ROWS] = [
  'in (select message_id from campaign_rows',
  `campaign_id = :campaign_id and state = 'queued')`,
]

const WAITING = sql<WaitingMessage, { campaign_id: number }>`
  ${selectIn('queue', ['id', 'lane', 'due_at'])} and lane is not null
    and queue.id ${QUEUED} ${BY_STATE} where ${ROWS}
  order by queue.id ${locked('queue')}`

const TAKEABLE = sql<{ count: number }, { campaign_id: number; now: string }>`
  select count(*) as count from queue
  where lane is not null and (lane <> '${LATER}' or lane_until <= :now)
    and id ${QUEUED} ${BY_STATE} where ${ROWS}`

const UNFINISHED = {
  queue: sql<MessageRow, { campaign_id: number; limit: number }>`
    ${selectIn('queue', MESSAGE_COLUMNS)} and queue.id ${QUEUED} ${BY_STATE} where ${ROWS}
    order by queue.id ${limit()} ${locked('queue')}`,
  in_flight: sql<MessageRow, { campaign_id: number; limit: number }>`
    ${selectIn('in_flight', MESSAGE_COLUMNS)} and completed_at is null
      and handed_timestamp is null and discard_asked_at is null
      and in_flight.id ${QUEUED} ${BY_STATE} where ${ROWS}
    order by in_flight.id ${limit()} ${locked('in_flight')}`,
}

const FIRST = sql<MessageRow, { campaign_id: number }>`
  ${selectIn('queue', MESSAGE_COLUMNS)} and queue.id ${QUEUED} ${BY_STATE} where ${ROWS}
  order by queue.id limit 1`
