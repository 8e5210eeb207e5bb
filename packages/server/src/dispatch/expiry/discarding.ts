import type { Command } from '@sdd/contract/fleet/device-protocol.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Scope } from '#server/core/context.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { release } from '#server/fleet/devices/capacity.ts'
import type { Replica } from '#server/core/replicas/replicas.ts'
import type { MoveNeeds } from '#server/messages/messages/moving.ts'
import { type GuidAsked, scopeOfGuid } from '#server/messages/messages/by-guid.ts'
import { askToDrop, endMessage } from './expiry.ts'
import { unansweredCancels } from './store.ts'
import { failures, notes } from '#server/messages/outcomes/outcomes.ts'
import { attemptStore, type MessageRow, messageStore } from '#server/messages/messages/store.ts'

/** A `cancel` without an answer is sent again after this long. */
export const ASK_AGAIN_MS = 30_000
/** Cancels per round. This limits how long one transaction takes. */
const BATCH = 100

/**
 * Discards a task, or asks the device that has it to drop it (`asked`): then its report decides. With `to`, discards any
 * message to this number. Repeating the call changes nothing. `unknown_task`, `unknown_message`; `ambiguous_guid`; `task_not_discardable` once a device has accepted the task or it
 * has ended.
 */
export async function discardOrCancel(
  tx: Tx,
  moving: MoveNeeds,
  scope: Scope,
  { by, to, ...asked }: GuidAsked & { by: string; to?: string },
): Promise<{ company_id: number; id: number; asked: boolean; changed: boolean }> {
  const guidScope = await scopeOfGuid(tx, scope, asked, to === undefined ? 'tasks' : 'messages')
  const row = guidScope && (await messageStore(tx, guidScope).byGuid(asked.guid))
  if (to !== undefined && row?.message_to !== to) throw unknownMessage(asked.guid)
  if (row === undefined || (to === undefined && row.task !== 1)) throw unknownTask(asked.guid)
  const { id, company_id, step } = row
  if (step === 'given' && row.discard_asked_at !== null)
    return { id, company_id, asked: true, changed: false }
  if (step === 'finished' && row.state === 'cancelled')
    return { id, company_id, asked: false, changed: false }
  if (step === 'finished' || row.handed_timestamp !== null)
    throw new Refusal('task_not_discardable', whyNot(row), {
      params: {
        device: step === 'given' ? row.device_guid : null,
        state: row.state,
        at: step === 'given' ? row.handed_timestamp : row.completed_at,
      },
    })
  if (step === 'given') {
    const facts = { attempt: row.attempt, by, device: row.device_guid ?? '' }
    await askToDrop(tx, row, instant(moving.clock.now()), notes.discarding.write(facts))
    return { id, company_id, asked: true, changed: true }
  }
  const error_msg = failures.discarded.write({ by })
  await endMessage(tx, moving, row, { state: 'cancelled', error: 'cancelled', error_msg })
  return { id, company_id, asked: false, changed: true }
}

export function unknownTask(guid: string): Refusal {
  return new Refusal('unknown_task', `There is no task ${JSON.stringify(guid.slice(0, 64))}.`)
}

export function unknownMessage(guid: string): Refusal {
  return new Refusal('unknown_message', `There is no message ${JSON.stringify(guid.slice(0, 64))}.`)
}

function whyNot(row: MessageRow): string {
  const { step, state, device_guid, handed_timestamp, completed_at } = row
  if (step === 'given') {
    return `${device_guid} accepted it at ${handed_timestamp} and is about to send it: it can no longer be discarded.`
  }
  return `It has ended already, as ${state}, at ${completed_at}: there is nothing left to discard.`
}

type Needs = {
  db: Database
  clock: Clock
  publish(device_uid: string, command: Command): boolean
  replica: Pick<Replica, 'id'>
}

/** Sends due `cancel` commands to devices at this server, until they answer. True if there are probably more. */
export async function sendCancels({ db, clock, publish, replica }: Needs): Promise<boolean> {
  const now_ms = clock.now()
  const now = instant(now_ms)
  if ((await unansweredCancels(db.read, replica.id(), now, 1)).length === 0) return false
  const due = await db.write(async (tx) => {
    const due = await unansweredCancels(tx, replica.id(), now, BATCH)
    for (const { message_id, own_attempt: attempt, device_id, expires_at } of due) {
      const cancel_at = instant(now_ms + ASK_AGAIN_MS)
      if (attempt === null) await tx.update('in_flight', { id: message_id }, { cancel_at })
      // The message ended without this attempt, and no device sends an expired message.
      else if (expires_at! <= now) {
        const over = { cancel_at: null, finished_at: now, code: 'cancelled' }
        await attemptStore(tx).update({ message_id, attempt }, over)
        await release(tx, device_id)
      } else await attemptStore(tx).update({ message_id, attempt }, { cancel_at })
    }
    return due
  })
  for (const { uid, guid } of due) publish(uid, { type: 'cancel', guid })
  return due.length >= BATCH
}
