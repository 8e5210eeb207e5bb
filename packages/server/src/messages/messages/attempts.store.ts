import { type Selectable, sql } from 'kysely'
import { isIn, locked, lockedOrPassed } from '#server/database/dialect.ts'
import { insertRows, listed, lockedText, rowsOf, runMany, updateById } from '#server/database/direct.ts'
import type { Attempts, Change, Tx } from '#server/database/schema.ts'

export type AttemptRow = Selectable<Attempts> & { failures_in_row: number }

const newColumns = [
  'message_id',
  'attempt',
  'device_id',
  'device_uid',
  'parts',
  'day',
  'given_at',
  'resend_at',
  'state',
] as const satisfies readonly (keyof Attempts)[]

export type AttemptKey = Pick<Selectable<Attempts>, 'id' | 'message_id'>

type NewAttempt = Pick<Attempts, (typeof newColumns)[number]>

const UNANSWERED_BY = `select id from attempts
  where device_id = ? and finished_at is null and (accepted_at is null or cancel_at is not null) limit 1`

const POSTPONE = 'update attempts set resend_at = ? where id = ? and message_id = ?'

/** Attempts are found by their message, or by their device: who asks has the scope of those. */
export function attemptStore(tx: Tx) {
  return {
    insert: (attempt: NewAttempt) => insertRows(tx, 'attempts', newColumns, [attempt]),

    /** Attempts are found by their message: on PostgreSQL they lie where that is. */
    update: (attempt: AttemptKey & Partial<Selectable<Attempts>>, change: Change<Attempts>) =>
      updateById(tx, 'attempts', { id: attempt.id, message_id: attempt.message_id }, change, attempt),

    /** All attempts of these messages, each with how its device has done of late. */
    ofMessages(message_ids: readonly number[]): Promise<AttemptRow[]> {
      const { text, values } = listed(
        tx,
        ['bigint'],
        message_ids.map((id) => [id]),
      )
      // Months before that of the first are not looked into.
      return rowsOf(
        tx,
        `select attempts.*, failures_in_row from attempts join devices on devices.id = attempts.device_id
         where message_id in (${text}) and message_id >= ?${lockedText(tx, 'attempts')}`,
        [...values, Math.min(...message_ids)],
      )
    },

    byNumber: (message_id: number, attempt: number) =>
      tx
        .selectFrom('attempts')
        .selectAll()
        .where('message_id', '=', message_id)
        .where('attempt', '=', attempt)
        .$call(locked(tx, 'attempts'))
        .executeTakeFirst(),

    ofMessage: (message_id: number) =>
      tx.selectFrom('attempts').selectAll().where('message_id', '=', message_id).orderBy('attempt').execute(),

    /** The last attempt of each of these messages. */
    latestOf: (message_ids: readonly number[]) =>
      tx
        .selectFrom('attempts')
        .innerJoin('messages', (join) =>
          join
            .onRef('messages.id', '=', 'attempts.message_id')
            .onRef('messages.attempt', '=', 'attempts.attempt'),
        )
        .select(['message_id', 'given_at', 'resend_at', 'accepted_at'])
        .where(isIn(tx, 'message_id', message_ids))
        .execute(),

    /** Commands without any report, due to go out again to a device that is there to take them and may have them. */
    unanswered: (replica: string, now: string, limit: number) =>
      tx
        .selectFrom('attempts')
        .innerJoin('messages', 'messages.id', 'attempts.message_id')
        .innerJoin('devices', 'devices.id', 'attempts.device_id')
        .innerJoin('settings', 'settings.company_id', 'devices.company_id')
        .select(['attempts.id', 'message_id', 'attempts.attempt', 'devices.uid'])
        .select(['guid', 'message', 'message_to', 'silent', 'expires_at', 'from_number'])
        .where('resend_at', '<=', now)
        .where('accepted_at', 'is', null)
        .where('finished_at', 'is', null)
        .where('cancel_at', 'is', null)
        .where('devices.status', '=', sql.lit('connected'))
        .where('devices.replica', '=', replica)
        .where('devices.enabled', '=', sql.lit(1))
        .where('send_enabled', '=', sql.lit(1))
        .orderBy('resend_at')
        .limit(limit)
        .$call(lockedOrPassed(tx, 'attempts'))
        .execute(),

    /** What devices that are there to hear it shall drop and have not answered. */
    cancels: (replica: string, now: string, limit: number) =>
      tx
        .selectFrom('attempts')
        .innerJoin('messages', 'messages.id', 'attempts.message_id')
        .innerJoin('devices', 'devices.id', 'attempts.device_id')
        .select(['attempts.id', 'message_id', 'attempts.device_id', 'devices.uid'])
        .select(['guid', 'step', 'expires_at'])
        .where('cancel_at', '<=', now)
        .where('finished_at', 'is', null)
        .where('devices.status', '=', sql.lit('connected'))
        .where('devices.replica', '=', replica)
        .orderBy('cancel_at')
        .limit(limit)
        .$call(lockedOrPassed(tx, 'attempts'))
        .execute(),

    async postpone(attempts: readonly AttemptKey[], resend_at: string): Promise<void> {
      await runMany(
        tx,
        POSTPONE,
        attempts.map(({ id, message_id }) => [resend_at, id, message_id]),
      )
    },

    /** Whether the device was given anything, or told to drop anything, that it has not answered. */
    anyUnanswered: async (device_id: number): Promise<boolean> => {
      const rows = await rowsOf(tx, UNANSWERED_BY, [device_id])
      return rows.length > 0
    },

    /** What the device has not answered may go out again at once. */
    async resendTo(device_id: number, now: string, given_until: string): Promise<void> {
      const open = tx
        .updateTable('attempts')
        .where('device_id', '=', device_id)
        .where('finished_at', 'is', null)
        .where('given_at', '<=', given_until)
      await open.set({ resend_at: now }).where('accepted_at', 'is', null).execute()
      await open.set({ cancel_at: now }).where('cancel_at', 'is not', null).execute()
    },
  }
}
