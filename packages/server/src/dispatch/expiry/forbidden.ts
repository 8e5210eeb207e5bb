import { instant } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import type { MoveNeeds } from '#server/messages/messages/moving.ts'
import { askToDrop, endMessage, forbiddenEnding } from './expiry.ts'
import { notes } from '#server/messages/outcomes/outcomes.ts'
import { expireTo, type Forbidden, unfinishedStore } from './store.ts'

/** This many messages end together with the block. This limits how long its transaction takes. */
const AT_ONCE = 100

/**
 * Ends the messages waiting for a number that is now blocked, or whose consent was withdrawn, and asks devices to drop
 * those that they have not accepted. If very many wait, the rest expire now, so none of them is handed over and later
 * rounds end them. Returns how many ended here.
 */
export async function closeForbidden(tx: Tx, moving: MoveNeeds, to: Forbidden): Promise<number> {
  const now = instant(moving.clock.now())
  const unfinished = unfinishedStore(tx, to)
  // Devices have few each.
  for (const row of await unfinished.unaccepted(to)) {
    const why = to.priority === undefined ? notes.blocked : notes.unconsented
    await askToDrop(tx, row, now, why.write({ attempt: row.attempt, device: row.device_guid ?? '' }))
  }
  const waiting = await unfinished.waitingFor(to, AT_ONCE)
  for (const row of waiting) await endMessage(tx, moving, row, (await forbiddenEnding(tx, row))!)
  if (waiting.length === AT_ONCE) await expireTo(tx, to, now)
  return waiting.length
}
