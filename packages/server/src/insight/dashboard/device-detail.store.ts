import { isIn, limit, sql } from '@sdd/storage/sql.ts'
import type { Counters, Tx } from '#server/database/schema.ts'
import {
  type Attempt,
  latestAttempt,
  type LatestAttempt,
  type Message,
  selectIn,
} from '#server/messages/messages/rows.ts'

/** What one device did, and the messages that it has. */
export function deviceDetailStore(tx: Tx, { id, company_id }: { id: number; company_id: number }) {
  return {
    /** The sums of its figures on these days. */
    counts: (days: readonly string[]) => tx.rows(COUNTS, { company_id, key: String(id), days, figures }),

    /** Unfinished messages that it was given, then those that wait for it; each oldest first. */
    async held(most: number): Promise<HeldRow[]> {
      const given = await tx.rows(GIVEN, { device_id: id, limit: most })
      return [...given, ...(await tx.rows(WAITING, { device_id: id, limit: most }))].slice(0, most)
    },

    /** Attempts by this device at its newest messages, the latest first. */
    async attempts(most: number, day: (time: string) => string): Promise<MadeAttempt[]> {
      const asked = { device_id: id, limit: most }
      const latest = [
        ...(await tx.rows(ATTEMPTS_IN_FLIGHT, asked)),
        ...(await tx.rows(ATTEMPTS_ENDED, asked)),
      ]
      const made = latest.flatMap((row): MadeAttempt[] => {
        const attempt = latestAttempt(row, day)
        return attempt ? [{ ...attempt, guid: row.guid, message_to: row.message_to }] : []
      })
      made.push(...(await tx.rows(ATTEMPTS_BEFORE, asked)))
      return made.sort((one, other) => (one.given_at < other.given_at ? 1 : -1)).slice(0, most)
    },
  }
}

const figures = ['sent', 'delivered', 'failed', 'uncertain', 'received'] as const

/** Looks each counter up, as the index has the counters of all devices by day. */
const COUNTS = sql<
  Pick<Counters, 'figure' | 'count'>,
  { company_id: number; key: string; days: readonly string[]; figures: readonly string[] }
>`
  select figure, sum(count) as count from counters
  where ${isIn('figure', 'figures')} and company_id = :company_id and ${isIn('period', 'days')} and key = :key
  group by figure`

const columns = [
  'id',
  'company_id',
  'guid',
  'device_id',
  'message_to',
  'priority',
  'queue_timestamp',
  'handed_timestamp',
  'state',
  'step',
  'attempt',
  'parts',
  'due_at',
  'expires_at',
  'assigned_at',
  'look_at',
  'lane',
  'lane_until',
  'from_number',
  'via',
  'task',
  'api_key_id',
  'avoid_device_id',
  'discard_asked_at',
] as const satisfies readonly (keyof Message)[]

type HeldRow = Pick<Message, (typeof columns)[number]>

const GIVEN = sql<HeldRow, { device_id: number; limit: number }>`
  ${selectIn('in_flight', columns)} and in_flight.device_id = :device_id and in_flight.completed_at is null
  order by in_flight.id ${limit()}`

const WAITING = sql<HeldRow, { device_id: number; limit: number }>`
  ${selectIn('queue', columns)} and queue.device_id = :device_id order by queue.id ${limit()}`

const attemptColumns = [
  'id',
  'guid',
  'message_to',
  'parts',
  'device_id',
  'device_guid',
  'attempt',
  'assigned_at',
  'cancel_at',
  'handed_timestamp',
  'answer_sent_timestamp',
  'answer_2_timestamp',
  'completed_at',
  'attempt_state',
  'attempt_parts',
  'code',
  'detail',
  'sim',
  'sim_id',
] as const satisfies readonly (keyof Message)[]

type MadeAttempt = Omit<Attempt, 'own_row' | 'device_uid'> & Pick<Message, 'guid' | 'message_to'>
type LatestRow = LatestAttempt & Pick<Message, 'guid' | 'message_to'>
type Asked = { device_id: number; limit: number }

const ATTEMPTS_IN_FLIGHT = sql<LatestRow, Asked>`
  ${selectIn('in_flight', attemptColumns)} and in_flight.device_id = :device_id
  order by in_flight.id desc ${limit()}`

const ATTEMPTS_ENDED = sql<LatestRow, Asked>`
  ${selectIn('outcomes', attemptColumns)} and outcomes.device_id = :device_id
  order by outcomes.id desc ${limit()}`

/** Those that have a row of their own, such as an attempt after which another device took the message. */
const ATTEMPTS_BEFORE = sql<MadeAttempt, Asked>`
  select attempts.*, messages.guid, messages.message_to from attempts cross join messages
  where messages.id = attempts.message_id and attempts.device_id = :device_id
  order by attempts.message_id desc, attempts.attempt desc ${limit()}`
