import type { Clock } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import { closeBlocked } from '#server/dispatch/expiry/blocked.ts'
import { closeUnlinked } from '#server/dispatch/expiry/expiry.ts'
import { movePacingSlots } from '#server/fleet/devices/devices.ts'
import { endLinkCodesOf } from '#server/fleet/linking/link-codes.ts'
import type { MoveNeeds } from '#server/messages/messages/moving.ts'
import { openCallbackListener } from '#server/outward/callbacks/callback-events.ts'

export type Announcements = ReturnType<typeof openAnnouncements>

/** Connects events of earlier areas to the later areas that act on them, inside the same transaction. */
export function openAnnouncements(clock: Clock) {
  const moving: MoveNeeds = { clock, openMoveListener: () => openCallbackListener(clock) }
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
