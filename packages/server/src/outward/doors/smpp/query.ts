import type { KeyCaller, NeedsOf } from '#server/core/context.ts'
import { errorCodeOf } from '#server/core/refusal.ts'
import { doorStateOf, doorStates, outcomeAt } from '#server/outward/doors/states.ts'
import { taskRowByGuid } from '#server/tasks/task.ts'
import { discardTask } from '#server/tasks/tasks.ts'
import { SmppFault, STATUS } from './codec/commands.ts'
import { writeQueryResponse } from './codec/pdus.ts'
import { writeTime } from './codec/times.ts'
import { partStore } from './parts.store.ts'

type Needs = NeedsOf<typeof discardTask>

/** The body of the response to a `query_sm`: the state of the task, or of an SMS that lacks parts. */
export async function query({ db }: Needs, caller: KeyCaller, message_id: string): Promise<Buffer> {
  if (!caller.may.includes('tasks:read')) throw new SmppFault(STATUS.query_failed)
  const row = await taskOf({ db }, caller, message_id)
  if (row) {
    const { outcome, message_state } = doorStates[doorStateOf(row)].smpp
    const ended = outcome ? outcomeAt(row) : null
    return writeQueryResponse(message_id, ended === null ? '' : writeTime(ended), message_state)
  }
  const [, guid] = PART.exec(message_id) ?? []
  if (guid !== undefined && (await partStore(db.read, caller.api_key_id).has(guid)))
    return writeQueryResponse(message_id, '', doorStates.queued.smpp.message_state)
  throw new SmppFault(STATUS.bad_message_id)
}

/** Cancels a task that no device has. */
export async function cancel(needs: Needs, caller: KeyCaller, message_id: string): Promise<void> {
  const row = await taskOf(needs, caller, message_id)
  if (row?.step !== 'waiting') throw new SmppFault(STATUS.cancel_failed)
  try {
    if (!(await discardTask(needs, caller, { guid: row.guid })).asked) return
  } catch (error) {
    if (errorCodeOf(error) !== 'task_not_discardable') throw error
  }
  throw new SmppFault(STATUS.cancel_failed)
}

/** The id of a part is the guid of its SMS, a dot, and its number. */
const PART = /^(.+)\.\d{1,3}$/

async function taskOf({ db }: Pick<Needs, 'db'>, { company_id }: KeyCaller, message_id: string) {
  const whole = await taskRowByGuid(db.read, company_id, message_id)
  if (whole) return whole
  const [, guid] = PART.exec(message_id) ?? []
  return guid === undefined ? undefined : taskRowByGuid(db.read, company_id, guid)
}
