import {
  deviceInbox,
  deviceNetworks,
  deviceReports,
  deviceStatus,
} from '@sdd/contract/fleet/device-protocol.ts'
import { instant } from '#server/core/clock.ts'
import type { ServeTopic } from '#server/fleet/transport/device-topics.ts'
import { keepNetworks } from '#server/fleet/devices/devices.ts'
import { storePresence } from '#server/fleet/presence/presence.ts'
import { takeInbox } from '#server/messages/inbox/inbox.ts'
import { openReports } from '#server/dispatch/reports/reports.ts'
import { releaseFromDeviceLane } from '#server/dispatch/lanes/moving-on.ts'
import { resendTo } from './resending.ts'

type Needs = Parameters<typeof storePresence>[0] &
  Parameters<typeof takeInbox>[0] &
  Parameters<typeof openReports>[0] &
  Parameters<typeof resendTo>[0]

/** Handles every topic that devices publish to. */
export function handleTopics(serve: ServeTopic, needs: Needs): void {
  const { db, clock, live } = needs
  serve(deviceStatus, async (from, presences) => {
    for (const presence of presences) {
      const received_ms = clock.now()
      const connected = await storePresence(needs, from, presence)
      if (connected) await resendTo(needs, from, received_ms)
    }
  })
  serve(deviceNetworks, async (from, snapshots) => {
    const now = instant(clock.now())
    const latest = snapshots.at(-1)!
    const changed = await db.write(async (tx) => {
      const changed = await keepNetworks(tx, from.device_id, latest, now)
      if (changed.sims) await releaseFromDeviceLane(tx, from, now)
      return changed
    })
    if (changed.shows) live.changed(from.company_id, 'devices')
  })
  serve(deviceReports, openReports(needs))
  serve(deviceInbox, async (from, received) => {
    for (const sms of received) await takeInbox(needs, from, sms)
  })
}
