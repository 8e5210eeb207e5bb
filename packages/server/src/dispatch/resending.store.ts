import { isIn, limit, lockedOrSkipped, sql } from '@sdd/storage/sql.ts'
import type { Devices } from '#server/database/device-tables.ts'
import type { InFlight, Messages, Tx } from '#server/database/schema.ts'
import { NO_MAINTENANCE } from '#server/fleet/devices/maintenance.ts'
import { selectIn } from '#server/messages/messages/rows.ts'
import { MESSAGE_COLUMNS, type MessageRow } from '#server/messages/messages/store.ts'

/** Messages that devices have, of all companies. */
export function resendingStore(tx: Tx) {
  return {
    /** Commands without any report that are due to be sent again, to devices at this server that may have them. */
    due: (replica: string, now: string, limit: number) => tx.rows(DUE, { replica, now, limit }),

    /** Messages whose time has come, and that a device has accepted and not expired for long, or that were sent. */
    answered: (now: string, expired_at: string, limit: number): Promise<MessageRow[]> =>
      tx.rows(ANSWERED, { now, expired_at, limit }),

    lookAt: (id: number, look_at: string) => tx.update('in_flight', { id }, { look_at }),

    /** Those of these devices that have an unanswered `send` or `cancel`. */
    unansweredBy: async (device_ids: readonly number[]): Promise<Set<number>> =>
      new Set((await tx.rows(UNANSWERED_BY, { device_ids })).map(({ device_id }) => device_id)),

    /** Makes the device's unanswered commands due at once. */
    async resendTo(device_id: number, now: string, given_until: string): Promise<void> {
      await tx.run(RESEND_TO, { device_id, now, given_until })
      await tx.run(CANCEL_AGAIN, { device_id, now, given_until })
      await tx.run(CANCEL_ENDED_AGAIN, { device_id, now, given_until })
    },
  }
}

type Due = { replica: string; now: string; limit: number }

/** The cross joins and the `case` keep both engines from reading everything that the devices at this server have. */
const DUE = sql<
  Pick<InFlight, 'id' | 'attempt' | 'expires_at'> &
    Pick<Devices, 'uid'> &
    Pick<Messages, 'guid' | 'message' | 'message_to' | 'silent' | 'from_number'> & { iccid: string | null },
  Due
>`
  select in_flight.id, attempt, devices.uid, guid, message, message_to, silent, in_flight.expires_at, from_number,
    case when names_sims = 1 then (select iccid from sims where sims.id = in_flight.sim_id) end as iccid
  from in_flight cross join messages cross join devices cross join settings
  where messages.id = in_flight.id and devices.id = in_flight.device_id
    and settings.company_id = devices.company_id and look_at <= :now and handed_timestamp is null and completed_at is null
    and cancel_at is null and send_enabled = 1
    and case when devices.status = 'connected' and devices.enabled = 1 and devices.replica = :replica
      and ${NO_MAINTENANCE} then true end
  order by look_at ${limit()} ${lockedOrSkipped('in_flight')}`

const ANSWERED = sql<MessageRow, { now: string; expired_at: string; limit: number }>`
  ${selectIn('in_flight', MESSAGE_COLUMNS)} and look_at <= :now
    and (completed_at is not null or handed_timestamp is not null and in_flight.expires_at > :expired_at)
  order by look_at ${limit()} ${lockedOrSkipped('in_flight')}`

const UNANSWERED_BY = sql<{ device_id: number }, { device_ids: readonly number[] }>`
  select device_id from in_flight where ${isIn('device_id', 'device_ids')} and completed_at is null
    and (handed_timestamp is null or cancel_at is not null)
  union select device_id from attempts
  where cancel_at is not null and finished_at is null and ${isIn('device_id', 'device_ids')}`

type Resend = { device_id: number; now: string; given_until: string }
const OPEN = 'device_id = :device_id and completed_at is null and assigned_at <= :given_until'

const RESEND_TO = sql<never, Resend>`
  update in_flight set look_at = :now where ${OPEN} and handed_timestamp is null`

const CANCEL_AGAIN = sql<never, Resend>`
  update in_flight set cancel_at = :now where ${OPEN} and cancel_at is not null`

const CANCEL_ENDED_AGAIN = sql<never, Resend>`
  update attempts set cancel_at = :now
  where cancel_at is not null and finished_at is null and device_id = :device_id and given_at <= :given_until`
