import type { Waiting } from '@sdd/contract/dispatch/waiting.ts'
import type { LogEntry } from '@sdd/contract/insight/log.ts'
import type { Clock } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import { reasonsOf } from '#server/dispatch/why-waiting/reasons.ts'
import { waitingFieldsOf } from '#server/dispatch/why-waiting/sentences.ts'
import { errorMsgFieldsOf, readNotes } from '#server/messages/outcomes/outcomes.ts'
import { classOf } from '#server/messages/messages/classes.ts'
import type { LogRow } from './store.ts'

/** The log entries of these rows. Those of waiting messages contain the reason. */
export async function withReasons(tx: Tx, clock: Clock, rows: readonly LogRow[]): Promise<LogEntry[]> {
  const reasons = await reasonsOf(tx, clock, rows)
  return rows.map((row) => asEntry(row, reasons.get(row.id)))
}

function asEntry(row: LogRow, waiting: Waiting | undefined): LogEntry {
  return {
    id: row.id,
    company_id: row.company_id,
    guid: row.guid,
    device_id: row.device_id,
    device_guid: row.device_guid,
    message: row.message,
    message_to: row.message_to,
    class: classOf(row),
    queue_timestamp: row.queue_timestamp,
    handed_timestamp: row.handed_timestamp,
    answer_sent_timestamp: row.answer_sent_timestamp,
    anwer_sent: row.anwer_sent,
    answer_2_timestamp: row.answer_2_timestamp,
    answer_2: row.answer_2,
    notes: row.notes,
    notes_codes: row.notes === null ? null : readNotes(row.notes),
    answer_3: row.answer_3,
    answer_3_timestamp: row.answer_3_timestamp,
    error: row.error,
    ...errorMsgFieldsOf(row.error_msg),
    error_timestamp: row.error_timestamp,
    error_block: row.error_block === 1,
    state: row.state,
    ...waitingFieldsOf(waiting),
  }
}
