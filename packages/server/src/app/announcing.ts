import type { ReceivedSms } from '@sdd/contract/people/conversations.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import { closeForbidden } from '#server/dispatch/expiry/forbidden.ts'
import { CLASS_PRIORITY } from '#server/messages/messages/classes.ts'
import { closeUnlinked } from '#server/dispatch/expiry/expiry.ts'
import {
  releaseFromDeviceLane,
  releaseFromHours,
  releaseFromRoutes,
} from '#server/dispatch/lanes/moving-on.ts'
import { movePacingSlots } from '#server/fleet/devices/devices.ts'
import { endLinkCodesOf } from '#server/fleet/linking/link-codes.ts'
import type { MoveNeeds } from '#server/messages/messages/moving.ts'
import { lookAtHoursAgain, openCampaignListener } from '#server/people/campaigns/following.ts'
import { endAssignmentsIn, endAssignmentsOf } from '#server/people/conversations/assigning.ts'
import { openDoorListener } from '#server/outward/doors/reporting.ts'
import { storeReceived } from '#server/outward/doors/smpp/storing.ts'
import { openCallbackListener, tellReceived } from '#server/outward/callbacks/callback-events.ts'

export type Announcements = ReturnType<typeof openAnnouncements>

/** Connects events of earlier areas to the later areas that act on them, inside the same transaction. */
export function openAnnouncements(clock: Clock) {
  /** Companies whose campaigns have changed with their messages. */
  const news = new Set<number>()
  const moving: MoveNeeds = {
    clock,
    openMoveListener() {
      const listeners = [
        openCampaignListener(clock, news),
        openCallbackListener(clock),
        openDoorListener(clock),
      ]
      return async (...moved) => {
        for (const listener of listeners) await listener(...moved)
      }
    },
  }
  return {
    ...moving,
    news,
    async rightsLost(tx: Tx, user_id: number) {
      await endLinkCodesOf(tx, user_id)
      await endAssignmentsOf(tx, user_id)
    },
    paceChanged: (tx: Tx, company_id: number, spoof_time_secs: number) =>
      movePacingSlots(tx, company_id, spoof_time_secs, clock.now()),
    async hoursChanged(tx: Tx, company_id: number) {
      const now = instant(clock.now())
      await releaseFromHours(tx, company_id, now)
      await lookAtHoursAgain(tx, company_id, now)
    },
    inboxRoleChanged: endAssignmentsIn,
    simsChanged: (tx: Tx, device: { device_id: number; company_id: number }) =>
      releaseFromDeviceLane(tx, device, instant(clock.now())),
    routesChanged: (tx: Tx, company_id: number) => releaseFromRoutes(tx, company_id, instant(clock.now())),
    endUnlinked: (tx: Tx, device: { id: number; uid: string }) => closeUnlinked(tx, moving, device),
    endUnconsented: (tx: Tx, company_id: number, number: string) =>
      closeForbidden(tx, moving, { company_id, number, priority: CLASS_PRIORITY.marketing }),
    async tellReceived(tx: Tx, company_id: number, sms: ReceivedSms) {
      await tellReceived(tx, clock, company_id, sms)
      await storeReceived(tx, clock, company_id, sms)
    },
    endBlocked: (tx: Tx, company_id: number, number: string) =>
      closeForbidden(tx, moving, { company_id, number }),
  }
}
