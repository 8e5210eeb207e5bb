import { instant } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import type { MoveNeeds } from '#server/messages/messages/moving.ts'
import { blockedEnding, endMessage, unconsentedEnding } from './expiry.ts'
import { CLASS_PRIORITY } from '#server/messages/messages/classes.ts'
import { notes } from '#server/messages/outcomes/outcomes.ts'
import { note } from '#server/messages/messages/state.ts'
import { changeMessage } from '#server/messages/messages/store.ts'
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
  for (const row of await unfinished.toNumber(number, 'given', AT_ONCE)) {
    if (row.handed_timestamp !== null) continue
    const what = notes.blocked.write({ attempt: row.attempt, device: row.device_guid ?? '' })
    await changeMessage(tx, row, {
      cancel_at: now,
      discard_asked_at: now,
      notes: note(row.notes, what, now),
    })
  }
  const waiting = await unfinished.toNumber(number, 'waiting', AT_ONCE)
  for (const row of waiting) await endMessage(tx, moving, row, (await blockedEnding(tx, row))!)
  if (waiting.length === AT_ONCE) await expireTo(tx, company_id, number, now)
  return waiting.length
}

/** Ends the marketing that waits for a number whose consent was withdrawn. As above, many end in later rounds. */
export async function closeUnconsented(
  tx: Tx,
  moving: MoveNeeds,
  company_id: number,
  number: string,
): Promise<number> {
  const now = instant(moving.clock.now())
  const waiting = await unfinishedStore(tx, { company_id }).marketingTo(number, AT_ONCE)
  for (const row of waiting) await endMessage(tx, moving, row, (await unconsentedEnding(tx, row))!)
  if (waiting.length === AT_ONCE) await expireTo(tx, company_id, number, now, CLASS_PRIORITY.marketing)
  return waiting.length
}
