import { limit, locked, lockedOrSkipped, sql, when } from '@sdd/storage/sql.ts'
import { type InScope, type Scope, within } from '#server/core/context.ts'
import { numberKeyOf } from '#server/core/number-key.ts'
import type { Attempts, Devices, Messages, Tx } from '#server/database/schema.ts'
import { type AttemptKey, MESSAGE_COLUMNS, type MessageRow } from '#server/messages/messages/store.ts'

/** Messages that have not ended. */
export function unfinishedStore(tx: Tx, scope: Scope) {
  return {
    /** Messages that had expired by then, oldest first: those that a device has accepted, or else the others. */
    overdue: (accepted: boolean, expired_at: string, limit: number) =>
      tx.rows(accepted ? OVERDUE_ACCEPTED : OVERDUE_UNACCEPTED, { expired_at, limit, ...within(scope) }),

    /** The messages of a device, linked or not. */
    ofDevice: async (device_id: number) => [
      ...(await tx.rows(WAITING_FOR, { device_id, ...within(scope) })),
      ...(await tx.rows(GIVEN_TO, { device_id, ...within(scope) })),
    ],

    /** The messages to the number with this `numberKey`, oldest first. */
    toNumber: (number_key: string, step: 'waiting' | 'given', limit: number) =>
      tx.rows(UNFINISHED_TO, { number_key, step, limit, ...within(scope) }),
  }
}

/** Sets the expiry of every message that waits for the number. */
export function expireTo(tx: Tx, company_id: number, number_key: string, expires_at: string): Promise<void> {
  return tx.run(EXPIRE_TO, { company_id, number_key, expires_at })
}

/** Unanswered requests to drop an attempt, for devices at this server. */
export function unansweredCancels(tx: Tx, replica: string, now: string, limit: number) {
  return tx.rows(CANCELS, { replica, now, limit })
}

const SELECT = `select ${MESSAGE_COLUMNS} from messages`

const IN_SCOPE = when('company_id')`and company_id = :company_id`

const TO_NUMBER = numberKeyOf('message_to')

type Overdue = { expired_at: string; limit: number } & InScope
const OVERDUE = `${SELECT} where step <> 'finished' and expires_at <= :expired_at`

const OVERDUE_ACCEPTED = sql<MessageRow, Overdue>`
  ${OVERDUE} and handed_timestamp is not null ${IN_SCOPE}
  order by expires_at ${limit()} ${lockedOrSkipped('messages')}`

const OVERDUE_UNACCEPTED = sql<MessageRow, Overdue>`
  ${OVERDUE} and handed_timestamp is null ${IN_SCOPE}
  order by expires_at ${limit()} ${lockedOrSkipped('messages')}`

const WAITING_FOR = sql<MessageRow, { device_id: number } & InScope>`
  ${SELECT} where device_id = :device_id and step = 'waiting' ${IN_SCOPE} ${locked('messages')}`

const GIVEN_TO = sql<MessageRow, { device_id: number } & InScope>`
  ${SELECT} where device_id = :device_id and step = 'given'
    and id in (select message_id from attempts where attempts.device_id = :device_id and finished_at is null) ${IN_SCOPE}
  ${locked('messages')}`

const UNFINISHED_TO = sql<MessageRow, { number_key: string; step: string; limit: number } & InScope>`
  ${SELECT} where step <> 'finished' and step = :step and ${TO_NUMBER} = :number_key ${IN_SCOPE}
  order by id ${limit()} ${locked('messages')}`

const EXPIRE_TO = sql<never, { company_id: number; number_key: string; expires_at: string }>`
  update messages set expires_at = :expires_at
  where company_id = :company_id and step <> 'finished' and step = 'waiting' and ${TO_NUMBER} = :number_key`

const CANCELS = sql<
  AttemptKey &
    Pick<Attempts, 'device_id'> &
    Pick<Devices, 'uid'> &
    Pick<Messages, 'guid' | 'step' | 'expires_at'>,
  { replica: string; now: string; limit: number }
>`
  select attempts.id, message_id, attempts.device_id, devices.uid, guid, step, expires_at
  from attempts
  join messages on messages.id = attempts.message_id
  join devices on devices.id = attempts.device_id
  where cancel_at <= :now and finished_at is null
    and devices.status = 'connected' and devices.replica = :replica
  order by cancel_at ${limit()} ${lockedOrSkipped('attempts')}`
