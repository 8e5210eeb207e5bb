import { limit, locked, lockedOrSkipped, sql, when } from '@sdd/storage/sql.ts'
import { type InScope, type Scope, within } from '#server/core/context.ts'
import type { Tx } from '#server/database/schema.ts'
import { selectIn } from '#server/messages/messages/rows.ts'
import { MESSAGE_COLUMNS, type MessageRow } from '#server/messages/messages/store.ts'

/** A recipient to whom nothing may go any longer; with a priority, only messages of this one. */
export type Forbidden = { company_id: number; number: string; priority?: number }

/** Messages that have not ended. */
export function unfinishedStore(tx: Tx, scope: Scope) {
  return {
    /** Messages that no device has accepted and that had expired by then, at most `limit` of each step. */
    overdue: async (expired_at: string, limit: number): Promise<MessageRow[]> => [
      ...(await tx.rows(OVERDUE_WAITING, { expired_at, limit })),
      ...(await tx.rows(OVERDUE_GIVEN, { expired_at, look_at: expired_at, limit })),
    ],

    /** Messages that a device has accepted and that had expired by then. */
    overdueAccepted: (expired_at: string, look_at: string, limit: number) =>
      tx.rows(OVERDUE_ACCEPTED, { expired_at, look_at, limit }),

    /** The messages of a device, linked or not. */
    ofDevice: async (device_id: number) => [
      ...(await tx.rows(WAITING_FOR, { device_id, ...within(scope) })),
      ...(await tx.rows(GIVEN_TO, { device_id, ...within(scope) })),
    ],

    /** The oldest messages that wait for this number. */
    waitingFor: ({ number, priority }: Forbidden, limit: number) =>
      tx.rows(WAITING_TO, { number, priority, limit, ...within(scope) }),

    /** Those to it that devices have not accepted, and were not asked to drop. */
    unaccepted: ({ number, priority }: Forbidden) =>
      tx.rows(UNACCEPTED_TO, { number, priority, ...within(scope) }),
  }
}

/** Sets the expiry of every message that waits for the number. */
export function expireTo(tx: Tx, to: Forbidden, expires_at: string): Promise<void> {
  return tx.run(EXPIRE_TO, { priority: undefined, ...to, expires_at })
}

/** An unanswered request to drop an attempt. `expires_at` is set if its message has ended without it. */
export type Cancel = {
  message_id: number
  /** The attempt's number, if it has a row of its own. */
  own_attempt: number | null
  device_id: number
  uid: string
  guid: string
  expires_at: string | null
}

/** Unanswered requests to drop an attempt, for devices at this server. */
export async function unansweredCancels(
  tx: Tx,
  replica: string,
  now: string,
  limit: number,
): Promise<Cancel[]> {
  return [
    ...(await tx.rows(CANCELS, { replica, now, limit })),
    ...(await tx.rows(CANCELS_OF_ENDED, { replica, now, limit })),
  ]
}

const IN_SCOPE = when('company_id')`and messages.company_id = :company_id`

type Overdue = { expired_at: string; limit: number }
type OverdueInFlight = Overdue & { look_at: string }

const WAITING = selectIn('queue', MESSAGE_COLUMNS)
const GIVEN = `${selectIn('in_flight', MESSAGE_COLUMNS)} and completed_at is null`

const OVERDUE_WAITING = sql<MessageRow, Overdue>`
  ${WAITING} and queue.expires_at <= :expired_at order by queue.expires_at ${limit()} ${lockedOrSkipped('queue')}`

/** The server looks at each message no later than at its expiry, so the index of these times finds it. */
const OVERDUE_GIVEN = sql<MessageRow, OverdueInFlight>`
  ${GIVEN} and look_at <= :look_at and in_flight.expires_at <= :expired_at and handed_timestamp is null
  order by look_at ${limit()} ${lockedOrSkipped('in_flight')}`

const OVERDUE_ACCEPTED = sql<MessageRow, OverdueInFlight>`
  ${GIVEN} and look_at <= :look_at and in_flight.expires_at <= :expired_at and handed_timestamp is not null
  order by look_at ${limit()} ${lockedOrSkipped('in_flight')}`

const WAITING_FOR = sql<MessageRow, { device_id: number } & InScope>`
  ${WAITING} and queue.device_id = :device_id ${IN_SCOPE} ${locked('queue')}`

const GIVEN_TO = sql<MessageRow, { device_id: number } & InScope>`
  ${GIVEN} and in_flight.device_id = :device_id ${IN_SCOPE} ${locked('in_flight')}`

const OF_PRIORITY = when('priority')`and queue.priority = :priority`

type To = { number: string; priority: number | undefined } & InScope

const WAITING_TO = sql<MessageRow, To & { limit: number }>`
  ${WAITING} and message_to = :number ${IN_SCOPE} ${OF_PRIORITY}
  order by queue.id ${limit()} ${locked('queue')}`

const UNACCEPTED_TO = sql<MessageRow, To>`
  ${GIVEN} and message_to = :number ${IN_SCOPE} ${when('priority')`and messages.priority = :priority`}
  and handed_timestamp is null and cancel_at is null ${locked('in_flight')}`

const EXPIRE_TO = sql<
  never,
  { company_id: number; number: string; expires_at: string; priority: number | undefined }
>`
  update queue set expires_at = :expires_at where company_id = :company_id
    and (select message_to from messages where messages.id = queue.id) = :number ${OF_PRIORITY}`

type Due = { replica: string; now: string; limit: number }

const TO_DEVICE_HERE = `case when devices.status = 'connected' and devices.replica = :replica then true end`

/** The cross joins and the `case` keep both engines from reading everything that the devices at this server have. */
const CANCELS = sql<Cancel, Due>`
  select in_flight.id as message_id, null as own_attempt, in_flight.device_id, devices.uid, guid, null as expires_at
  from in_flight cross join messages cross join devices
  where messages.id = in_flight.id and devices.id = in_flight.device_id and cancel_at <= :now and ${TO_DEVICE_HERE}
  order by cancel_at ${limit()} ${lockedOrSkipped('in_flight')}`

const CANCELS_OF_ENDED = sql<Cancel, Due>`
  select message_id, attempt as own_attempt, attempts.device_id, devices.uid, guid, expires_at
  from attempts cross join messages cross join devices
  where messages.id = message_id and devices.id = attempts.device_id and cancel_at <= :now and finished_at is null and ${TO_DEVICE_HERE}
  order by cancel_at ${limit()} ${lockedOrSkipped('attempts')}`
