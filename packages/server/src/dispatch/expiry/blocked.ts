import { instant } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import type { MoveNeeds } from '#server/messages/messages/moving.ts'
import { askToDrop } from './dropping.ts'
import { blockedEnding, endMessage } from './expiry.ts'
import { note } from '#server/messages/messages/state.ts'
import { messageStore } from '#server/messages/messages/store.ts'
import { expireTo, unfinishedStore } from './store.ts'

/** So many end with the block itself: bounds how long its transaction lasts. */
const AT_ONCE = 100

/**
 * Ends what waits for a number that has just been blocked, and has devices drop what they were given and have not
 * accepted. Of very much the rest is past its time from now on: none of it is handed over, and the dispatcher ends it
 * round by round. Returns how many it has ended.
 */
export async function closeBlocked(
  tx: Tx,
  moving: MoveNeeds,
  company_id: number,
  number_key: string,
): Promise<number> {
  const unfinished = unfinishedStore(tx, { company_id })
  const now = instant(moving.clock.now())
  for (const row of await unfinished.toNumber(number_key, 'given', AT_ONCE)) {
    if (row.handed_timestamp !== null) continue
    await askToDrop(tx, row, row.attempt, now)
    const notes = note(
      row.notes,
      `${row.attempt}: the number is blocked, ${row.device_guid} is told to drop it`,
      now,
    )
    await messageStore(tx, { company_id }).update(row.id, { discard_asked_at: now, notes })
  }
  const waiting = await unfinished.toNumber(number_key, 'waiting', AT_ONCE)
  for (const row of waiting) await endMessage(tx, moving, row, (await blockedEnding(tx, row))!)
  if (waiting.length === AT_ONCE) await expireTo(tx, company_id, number_key, now)
  return waiting.length
}
