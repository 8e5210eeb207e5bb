import type { Insertable } from '@sdd/storage/tables.ts'
import type { Change, InFlight, Outcomes, Queue } from '#server/database/schema.ts'
import { ATTEMPT_COLUMNS, givenNote, type Message, type MessagePlace } from './rows.ts'

/** The table that has the message after the change. */
export function placeAfter(
  message: Pick<Message, 'place' | 'step' | 'state'>,
  change: Change<Message>,
): MessagePlace {
  const step = change.step ?? message.step
  if (step !== 'finished') return step === 'waiting' ? 'queue' : 'in_flight'
  // It waits there for the delivery report, unless an earlier attempt was sent.
  const waits = (change.state ?? message.state) === 'sent' && change.device_id === undefined
  return waits && message.place === 'in_flight' ? 'in_flight' : 'outcomes'
}

/** The columns that such a change writes, by the table that has the message. */
export const WRITTEN = {
  queue: (change: Change<Message>): Change<Queue> =>
    only(change, ['device_id', 'due_at', 'expires_at', 'lane', 'lane_until', 'avoid_device_id', 'notes']),
  in_flight: (change: Change<Message>): Change<InFlight> =>
    only(change, ['look_at', 'cancel_at', 'notes', ...ATTEMPT_COLUMNS]),
  outcomes: (change: Change<Message>): Change<Outcomes> => ({
    ...only(change, OUTCOME_COLUMNS),
    ...('anwer_sent' in change && { anwer_sent: unlessUsual(change.anwer_sent, 'sent') }),
    ...('answer_2' in change && { answer_2: unlessUsual(change.answer_2, 'delivered') }),
  }),
}

const OUTCOME_COLUMNS = [
  ...ATTEMPT_COLUMNS,
  'device_id',
  'attempt',
  'state',
  'assigned_at',
  'answer_2_timestamp',
  'answer_3_timestamp',
  'answer_3',
  'error',
  'error_msg',
  'error_timestamp',
  'error_block',
  'attempt_state',
  'attempt_parts',
  'notes',
] as const

/** These columns of the change. One that may not be null in its table is not set to null there. */
function only<Column extends keyof Message>(change: Change<Message>, columns: readonly Column[]) {
  const own: Record<string, unknown> = {}
  for (const column of columns) if (change[column] !== undefined) own[column] = change[column]
  return own as { [Name in Column]?: never }
}

/** A usual text is not stored. */
function unlessUsual(text: string | null | undefined, usual: string): string | null | undefined {
  return text === usual ? null : text
}

/** The row of a message that waits again. */
export function queueRow(
  message: Pick<
    Message,
    'id' | 'company_id' | 'device_id' | 'priority' | 'expires_at' | 'attempt' | 'lane' | 'notes'
  > &
    Change<Message>,
): Insertable<Queue> {
  return {
    id: message.id,
    company_id: message.company_id,
    device_id: message.device_id,
    priority: message.priority,
    due_at: message.due_at!,
    expires_at: message.expires_at,
    attempt: message.attempt,
    lane: message.lane,
    lane_until: message.lane_until ?? null,
    avoid_device_id: message.avoid_device_id ?? null,
    notes: message.notes,
  }
}

/** The row of the message after the change. */
export function outcomeRow(
  message: Pick<
    Message,
    'id' | 'company_id' | 'device_guid' | 'anwer_sent' | 'answer_2' | (typeof OUTCOME_COLUMNS)[number]
  >,
  change: Change<Message> = {},
): Insertable<Outcomes> {
  const row: Record<string, unknown> = { id: message.id, company_id: message.company_id }
  for (const column of OUTCOME_COLUMNS)
    row[column] = change[column] === undefined ? message[column] : change[column]
  const { anwer_sent = message.anwer_sent, answer_2 = message.answer_2 } = change
  row['anwer_sent'] = unlessUsual(anwer_sent, 'sent')
  row['answer_2'] = unlessUsual(answer_2, 'delivered')
  if (row['notes'] === givenNote(change.device_guid === undefined ? message : { ...message, ...change }))
    row['notes'] = null
  return row as Insertable<Outcomes>
}
