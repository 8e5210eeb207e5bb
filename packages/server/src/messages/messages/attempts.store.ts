import { isIn, limit, locked, lockedOrSkipped, sql } from '@sdd/storage/sql.ts'
import type { Insertable, Selectable } from '@sdd/storage/tables.ts'
import type { Attempts, Change, Devices, Messages, Tx } from '#server/database/schema.ts'

/** Attempts are found by their message or their device: a caller has checked the scope of those. */
export function attemptStore(tx: Tx) {
  return {
    insert: (attempt: Insertable<Attempts>) => tx.insert('attempts', [attempt]),

    /** Changes the columns whose values differ from those in `attempt`. Its message tells PostgreSQL the partition. */
    update: (attempt: AttemptKey & Partial<Attempt>, change: Change<Attempts>) =>
      tx.update('attempts', { id: attempt.id, message_id: attempt.message_id }, change, attempt),

    /** All attempts of these messages, each with the failures of its device. */
    ofMessages: (message_ids: readonly number[]): Promise<AttemptRow[]> =>
      tx.rows(OF_MESSAGES, { message_ids, first: Math.min(...message_ids) }),

    byNumber: (message_id: number, attempt: number) => tx.first(BY_NUMBER, { message_id, attempt }),

    ofMessage: (message_id: number) => tx.rows(OF_MESSAGE, { message_id }),

    /** The last attempt of each of these messages. */
    latestOf: (message_ids: readonly number[]) => tx.rows(LATEST_OF, { message_ids }),

    /** Commands without any report, due to go out again to a device that is connected here and may have them. */
    unanswered: (replica: string, now: string, limit: number) => tx.rows(UNANSWERED, { replica, now, limit }),

    /** What devices that are connected here shall drop and have not answered. */
    cancels: (replica: string, now: string, limit: number) => tx.rows(CANCELS, { replica, now, limit }),

    postpone: (attempts: readonly AttemptKey[], resend_at: string) =>
      tx.runEach(
        POSTPONE,
        attempts.map(({ id, message_id }) => ({ id, message_id, resend_at })),
      ),

    /** Whether the device was given anything, or told to drop anything, that it has not answered. */
    anyUnanswered: async (device_id: number): Promise<boolean> =>
      (await tx.first(UNANSWERED_BY, { device_id })) !== undefined,

    /** What the device has not answered may go out again at once. */
    async resendTo(device_id: number, now: string, given_until: string): Promise<void> {
      await tx.run(RESEND_TO, { device_id, now, given_until })
      await tx.run(CANCEL_AGAIN, { device_id, now, given_until })
    },
  }
}

type Attempt = Selectable<Attempts>
export type AttemptRow = Attempt & Pick<Selectable<Devices>, 'failures_in_row'>
export type AttemptKey = Pick<Attempt, 'id' | 'message_id'>

/** Months before that of the first message are not read. */
const OF_MESSAGES = sql<AttemptRow, { message_ids: readonly number[]; first: number }>`
  select attempts.*, failures_in_row from attempts join devices on devices.id = attempts.device_id
  where ${isIn('message_id', 'message_ids')} and message_id >= :first ${locked('attempts')}`

const BY_NUMBER = sql<Attempt, { message_id: number; attempt: number }>`
  select * from attempts where message_id = :message_id and attempt = :attempt ${locked('attempts')}`

const OF_MESSAGE = sql<Attempt, { message_id: number }>`
  select * from attempts where message_id = :message_id order by attempt`

const LATEST_OF = sql<
  Pick<Attempt, 'message_id' | 'given_at' | 'resend_at' | 'accepted_at'>,
  { message_ids: readonly number[] }
>`
  select message_id, given_at, resend_at, accepted_at from attempts
  join messages on messages.id = attempts.message_id and messages.attempt = attempts.attempt
  where ${isIn('message_id', 'message_ids')}`

type Due = { replica: string; now: string; limit: number }

const UNANSWERED = sql<
  Pick<Attempt, 'id' | 'message_id' | 'attempt'> &
    Pick<Devices, 'uid'> &
    Pick<Messages, 'guid' | 'message' | 'message_to' | 'silent' | 'expires_at' | 'from_number'>,
  Due
>`
  select attempts.id, message_id, attempts.attempt, devices.uid, guid, message, message_to, silent, expires_at, from_number
  from attempts
  join messages on messages.id = attempts.message_id
  join devices on devices.id = attempts.device_id
  join settings on settings.company_id = devices.company_id
  where resend_at <= :now and accepted_at is null and finished_at is null and cancel_at is null
    and devices.status = 'connected' and devices.replica = :replica and devices.enabled = 1 and send_enabled = 1
  order by resend_at ${limit()} ${lockedOrSkipped('attempts')}`

const CANCELS = sql<
  AttemptKey &
    Pick<Attempts, 'device_id'> &
    Pick<Devices, 'uid'> &
    Pick<Messages, 'guid' | 'step' | 'expires_at'>,
  Due
>`
  select attempts.id, message_id, attempts.device_id, devices.uid, guid, step, expires_at
  from attempts
  join messages on messages.id = attempts.message_id
  join devices on devices.id = attempts.device_id
  where cancel_at <= :now and finished_at is null
    and devices.status = 'connected' and devices.replica = :replica
  order by cancel_at ${limit()} ${lockedOrSkipped('attempts')}`

const POSTPONE = sql<never, AttemptKey & { resend_at: string }>`
  update attempts set resend_at = :resend_at where id = :id and message_id = :message_id`

const UNANSWERED_BY = sql<Pick<Attempt, 'id'>, { device_id: number }>`
  select id from attempts
  where device_id = :device_id and finished_at is null and (accepted_at is null or cancel_at is not null) limit 1`

type Resend = { device_id: number; now: string; given_until: string }
const OPEN = 'device_id = :device_id and finished_at is null and given_at <= :given_until'

const RESEND_TO = sql<never, Resend>`
  update attempts set resend_at = :now where ${OPEN} and accepted_at is null`

const CANCEL_AGAIN = sql<never, Resend>`
  update attempts set cancel_at = :now where ${OPEN} and cancel_at is not null`
