import type { Command } from '@sdd/contract/fleet/device-protocol.ts'
import { type Clock, HOUR_MS, instant } from '#server/core/clock.ts'
import type { Database } from '#server/database/open.ts'
import type { Change, Tx } from '#server/database/schema.ts'
import { release } from '#server/fleet/devices/capacity.ts'
import type { FeatureMetrics } from '#server/core/feature-metrics.ts'
import type { Live } from '#server/core/live.ts'
import { optedOut, explainBlock } from '#server/messages/opt-outs/opt-outs.ts'
import type { Numbers } from '#server/accounts/settings/numbers.ts'
import { freeFromDevice, leaveQueue, NO_LANE } from '#server/dispatch/lanes/lanes.ts'
import { lacksConsent } from '#server/messages/consent/consent.ts'
import { moveMessage, type MoveNeeds } from '#server/messages/messages/moving.ts'
import { failures, notes } from '#server/messages/outcomes/outcomes.ts'
import { mayBecome, note } from '#server/messages/messages/state.ts'
import type { Message } from '#server/messages/messages/rows.ts'
import { changeMessage, type MessageRow } from '#server/messages/messages/store.ts'
import { unfinishedStore } from './store.ts'

type Needs = MoveNeeds & {
  db: Database
  live: Live
  numbers: Pick<Numbers, 'isSendingOff'>
  featureMetrics: Pick<FeatureMetrics, 'messages'>
  /** Publishes through whichever server the device is connected to. */
  publishAnywhere(device_uid: string, command: Command): boolean
}

/**
 * How long after its expiry an accepted message may stay without an outcome. Then it becomes `uncertain` and leaves the
 * device's window. A later report settles it.
 */
export const SILENCE_MS = HOUR_MS

/**
 * Ends messages that are past their `expires_at`. A message that was not handed over becomes `expired`. A message that
 * a device accepted without reporting an outcome becomes `uncertain`. Returns true if there are probably more.
 */
export async function closeOverdue(needs: Needs, limit: number): Promise<boolean> {
  const { db, clock, live, numbers, featureMetrics, publishAnywhere } = needs
  if ((await overdue(db.read, clock, 1)).length === 0) return false
  const closed = await db.write(async (tx) => {
    const closed: { row: MessageRow; ending: Ending }[] = []
    for (const row of await overdue(tx, clock, limit)) {
      const ending = row.handed_timestamp === null ? await unsent(tx, row) : silent(row)
      await endMessage(tx, needs, row, ending)
      closed.push({ row, ending })
    }
    return closed
  })
  for (const { row, ending } of closed) {
    featureMetrics.messages.inc({ state: ending.state })
    // A device that got it late must not send it now. If it was sent already, the device reports that.
    if (row.step === 'given' && row.device_guid)
      publishAnywhere(row.device_guid, { type: 'cancel', guid: row.guid })
  }
  for (const company_id of new Set(closed.map(({ row }) => row.company_id))) {
    live.changed(company_id, 'logs', 'tasks')
    if (numbers.isSendingOff(company_id)) live.changed(company_id, 'settings')
  }
  return closed.length >= limit
}

/**
 * Ends the messages of an unlinked device. Messages that it was never given fail, except those of conversations, which
 * any device may take now. The others become uncertain.
 */
export async function closeUnlinked(
  tx: Tx,
  moving: MoveNeeds,
  device: { id: number; uid: string },
): Promise<void> {
  for (const row of await unfinishedStore(tx, 'all').ofDevice(device.id)) {
    if (row.step === 'waiting' && row.task === 2) {
      await freeFromDevice(tx, row, instant(moving.clock.now()))
      continue
    }
    const facts = { device: device.uid }
    await endMessage(
      tx,
      moving,
      row,
      row.step === 'waiting'
        ? { state: 'failed', error: 'device_unlinked', error_msg: failures.unlinked_before.write(facts) }
        : {
            state: 'uncertain',
            error: 'device_unlinked',
            error_msg: failures.unlinked_after.write(facts),
          },
    )
  }
}

/** At most `limit` messages that no device accepted, and as many that were accepted long ago. */
async function overdue(tx: Tx, clock: Clock, limit: number): Promise<MessageRow[]> {
  const now_ms = clock.now()
  const messages = unfinishedStore(tx, 'all')
  return [
    ...(await messages.overdue(instant(now_ms), limit)),
    ...(await messages.overdueAccepted(instant(now_ms - SILENCE_MS), instant(now_ms), limit)),
  ]
}

/** If many messages waited for a blocked number, or for one without consent, the rest expired at that time. */
async function unsent(tx: Tx, row: MessageRow): Promise<Ending> {
  const forbidden = row.step === 'waiting' ? await forbiddenEnding(tx, row) : undefined
  const error_msg = failures.not_handed_over.write(row)
  return forbidden ?? { state: 'expired', error: 'expired', error_msg }
}

function silent(row: MessageRow): Ending {
  const error_msg = failures.no_report.write({ device: row.device_guid ?? '' })
  return { state: 'uncertain', error: 'no_report', error_msg }
}

/** The ending of a message to a blocked number, or of marketing without consent; `undefined` if it may be sent. */
export async function forbiddenEnding(
  tx: Tx,
  row: Pick<MessageRow, 'company_id' | 'message_to' | 'priority'>,
): Promise<Ending | undefined> {
  const { company_id, message_to } = row
  const ending = { state: 'failed', error_block: 1 } as const
  const optOut = (await optedOut(tx, company_id, [message_to])).get(message_to)
  if (optOut !== undefined)
    return { ...ending, error: 'opted_out', error_msg: explainBlock(message_to, optOut) }
  if (!(await lacksConsent(tx, row))) return undefined
  return { ...ending, error: 'no_consent', error_msg: failures.no_consent.write({ number: message_to }) }
}

export type Ending = {
  state: 'expired' | 'uncertain' | 'failed' | 'cancelled'
  error: string
  error_msg: string
  error_block?: 1
}

/** Has a `cancel` sent until the device answers, and no longer a `send`. */
export function askToDrop(tx: Tx, row: MessageRow, now: string, what: string): Promise<void> {
  return changeMessage(tx, row, { cancel_at: now, discard_asked_at: now, notes: note(row.notes, what, now) })
}

/** Ends a message in this way and frees its resources. Keeps the state if it is further already. */
export async function endMessage(tx: Tx, moving: MoveNeeds, row: MessageRow, ending: Ending): Promise<void> {
  const now = instant(moving.clock.now())
  const change: Change<Message> = { step: 'finished', completed_at: now, ...NO_LANE }
  if (mayBecome(row, ending.state)) {
    Object.assign(change, ending, {
      error_timestamp: now,
      notes: note(row.notes, notes.ended.write(ending), now),
    })
  }
  if (row.step === 'given') Object.assign(change, { code: ending.error, cancel_at: null })
  await moveMessage(tx, moving, row, change)
  if (row.step === 'waiting') await leaveQueue(tx, row)
  else await release(tx, row.device_id!)
}
