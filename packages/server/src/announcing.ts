import { openTelling } from './callbacks/telling.ts'
import type { Clock } from './core/clock.ts'
import type { Tx } from './database/schema.ts'
import { movePacingSlots } from './devices/devices.ts'
import { endLinkCodesOf } from './devices/link-codes.ts'
import { closeBlocked } from './messages/blocked.ts'
import type { Moving } from './messages/books.ts'
import { closeUnlinked } from './messages/expiry.ts'

/** What an earlier area announces, in its transaction, and which later one hears it. */
export function openAnnouncements(clock: Clock) {
  const moving: Moving = { clock, hearMoves: () => openTelling(clock) }
  return {
    ...moving,
    rightsLost: endLinkCodesOf,
    paceChanged: (tx: Tx, company_id: number, spoof_time_secs: number) =>
      movePacingSlots(tx, company_id, spoof_time_secs, clock.now()),
    endUnlinked: (tx: Tx, device: { id: number; uid: string }) => closeUnlinked(tx, moving, device),
    endBlocked: (tx: Tx, company_id: number, number_key: string) =>
      closeBlocked(tx, moving, company_id, number_key),
  }
}
