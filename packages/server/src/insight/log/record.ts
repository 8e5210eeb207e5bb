import type { Role } from '@sdd/contract/core/roles.ts'
import type { AttemptDetail } from '@sdd/contract/messages/outcomes.ts'
import type { MessageRecord } from '@sdd/contract/insight/log.ts'
import { readTarget } from '#server/tasks/report-target.ts'
import { withoutQuery } from '#server/outward/callbacks/webhooks.ts'
import { mayReadInbox } from '#server/accounts/settings/inbox-role.ts'
import type { Clock } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import type { Database } from '#server/database/open.ts'
import { unknownMessage } from '#server/dispatch/expiry/discarding.ts'
import { asTask } from '#server/tasks/task.ts'
import { type Attempt, latestAttempt } from '#server/messages/messages/rows.ts'
import { attemptStore, type MessageRow, messageStore } from '#server/messages/messages/store.ts'
import { type GuidAsked, scopeOfGuid } from '#server/messages/messages/by-guid.ts'
import { senderNames } from '#server/messages/messages/senders.store.ts'
import { withReasons } from './entries.ts'

/**
 * Everything known about a message, flat and in reading order. `unknown_message`; `ambiguous_guid` if a superadmin sees
 * the guid in several companies.
 */
export async function readMessage(
  { db, clock }: { db: Database; clock: Clock },
  caller: Pick<Caller, 'scope' | 'role' | 'company_id'>,
  { facts = false, ...asked }: GuidAsked & { facts?: boolean },
): Promise<MessageRecord> {
  const { scope, role } = caller
  const { guid } = asked
  const guidScope = await scopeOfGuid(db.read, scope, asked, 'messages')
  const found = guidScope && (await messageStore(db.read, guidScope).byGuid(guid))
  if (found === undefined) throw unknownMessage(guid)
  const row = (await mayReadInbox(db.read, caller)) ? found : { ...found, answer_3: null }
  const [entry] = await withReasons(db.read, clock, [row])
  const { notes_codes, ...flat } = entry!
  const { waiting_for, waiting_code, waiting_params } = flat
  const latest = latestAttempt(row, (time) => clock.day(Date.parse(time)))
  const attempts = [...(await attemptStore(db.read).ofMessages([row.id])), ...(latest ? [latest] : [])]
  const senders = await senderNames(db.read, [row.id])
  // The contract sorts them in reading order.
  return {
    ...flat,
    parts: row.parts,
    queued_by: senders.get(row.id) ?? null,
    expires_at: row.expires_at,
    completed_at: row.completed_at,
    ...(row.task === 1 && taskFields(row, role)),
    waiting_for,
    waiting_code,
    waiting_params,
    notes_codes: facts ? notes_codes : null,
    ...(facts && { attempt_details: attempts.map(detailOf) }),
    ...Object.fromEntries(attempts.map((attempt) => [`attempt_${attempt.attempt}`, inWords(attempt)])),
  }
}

function taskFields(row: MessageRow, role: Role) {
  const { state: task_state, ...task } = asTask(row, undefined)
  const url = row.callback_url === null ? null : readTarget(row.callback_url).url
  return {
    ...task,
    task_state,
    callback_url: role === 'user' && url ? withoutQuery(url) : url,
    discard_asked_at: row.discard_asked_at,
  }
}

function detailOf({ device_uid: device, ...attempt }: Attempt): AttemptDetail {
  const { sim, given_at, accepted_at, sent_at, delivered_at, state, code, detail } = attempt
  const times = { given_at, accepted_at, sent_at, delivered_at }
  return { attempt: attempt.attempt, device, sim, ...times, state, code, detail }
}

/** `drone-1 · given 2026-… · accepted 2026-… · sent 2026-…`. */
function inWords(attempt: Attempt): string {
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
