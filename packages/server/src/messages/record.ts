import type { MessageRecord } from '@sdd/contract/messages.ts'
import type { Clock } from '#server/core/clock.ts'
import type { Scope } from '#server/core/context.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Database } from '#server/database/open.ts'
import type { Attempts } from '#server/database/schema.ts'
import { attemptStore } from './attempts/store.ts'
import { type GuidAsked, scopeOfGuid } from './by-guid.ts'
import { messageStore } from './store.ts'
import { withReasons } from './waiting.ts'

/** Everything known of one message, flat and in reading order, or `unknown_message`. */
export async function readMessage(
  { db, clock }: { db: Database; clock: Clock },
  scope: Scope,
  asked: GuidAsked,
): Promise<MessageRecord> {
  const { guid } = asked
  const its = await scopeOfGuid(db.read, scope, asked, 'messages')
  const row = its && (await messageStore(db.read, its).byGuid(guid))
  if (row === undefined)
    throw new Refusal('unknown_message', `There is no message ${JSON.stringify(guid.slice(0, 64))}.`)
  const [entry] = await withReasons(db.read, clock, [row])
  const { guid: own, state, waiting_for, message_to, message, ...times } = entry!
  const attempts = await attemptStore(db.read).ofMessage(row.id)
  return {
    guid: own,
    state,
    waiting_for,
    message_to,
    message,
    parts: row.parts,
    ...(row.task === 1 && {
      from_number: row.from_number,
      silent: row.silent === 1,
      sent_stamp: row.sent_stamp,
      callback_url: row.callback_url,
    }),
    ...times,
    ...(row.task === 1 && { assigned_at: row.assigned_at, discard_asked_at: row.discard_asked_at }),
    expires_at: row.expires_at,
    completed_at: row.completed_at,
    ...Object.fromEntries(attempts.map((attempt) => [`attempt_${attempt.attempt}`, inWords(attempt)])),
  }
}

/** `drone-1 · given 2026-… · accepted 2026-… · sent 2026-…`. */
function inWords(attempt: Omit<Attempts, 'id'>): string {
  const { device_uid, given_at, accepted_at, sent_at, delivered_at, state, code, detail, sim } = attempt
  return [
    device_uid,
    sim && `SIM ${sim}`,
    `given ${given_at}`,
    accepted_at && `accepted ${accepted_at}`,
    sent_at && `sent ${sent_at}`,
    delivered_at && `delivered ${delivered_at}`,
    (state === 'failed' || state === 'undelivered') && state,
    code,
    detail,
  ]
    .filter(Boolean)
    .join(' · ')
}
