import { isIn, locked, type Part, perEngine, sql, tuples } from '@sdd/storage/sql.ts'
import { rowMaker } from '@sdd/storage/row-maker.ts'
import type { Tx } from '#server/database/schema.ts'
import { type Message, type MessagePlace, selectIn, selectStatus } from './rows.ts'
import {
  type GuidKey,
  nameOf,
  type KeptMessages,
  submittedColumns,
  type SubmittedMessage,
} from './kept-messages.ts'

/** The columns of a message in flight that reports change, or that decide the change. */
const flightColumns = [
  'device_id',
  'device_guid',
  'expires_at',
  'step',
  'state',
  'attempt',
  'assigned_at',
  'look_at',
  'cancel_at',
  'handed_timestamp',
  'answer_sent_timestamp',
  'anwer_sent',
  'completed_at',
  'attempt_state',
  'code',
  'detail',
  'sim',
  'sim_id',
  'discard_asked_at',
  'notes',
] as const satisfies readonly (keyof Message)[]

/** Columns that only messages in other places fill. In flight they have these values. */
const ELSEWHERE = {
  place: 'in_flight',
  lane: null,
  attempt_parts: null,
  answer_2_timestamp: null,
  answer_2: null,
  answer_3_timestamp: null,
  answer_3: null,
  error: null,
  error_msg: null,
  error_timestamp: null,
  error_block: 0,
} as const satisfies Partial<Message>
const elsewhereColumns = Object.keys(ELSEWHERE) as (keyof typeof ELSEWHERE)[]
const deviceColumns = ['failures_in_row', 'sim_count', 'credit_gone_at'] as const

/** The text and many other columns stay unread. */
export const reportedColumns = [...submittedColumns, ...flightColumns, ...elsewhereColumns] as const
export type ReportedMessage = Pick<Message, (typeof reportedColumns)[number]>
/** With the failures of its device, and how many SIMs that has. */
type WithFailures = { failures_in_row: number | null; sim_count: number | null } & CreditOfSim

/** When its SIM was found to have no credit. */
export type CreditOfSim = { credit_gone_at: string | null }

/** Most attempts have no SIM whose ICCID is known, and then this reads nothing. */
export const creditOf = (sim_id: string) =>
  `(select credit_gone_at from sims where sims.id = ${sim_id}) as credit_gone_at`

/**
 * The existing messages among these, which are named by company and guid. Of those in `keptMessages`, only the rest is
 * read; others in flight are added to it.
 */
export async function messagesByGuids(
  tx: Tx,
  keys: readonly GuidKey[],
  keptMessages: KeptMessages,
): Promise<(ReportedMessage & WithFailures)[]> {
  const found = await inFlight(tx, keys, keptMessages)
  for (const statement of tx.engine === 'postgres' ? REPORTED_POSTGRES : REPORTED_SQLITE) {
    if (found.size === keys.length) break
    const missing = found.size === 0 ? keys : keys.filter((key) => !found.has(nameOf(key)))
    for (const row of await tx.rows(statement, { keys: missing })) {
      found.set(nameOf([row.company_id, row.guid]), row)
      if (row.place === 'in_flight') keptMessages.keep(row)
    }
  }
  return [...found.values()]
}

/** When the message expires if no device has it. */
export async function submittedExpiry(tx: Tx, id: number): Promise<string> {
  return (await tx.first(SUBMITTED_EXPIRY, { id }))!.expires_at
}

/** The messages in flight among these, by name, that are in `keptMessages`. */
async function inFlight(tx: Tx, keys: readonly GuidKey[], keptMessages: KeptMessages) {
  const kept = new Map<number, SubmittedMessage>()
  for (const key of keys) {
    const message = keptMessages.of(key)
    if (message) kept.set(message.id, message)
  }
  const found = new Map<string, ReportedMessage & WithFailures>()
  if (kept.size === 0) return found
  for (const row of await tx.rows(IN_FLIGHT, { ids: [...kept.keys()] })) {
    const message = kept.get(row.id)!
    found.set(nameOf([message.company_id, message.guid]), joinRow([row, message, ELSEWHERE]))
  }
  return found
}

/** Joins a row of `IN_FLIGHT`, the message as it was submitted, and `ELSEWHERE`. A spread takes twenty times as long. */
const joinRow = rowMaker([...reportedColumns, ...deviceColumns], (_, column) => {
  const source = column in ELSEWHERE ? 2 : submittedColumns.some((own) => own === column) ? 1 : 0
  return `values[${source}].${column}`
}) as (values: readonly object[]) => ReportedMessage & WithFailures

/** Limits the query to the recent months. */
const RECENT = perEngine({ sqlite: '', postgres: 'and messages.id >= recent_messages()' })

const SUBMITTED_EXPIRY = sql<{ expires_at: string }, { id: number }>`
  select expires_at from messages where id = :id`

const IS_NAMED = tuples('keys', ['bigint', 'text'])

const ofDevice = (sim_id: string) => ['failures_in_row', 'sim_count', creditOf(sim_id)]

const IN_FLIGHT = sql<
  Pick<Message, 'id' | (typeof flightColumns)[number]> & WithFailures,
  { ids: readonly number[] }
>`${selectStatus('in_flight', ['id', ...flightColumns], ofDevice('in_flight.sim_id'))}
  and ${isIn('in_flight.id', 'ids')} ${locked('in_flight')}`

const reported = (place: MessagePlace, recent: Part | string = '') => sql<
  ReportedMessage & WithFailures,
  { keys: readonly GuidKey[] }
>`${selectIn(place, reportedColumns, 'messages', ofDevice(place === 'queue' ? 'null' : `${place}.sim_id`))}
  and (messages.company_id, guid) in (${IS_NAMED}) ${recent} ${locked(place)}`

const REPORTED_SQLITE = [reported('in_flight'), reported('outcomes'), reported('queue')]

/**
 * Reports are nearly always about recent messages. A message can move from the queue to a device, and back, between two
 * of these statements; so the places are searched once more.
 */
const REPORTED_POSTGRES = [
  reported('in_flight', RECENT),
  reported('outcomes', RECENT),
  ...[...REPORTED_SQLITE].reverse(),
  ...REPORTED_SQLITE,
]
