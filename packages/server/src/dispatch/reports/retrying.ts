import type { Report } from '@sdd/contract/fleet/device-protocol.ts'
import { instant } from '#server/core/clock.ts'
import type { Attempts, Change, Messages, Tx } from '#server/database/schema.ts'
import { optedOut } from '#server/messages/opt-outs/opt-outs.ts'
import { countLanes, laterLane, leaveQueue, LATER, NO_LANE } from '#server/dispatch/lanes/lanes.ts'
import { askToDrop } from '#server/dispatch/expiry/dropping.ts'
import { blockedEnding } from '#server/dispatch/expiry/expiry.ts'
import { note, type Settled, wentOnAir } from '#server/messages/messages/state.ts'
import type { ReportedMessage } from '#server/messages/messages/store.ts'

/** A task that fails with one of these is tried again, elsewhere where it can be: nothing went on air. */
const TRANSIENT = ['no_network', 'modem_error', 'timeout']
/** How long after the first failure, and the second; after the third it has failed. */
export const DELAYS_MS = [10_000, 60_000]

type Reported = {
  message: ReportedMessage
  attempt: Omit<Attempts, 'id'>
  report: Report
  settled: Settled
  now_ms: number
}

/**
 * What a report makes of its message beyond the attempt: a task that failed in passing waits for another attempt, and a
 * late word about an earlier attempt ends the message, whoever has it now.
 */
export async function afterwards(tx: Tx, reported: Reported): Promise<Change<Messages>> {
  const { message, attempt, settled, now_ms } = reported
  const due_ms = retryAt(reported)
  // Not where the recipient has opted out meanwhile.
  if (due_ms !== undefined && !(await hasOptedOut(tx, message))) return retry(tx, reported, due_ms)
  const earlier = attempt.attempt < message.attempt || message.step === 'waiting'
  if (!earlier || settled.message.state === undefined) {
    // What a device dropped because the number was blocked has failed for that.
    const dropped = settled.message.state === 'cancelled'
    return dropped ? { ...settled.message, ...(await blockedEnding(tx, message)) } : settled.message
  }
  const now = instant(now_ms)
  if (message.step === 'waiting') await leaveQueue(tx, message)
  else await askToDrop(tx, message, message.attempt, now)
  const late = `${attempt.attempt}: ${settled.message.state} on ${attempt.device_uid}, said late`
  return {
    ...settled.message,
    ...NO_LANE,
    device_id: attempt.device_id,
    device_guid: attempt.device_uid,
    assigned_at: attempt.given_at,
    ...(message.handed_timestamp === null && { handed_timestamp: attempt.accepted_at }),
    notes: note(message.notes, late, now),
  }
}

/** When the task may be tried again; `undefined` where it may not. */
function retryAt({ message, attempt, report, settled, now_ms }: Reported): number | undefined {
  const { task, step, discard_asked_at } = message
  if (report.state !== 'failed' || !settled.finished || attempt.attempt !== message.attempt) return undefined
  if (task === 0 || step !== 'given' || report.block || !TRANSIENT.includes(report.code ?? ''))
    return undefined
  // The next attempt would send these parts a second time.
  if (wentOnAir(report)) return undefined
  const delay_ms = DELAYS_MS[message.attempt - 1]
  if (delay_ms === undefined || now_ms + delay_ms >= Date.parse(message.expires_at)) return undefined
  // Nobody wants it sent any more.
  if (discard_asked_at !== null || attempt.cancel_at !== null) return undefined
  return now_ms + delay_ms
}

async function hasOptedOut(tx: Tx, { company_id, message_to }: ReportedMessage): Promise<boolean> {
  return (await optedOut(tx, company_id, [message_to])).size > 0
}

/** The task waits again, as one that no device has. */
async function retry(
  tx: Tx,
  { message, attempt, settled, now_ms }: Reported,
  due_ms: number,
): Promise<Change<Messages>> {
  await countLanes(tx, message.company_id, new Map([[LATER, 1]]))
  const due_at = instant(due_ms)
  return {
    state: 'queued',
    step: 'waiting',
    device_id: null,
    device_guid: null,
    assigned_at: null,
    handed_timestamp: null,
    due_at,
    ...laterLane(due_ms),
    avoid_device_id: attempt.device_id,
    notes: note(settled.message.notes ?? message.notes, `it is tried again at ${due_at}`, instant(now_ms)),
  }
}
