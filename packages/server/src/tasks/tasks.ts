import type { Task, TaskPage, TaskSelection, TaskState } from '@sdd/contract/tasks.ts'
import type { Clock } from '#server/core/clock.ts'
import type { Scope } from '#server/core/context.ts'
import { idOf, pageOf } from '#server/core/paging.ts'
import type { Database } from '#server/database/open.ts'
import { reasonsOf } from '#server/messages/waiting.ts'
import { type TaskRow, taskStore } from './store.ts'

/** A page of the tasks that other systems handed in, newest first; `next_cursor` is null on the last. */
export async function listTasks(
  { db, clock }: { db: Pick<Database, 'read'>; clock: Clock },
  scope: Scope,
  { status, limit, cursor }: TaskSelection,
): Promise<TaskPage> {
  const rows = await taskStore(db.read, scope).page(status, idOf(cursor), limit + 1)
  const { page, next_cursor } = pageOf(rows, limit)
  const reasons = await reasonsOf(db.read, clock, page)
  return { tasks: page.map((row) => asTask(row, reasons.get(row.id) ?? null)), next_cursor }
}

/** A task is a message by other names. One that expired or was cancelled was discarded, not completed, when it ended. */
function asTask(row: TaskRow, waiting_for: string | null): Task {
  const state = stateOf(row)
  const discarded = state === 'expired' || state === 'discarded'
  return {
    company_id: row.company_id,
    guid: row.guid,
    from_number: row.from_number,
    to_number: row.message_to,
    text: row.message,
    sent_stamp: row.sent_stamp,
    silent: row.silent === 1,
    created_at: row.queue_timestamp,
    device_guid_assigned: row.device_guid,
    assigned_at: row.assigned_at,
    completed_at: discarded ? null : row.completed_at,
    discarded_at: discarded ? row.completed_at : null,
    state,
    expires_at: row.expires_at,
    attempts: row.attempt,
    error_msg: row.error_msg,
    waiting_for,
  }
}

function stateOf({ step, state }: Pick<TaskRow, 'step' | 'state'>): TaskState {
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
