import { instant } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import type { MoveNeeds } from '#server/messages/messages/moving.ts'
import { blockedEnding, endMessage, unconsentedEnding } from './expiry.ts'
import { CLASS_PRIORITY } from '#server/messages/messages/classes.ts'
import { notes } from '#server/messages/outcomes/outcomes.ts'
import { note } from '#server/messages/messages/state.ts'
import { changeMessage, type MessageRow } from '#server/messages/messages/store.ts'
import { expireTo, unfinishedStore } from './store.ts'

/** This many messages end together with the block. This limits how long its transaction takes. */
const AT_ONCE = 100

/**
 * Ends the messages waiting for a newly blocked number, and asks devices to drop those that they have not accepted. If
 * there are very many, the rest expire now, so none of them is handed over and later rounds end them. Returns how many
 * ended here.
 */
export async function closeBlocked(
  tx: Tx,
  moving: MoveNeeds,
  company_id: number,
  number: string,
): Promise<number> {
  const unfinished = unfinishedStore(tx, { company_id })
  const now = instant(moving.clock.now())
  await dropGiven(tx, await unfinished.toNumber(number, 'given', AT_ONCE), now, notes.blocked)
  const waiting = await unfinished.toNumber(number, 'waiting', AT_ONCE)
  for (const row of waiting) await endMessage(tx, moving, row, (await blockedEnding(tx, row))!)
  if (waiting.length === AT_ONCE) await expireTo(tx, company_id, number, now)
  return waiting.length
}

/** The same for the marketing to a number whose consent was withdrawn. */
export async function closeUnconsented(
  tx: Tx,
  moving: MoveNeeds,
  company_id: number,
  number: string,
): Promise<number> {
  const now = instant(moving.clock.now())
  const unfinished = unfinishedStore(tx, { company_id })
  await dropGiven(tx, await unfinished.marketingTo(number, 'given', AT_ONCE), now)
  const waiting = await unfinished.marketingTo(number, 'waiting', AT_ONCE)
  for (const row of waiting) await endMessage(tx, moving, row, (await unconsentedEnding(tx, row))!)
  if (waiting.length === AT_ONCE) await expireTo(tx, company_id, number, now, CLASS_PRIORITY.marketing)
  return waiting.length
}

/** Asks devices to drop these messages, except those that they have accepted. */
async function dropGiven(
  tx: Tx,
  rows: readonly MessageRow[],
  now: string,
  noted?: typeof notes.blocked,
): Promise<void> {
  for (const row of rows) {
    if (row.handed_timestamp !== null) continue
    const what = noted?.write({ attempt: row.attempt, device: row.device_guid ?? '' })
    await changeMessage(tx, row, {
      cancel_at: now,
      discard_asked_at: now,
      ...(what !== undefined && { notes: note(row.notes, what, now) }),
    })
  }
}
