import type { Report } from '@sdd/contract/fleet/device-protocol.ts'
import { instant } from '#server/core/clock.ts'
import type { Change, Tx } from '#server/database/schema.ts'
import { forbiddenEnding } from '#server/dispatch/expiry/expiry.ts'
import { LATER } from '#server/dispatch/lanes/lane-names.ts'
import { countLanes, laterLane, leaveQueue, NO_LANE } from '#server/dispatch/lanes/lanes.ts'
import { type InboxRow, inboxStore } from '#server/messages/inbox/store.ts'
import { notes } from '#server/messages/outcomes/outcomes.ts'
import { mayBecome, note, type Settled, wentOnAir } from '#server/messages/messages/state.ts'
import type { Attempt, Message } from '#server/messages/messages/rows.ts'
import { type ReportedMessage, submittedExpiry } from '#server/messages/messages/reported.store.ts'

/** Nothing was transmitted: a task that fails with one of these codes is retried, on another device if possible. */
const TRANSIENT = ['no_network', 'modem_error', 'timeout']
/** The delay before the retry after the first and the second failure. After the third, the task has failed. */
export const DELAYS_MS = [10_000, 60_000]

type Settling = {
  message: ReportedMessage
  attempt: Attempt
  /** The message's latest attempt, if that is a part of its row. */
  latest: Attempt | undefined
  report: Report
  settled: Settled
  now_ms: number
}

/**
 * The changes that a report makes to its message beyond its own attempt. A task with a transient failure waits for
 * another attempt. A late report about another attempt than its present one ends the message, whichever device has it.
 */
export function followUp(tx: Tx, settling: Settling): Change<Message> | Promise<Change<Message>> {
  const { message, attempt, report, settled } = settling
  // Nearly every report is one of these.
  const usual = report.state !== 'failed' && isItsAttempt(attempt, message)
  return usual ? settled.message : followUpFully(tx, settling)
}

async function followUpFully(tx: Tx, settling: Settling): Promise<Change<Message>> {
  const { message, attempt, latest, settled, now_ms } = settling
  const due_ms = retryAt(settling)
  if (due_ms !== undefined) {
    const expires_at = await expiryOf(tx, message)
    const inTime = due_ms < Date.parse(expires_at)
    // Not if the recipient has opted out in the meantime, or taken back the consent.
    if (inTime && (await forbiddenEnding(tx, message)) === undefined)
      return retry(tx, settling, { due_ms, expires_at })
  }
  if (isItsAttempt(attempt, message) || settled.message.state === undefined) {
    // A device that dropped it because the number was blocked, or its consent withdrawn, reports it as cancelled.
    const dropped = settled.message.state === 'cancelled'
    const why = dropped && (await forbiddenEnding(tx, message))
    return { ...settled.message, ...why }
  }
  const now = instant(now_ms)
  if (message.step === 'waiting') await leaveQueue(tx, message)
  else if (latest?.finished_at === null) latest.cancel_at = now
  const late = notes.late.write({
    attempt: attempt.attempt,
    state: settled.message.state,
    device: attempt.device_uid,
  })
  return {
    ...settled.message,
    ...NO_LANE,
    device_id: attempt.device_id,
    device_guid: attempt.device_uid,
    assigned_at: attempt.given_at,
    ...ATTEMPT_ELSEWHERE,
    ...(message.handed_timestamp === null && { handed_timestamp: attempt.accepted_at }),
    notes: note(message.notes, late, now),
  }
}

/** A message that waits again, or has ended meanwhile, is no longer with the device of its latest attempt. */
function isItsAttempt(attempt: Attempt, { attempt: latest, step, device_id }: ReportedMessage): boolean {
  return attempt.attempt === latest && step !== 'waiting' && attempt.device_id === device_id
}

/** The row of a message whose latest attempt has a row of its own. */
const ATTEMPT_ELSEWHERE = {
  attempt_state: null,
  code: null,
  detail: null,
  sim: null,
  sim_id: null,
  cancel_at: null,
} as const

/** When to retry the task, if it has not expired by then; `undefined` if it may not be retried. */
function retryAt({ message, attempt, report, settled, now_ms }: Settling): number | undefined {
  const { task, step, discard_asked_at } = message
  if (report.state !== 'failed' || !settled.finished || attempt.attempt !== message.attempt) return undefined
  if (
    (task !== 1 && task !== 3) ||
    step !== 'given' ||
    report.block ||
    !TRANSIENT.includes(report.code ?? '')
  )
    return undefined
  // A retry would send these parts a second time.
  if (wentOnAir(report)) return undefined
  const delay_ms = DELAYS_MS[message.attempt - 1]
  if (delay_ms === undefined) return undefined
  // It was discarded in the meantime.
  if (discard_asked_at !== null || attempt.cancel_at !== null) return undefined
  return now_ms + delay_ms
}

/** A row of a campaign may wait longer than its device had for it. */
async function expiryOf(tx: Tx, { id, task, expires_at }: ReportedMessage): Promise<string> {
  return task === 3 ? await submittedExpiry(tx, id) : expires_at
}

/** The task waits again, without a device. */
async function retry(
  tx: Tx,
  { message, attempt, settled, now_ms }: Settling,
  { due_ms, expires_at }: { due_ms: number; expires_at: string },
): Promise<Change<Message>> {
  await countLanes(tx, message.company_id, new Map([[LATER, 1]]))
  const due_at = instant(due_ms)
  return {
    state: 'queued',
    step: 'waiting',
    device_id: null,
    device_guid: null,
    assigned_at: null,
    handed_timestamp: null,
    ...ATTEMPT_ELSEWHERE,
    due_at,
    expires_at,
    ...laterLane(due_ms),
    avoid_device_id: attempt.device_id,
    notes: note(settled.message.notes ?? message.notes, notes.retry.write({ at: due_at }), instant(now_ms)),
  }
}

export type EarlyReplies = {
  /**
   * The changes caused by a reply that arrived before the `sent` report of its message; `undefined` if there is none.
   * Devices delay and repeat reports, so an SMS that arrives before any report is not yet linked to a message. `change`
   * is the report's effect on the message. `at` is the report's time by the device's clock: an earlier SMS is no reply
   * to it.
   */
  replyTo(
    message: ReportedMessage,
    change: Change<Message>,
    attempt: Pick<Attempt, 'device_id' | 'given_at'>,
    at: string,
  ): Promise<Change<Message> | undefined>
}

/** Reads the SMS that the devices of these attempts received after they were given them: once, now if `needed`. */
export function openEarlyReplies(
  tx: Tx,
  given: readonly { company_id: number; device_id: number; given_at: string }[],
  needed: boolean,
): EarlyReplies {
  const read = () => inboxStore(tx).answeringNothing(earliestOf(given))
  let reading = needed ? read() : undefined
  // The report that needs it gets the error.
  reading?.catch(() => {})

  async function replies(
    { message_to }: ReportedMessage,
    { device_id, given_at }: Pick<Attempt, 'device_id' | 'given_at'>,
    at: string,
  ): Promise<InboxRow[]> {
    const unanswered = await (reading ??= read())
    if (unanswered.length === 0) return []
    const found = unanswered.filter(
      (sms) =>
        sms.device_id === device_id &&
        sms.received_at >= given_at &&
        sms.sms_at >= at &&
        sms.sms_from === message_to,
    )
    for (const sms of found) unanswered.splice(unanswered.indexOf(sms), 1)
    return found
  }

  return {
    async replyTo(message, change, attempt, at) {
      const went = change.answer_sent_timestamp !== undefined || change.answer_2_timestamp !== undefined
      if (!went || message.answer_3_timestamp !== null) return undefined
      const found = await replies(message, attempt, at)
      for (const sms of found) await inboxStore(tx).answer(sms.id, message.id)
      const latest = found.at(-1)
      if (latest === undefined) return undefined
      const { text, sms_at } = latest
      const replied = mayBecome({ ...message, ...change }, 'replied')
      return { answer_3: text, answer_3_timestamp: sms_at, ...(replied && { state: 'replied' }) }
    },
  }
}

/** Each device once, with the time of its earliest attempt. A reply cannot be older. */
function earliestOf(given: readonly { company_id: number; device_id: number; given_at: string }[]) {
  const devices = new Map<number, { company_id: number; device_id: number; since: string }>()
  for (const { company_id, device_id, given_at } of given) {
    const found = devices.get(device_id)
    if (found === undefined || given_at < found.since)
      devices.set(device_id, { company_id, device_id, since: given_at })
  }
  return [...devices.values()]
}
