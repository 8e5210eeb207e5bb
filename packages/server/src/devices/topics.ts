import { deviceNetworks, deviceStatus } from '@sdd/contract/device-protocol.ts'
import type { App } from '#server/app.ts'
import { instant } from '#server/core/clock.ts'
import type { Take } from '#server/core/topics.ts'
import { resendTo } from '#server/messages/resending.ts'
import { leaveLaneOf } from '#server/tasks/moving-on.ts'
import { keepNetworks } from './devices.ts'
import { keepPresence } from './presence.ts'

export function deviceTopics(take: Take, app: App): void {
  take(deviceStatus, async (from, presences) => {
    for (const presence of presences) {
      const said_ms = app.clock.now()
      const connected = await keepPresence(app, from, presence)
      if (connected) await resendTo(app, from.device_id, said_ms)
    }
  })
  take(deviceNetworks, async (from, snapshots) => {
    const now = instant(app.clock.now())
    const latest = snapshots.at(-1)!
    const changed = await app.db.write(async (tx) => {
      const changed = await keepNetworks(tx, from.device_id, latest, now)
      if (changed.sims) await leaveLaneOf(tx, from, now)
      return changed
    })
    if (changed.shows) app.live.changed(from.company_id, 'devices')
  })
}
