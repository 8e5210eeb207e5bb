import type { Selectable } from '@sdd/storage/tables.ts'
import type { Attempts, InFlight, Messages, Outcomes, Queue } from '#server/database/schema.ts'
import { notes } from '#server/messages/outcomes/outcomes.ts'

/**
 * A message with its state. `messages` has it as it was submitted, and one of three other tables has the rest: `queue`
 * while it waits for a device, `in_flight` while a device has it, `outcomes` once it has ended. docs/storage.md has the
 * drawing.
 */
export type Message = Selectable<Messages> & MessageStatus

/** The table that has the rest. */
export type MessagePlace = 'queue' | 'in_flight' | 'outcomes'

/** A message's step in the hand-over, independent of the state that the log shows. */
export type Step = 'waiting' | 'given' | 'finished'

type MessageStatus = Omit<Selectable<Outcomes>, 'id' | 'company_id' | 'completed_at'> &
  Pick<Queue, 'lane' | 'lane_until' | 'avoid_device_id'> &
  Pick<InFlight, 'cancel_at'> & {
    place: MessagePlace
    step: Step
    /** The uid of `device_id`. */
    device_guid: string | null
    due_at: string | null
    look_at: string | null
    completed_at: string | null
  }

/** One hand-over of a message to a device. */
export type Attempt = Selectable<Attempts> & {
  device_uid: string
  /** Whether it has a row in `attempts`. The latest attempt is usually a part of its message's row. */
  own_row: boolean
}

/** The note of the first hand-over up to its device. The device comes last, so that SQL can append it. */
const FIRST_GIVEN = notes.given.write({ attempt: 1, device: '' })

/** The columns that a device's reports fill in, and that stay with the message when it has ended. */
export const ATTEMPT_COLUMNS = [
  'handed_timestamp',
  'answer_sent_timestamp',
  'completed_at',
  'code',
  'detail',
  'sim',
  'sim_id',
  'discard_asked_at',
] as const satisfies readonly (keyof Message)[]

/** The columns of `Message` that its three other tables have, as each has them. An absent one is null there. */
const STATUS: Record<keyof MessageStatus, Partial<Record<MessagePlace, string>>> = {
  place: { queue: `'queue'`, in_flight: `'in_flight'`, outcomes: `'outcomes'` },
  step: {
    queue: `'waiting'`,
    in_flight: `case when in_flight.completed_at is null then 'given' else 'finished' end`,
    outcomes: `'finished'`,
  },
  state: {
    queue: `'queued'`,
    in_flight: `case when in_flight.completed_at is not null then 'sent'
      when in_flight.handed_timestamp is not null then 'handed' else 'queued' end`,
    outcomes: 'outcomes.state',
  },
  ...columnsOf(['device_id', 'attempt'], ['queue', 'in_flight', 'outcomes']),
  ...columnsOf(['due_at', 'lane', 'lane_until', 'avoid_device_id'], ['queue']),
  ...columnsOf(['look_at', 'cancel_at'], ['in_flight']),
  ...columnsOf(['assigned_at', ...ATTEMPT_COLUMNS], ['in_flight', 'outcomes']),
  ...columnsOf(
    [
      'attempt_parts',
      'answer_2_timestamp',
      'answer_3_timestamp',
      'answer_3',
      'error',
      'error_msg',
      'error_timestamp',
    ],
    ['outcomes'],
  ),
  device_guid: { queue: 'devices.uid', in_flight: 'devices.uid', outcomes: 'devices.uid' },
  anwer_sent: {
    in_flight: unlessAbsent('in_flight.answer_sent_timestamp', 'in_flight.detail', 'sent'),
    outcomes: unlessAbsent('outcomes.answer_sent_timestamp', 'outcomes.anwer_sent', 'sent'),
  },
  answer_2: { outcomes: unlessAbsent('outcomes.answer_2_timestamp', 'outcomes.answer_2', 'delivered') },
  error_block: { queue: '0', in_flight: '0', outcomes: 'outcomes.error_block' },
  attempt_state: {
    in_flight: `case when in_flight.answer_sent_timestamp is not null then 'sent'
      when in_flight.handed_timestamp is not null then 'accepted' else 'given' end`,
    outcomes: 'outcomes.attempt_state',
  },
  notes: { queue: 'queue.notes', in_flight: notesIn('in_flight'), outcomes: notesIn('outcomes') },
}

function columnsOf<Column extends string>(columns: readonly Column[], places: readonly MessagePlace[]) {
  return Object.fromEntries(
    columns.map((column) => [
      column,
      Object.fromEntries(places.map((place) => [place, `${place}.${column}`])),
    ]),
  ) as Record<Column, Partial<Record<MessagePlace, string>>>
}

/** The usual text is not stored. */
function unlessAbsent(time: string, text: string, usual: string): string {
  return `case when ${time} is not null then coalesce(${text}, '${usual}') end`
}

/** The note of the first hand-over, which most messages have and nothing else, is not stored. */
function notesIn(table: string): string {
  return `coalesce(${table}.notes, ${table}.assigned_at || ' ${FIRST_GIVEN}' || devices.uid)`
}

export function givenNote(message: Pick<Message, 'assigned_at' | 'device_guid'>): string {
  return `${message.assigned_at} ${FIRST_GIVEN}${message.device_guid}`
}

/** The expiry of a message that has not ended may be brought forward. */
const EXPIRY = { queue: 'queue.expires_at', in_flight: 'in_flight.expires_at' }

function columnIn(column: keyof Message, place: MessagePlace): string {
  if (column === 'id') return `${place}.id`
  if (column === 'expires_at' && place !== 'outcomes') return EXPIRY[place]
  if (column in STATUS) return STATUS[column as keyof MessageStatus][place] ?? 'null'
  return `messages.${column}`
}

const PLACES = ['outcomes', 'in_flight', 'queue'] as const

function columnAnywhere(column: keyof Message): string {
  if (column === 'expires_at') return `coalesce(${EXPIRY.queue}, ${EXPIRY.in_flight}, messages.expires_at)`
  if (!(column in STATUS)) return `messages.${column}`
  if (column === 'device_guid') return 'devices.uid'
  const cases = PLACES.flatMap((place) => {
    const text = STATUS[column as keyof MessageStatus][place]
    return text === undefined ? [] : [`when ${place}.id is not null then ${text}`]
  })
  return `case ${cases.join(' ')} end`
}

/**
 * Selects these columns of the messages in one place. `first` is the table whose index finds them: SQLite reads the
 * tables of a cross join in the order in which they are written. `also` are columns of the device. Conditions follow
 * with `and`.
 */
export function selectIn(
  place: MessagePlace,
  columns: readonly (keyof Message)[],
  first: 'messages' | 'place' = 'place',
  also: readonly string[] = [],
): string {
  const tables = first === 'place' ? `${place} cross join messages` : `messages cross join ${place}`
  return `${selectFrom(tables, place, columns, also)} where messages.id = ${place}.id`
}

/** The same for columns that the place itself has, and the id. */
export function selectStatus(
  place: MessagePlace,
  columns: readonly (keyof MessageStatus | 'id' | 'expires_at')[],
  also: readonly string[] = [],
): string {
  return `${selectFrom(place, place, columns, also)} where true`
}

function selectFrom(
  tables: string,
  place: MessagePlace,
  columns: readonly (keyof Message)[],
  also: readonly string[],
): string {
  const selected = [...columns.map((column) => `${columnIn(column, place)} as ${column}`), ...also]
  const text = selected.join(', ')
  const device = /devices\.|failures_in_row/.test(text)
    ? `left join devices on devices.id = ${place}.device_id`
    : ''
  return `select ${text} from ${tables} ${device}`
}

/** Selects these columns of messages in any place. Conditions follow with `and`. */
export function selectAnywhere(columns: readonly (keyof Message)[]): string {
  const joined = PLACES.map((place) => `left join ${place} on ${place}.id = messages.id`).join(' ')
  return `select ${columns.map((column) => `${columnAnywhere(column)} as ${column}`).join(', ')}
    from messages ${joined}
      left join devices on devices.id = coalesce(outcomes.device_id, in_flight.device_id, queue.device_id)
    where true`
}

/** A message's latest attempt, which is a part of its row; `undefined` if it has none there. */
export function latestAttempt(message: LatestAttempt, day: (time: string) => string): Attempt | undefined {
  const { attempt_state: state, device_id, device_guid, assigned_at: given_at } = message
  if (state === null || device_id === null || given_at === null) return undefined
  return {
    message_id: message.id,
    attempt: message.attempt,
    device_id,
    device_uid: device_guid!,
    parts: message.attempt_parts ?? message.parts,
    day: day(given_at),
    given_at,
    cancel_at: message.cancel_at,
    accepted_at: message.handed_timestamp,
    sent_at: message.answer_sent_timestamp,
    delivered_at: state === 'delivered' ? message.answer_2_timestamp : null,
    finished_at: message.completed_at,
    state,
    code: message.code,
    detail: message.detail,
    sim: message.sim,
    sim_id: message.sim_id,
    own_row: false,
  }
}

export type LatestAttempt = Pick<
  Message,
  | 'id'
  | 'attempt'
  | 'device_id'
  | 'device_guid'
  | 'parts'
  | 'assigned_at'
  | 'cancel_at'
  | 'handed_timestamp'
  | 'answer_sent_timestamp'
  | 'answer_2_timestamp'
  | 'completed_at'
  | 'attempt_state'
  | 'attempt_parts'
  | 'code'
  | 'detail'
  | 'sim'
  | 'sim_id'
>
