import { limit, lockedOrSkipped, sql } from '@sdd/storage/sql.ts'
import type { Selectable } from '@sdd/storage/tables.ts'
import type { Attempts, Devices, Messages, Tx } from '#server/database/schema.ts'
import type { AttemptKey } from '#server/messages/messages/store.ts'

/** Attempts with unanswered commands, of all companies. */
export function resendingStore(tx: Tx) {
  return {
    /** Commands without any report that are due to be sent again, to devices at this server that may have them. */
    due: (replica: string, now: string, limit: number) => tx.rows(DUE, { replica, now, limit }),

    postpone: (attempts: readonly AttemptKey[], resend_at: string) =>
      tx.runEach(
        POSTPONE,
        attempts.map(({ id, message_id }) => ({ id, message_id, resend_at })),
      ),

    /** Whether the device has an unanswered `send` or `cancel`. */
    anyUnanswered: async (device_id: number): Promise<boolean> =>
      (await tx.first(UNANSWERED_BY, { device_id })) !== undefined,

    /** Makes the device's unanswered commands due at once. */
    async resendTo(device_id: number, now: string, given_until: string): Promise<void> {
      await tx.run(RESEND_TO, { device_id, now, given_until })
      await tx.run(CANCEL_AGAIN, { device_id, now, given_until })
    },
  }
}

type Attempt = Selectable<Attempts>

type Due = { replica: string; now: string; limit: number }

const DUE = sql<
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
