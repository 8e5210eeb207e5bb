import type { MessageState } from '@sdd/contract/messages/messages.ts'
import { sql } from '@sdd/storage/sql.ts'
import type { Tx } from '#server/database/schema.ts'

type Ended = { state: MessageState | null; detail: string | null }

/** The state of a message that was sent or has ended; null before that. `undefined` if there is no such message. */
export function smsOf(tx: Tx, company_id: number, guid: string): Promise<Ended | undefined> {
  return tx.first(SMS_OF, { company_id, guid })
}

const SMS_OF = sql<Ended, { company_id: number; guid: string }>`
  select coalesce(outcomes.state, case when answer_sent.id is not null then 'sent' end) as state,
    coalesce(outcomes.detail, outcomes.error_msg) as detail
  from messages left join outcomes on outcomes.id = messages.id
  left join in_flight as answer_sent
    on answer_sent.id = messages.id and answer_sent.answer_sent_timestamp is not null
  where messages.company_id = :company_id and guid = :guid order by messages.id desc limit 1`
