import type { Waiting } from '@sdd/contract/dispatch/waiting.ts'
import type { Task, TaskState } from '@sdd/contract/tasks/tasks.ts'
import type { Tx } from '#server/database/schema.ts'
import { waitingFieldsOf } from '#server/dispatch/why-waiting/sentences.ts'
import { errorMsgFieldsOf } from '#server/messages/outcomes/outcomes.ts'
import { classOf } from '#server/messages/messages/classes.ts'
import type { MessageRow } from '#server/messages/messages/store.ts'
import { taskStore } from './store.ts'

/** The present state of a finished task, in this transaction. */
export async function taskOf(tx: Tx, company_id: number, id: number): Promise<Task> {
  return asTask(await taskRow(tx, company_id, id), undefined)
}

/** The message of a task, in this transaction. */
export async function taskRow(tx: Tx, company_id: number, id: number): Promise<MessageRow> {
  return (await taskStore(tx, { company_id }).byId(id))!
}

/** The same by its guid. */
export function taskRowByGuid(tx: Tx, company_id: number, guid: string): Promise<MessageRow | undefined> {
  return taskStore(tx, { company_id }).byGuid(guid)
}

/** The company's tasks with ids below `before`, newest first. */
export function taskRows(
  tx: Tx,
  company_id: number,
  before: number | undefined,
  limit: number,
): Promise<MessageRow[]> {
  return taskStore(tx, { company_id }).page('all', before, limit)
}

/** A task is a message under other names. An expired or cancelled message counts as discarded, not completed. */
export function asTask(row: MessageRow, waiting: Waiting | undefined): Task {
  const state = taskStateOf(row)
  const discarded = state === 'expired' || state === 'discarded'
  return {
    company_id: row.company_id,
    guid: row.guid,
    from_number: row.from_number,
    to_number: row.message_to,
    text: row.message,
    sent_stamp: row.sent_stamp,
    silent: row.silent === 1,
    class: classOf(row),
    created_at: row.queue_timestamp,
    device_guid_assigned: row.device_guid,
    assigned_at: row.assigned_at,
    completed_at: discarded ? null : row.completed_at,
    discarded_at: discarded ? row.completed_at : null,
    state,
    expires_at: row.expires_at,
    attempts: row.attempt,
    ...errorMsgFieldsOf(row.error_msg),
    delivery_at: row.answer_2_timestamp,
    reply: row.answer_3,
    reply_at: row.answer_3_timestamp,
    ...waitingFieldsOf(waiting),
  }
}

/** The state of a task, by its message. */
export function taskStateOf({ step, state }: Pick<MessageRow, 'step' | 'state'>): TaskState {
  if (step === 'waiting') return 'received'
  if (step === 'given') return 'started'
  switch (state) {
    case 'failed':
    case 'uncertain':
    case 'expired':
      return state
    case 'cancelled':
      return 'discarded'
    case 'queued':
    case 'handed':
    case 'sent':
    case 'delivered':
    case 'replied':
      return 'completed'
  }
}
