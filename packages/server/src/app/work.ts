import { startSessionGuard } from '#server/accounts/auth/browser-connections.ts'
import { startDispatch } from '#server/dispatch/dispatch.ts'
import { startPresenceUpkeep } from '#server/fleet/presence/gaps.ts'
import { startLastSeen } from '#server/fleet/presence/last-seen.ts'
import { startSimUpkeep } from '#server/fleet/sims/upkeep.ts'
import { startUpkeep } from '#server/insight/dashboard/upkeep.ts'
import { startFollowing } from '#server/insight/log/following.ts'
import { startIndexing } from '#server/messages/search/indexing.ts'
import { startRetention } from '#server/insight/retention/retention.ts'
import { startSmppUpkeep } from '#server/outward/doors/smpp/upkeep.ts'
import { openAddresses } from '#server/outward/callbacks/addresses.ts'
import { startDelivery } from '#server/outward/callbacks/delivery.ts'
import { openPosting } from '#server/outward/callbacks/posting.ts'
import { openResolving } from '#server/outward/callbacks/resolving.ts'
import type { DestinationRules } from '#server/messages/destinations/rules.ts'
import type { WakeFor } from '#server/messages/messages/queued.ts'
import { startFeeding } from '#server/people/campaigns/feeding.ts'
import type { Announcements } from './announcing.ts'
import { startBackups } from './backups.ts'
import type { Base, Keep } from './base.ts'
import { startClockWatch } from './clock/set-back.ts'
import type { Connections } from './connections.ts'

/** Starts the background work: handing messages over, delivering callbacks, and housekeeping. */
export function startWork(
  base: Base & {
    announcements: Announcements
    destinations: DestinationRules
    rest_ms: number | undefined
    /** Acts on the answer to a callback about a received SMS. */
    answered: Parameters<typeof startDelivery>[0]['answered']
  },
  { endpoint, live, replica, deviceTransport }: Connections,
  keep: Keep,
) {
  const {
    config,
    db,
    clock,
    log,
    featureMetrics,
    peers,
    numbers,
    announcements,
    rest_ms,
    companyRoutes,
    keptMessages,
    diskSpace,
  } = base
  const { destinations, answered } = base
  const dispatch = keep(
    startDispatch({
      ...announcements,
      rest_ms,
      db,
      live,
      log,
      numbers,
      companyRoutes,
      keptMessages,
      featureMetrics,
      replica: deviceTransport.dispatchReplica,
      publish: deviceTransport.toDevice,
      publishAnywhere: deviceTransport.toDeviceAnywhere,
    }),
  )
  const wakeFor: WakeFor = (devices) => {
    dispatch.giveTo(devices, true)
    peers.tell('wake')
  }
  const feeding = keep(
    startFeeding({
      ...announcements,
      db,
      live,
      log,
      numbers,
      destinations,
      companyRoutes,
      diskSpace,
      featureMetrics,
      replica,
      wakeFor,
    }),
  )
  peers.hear({ wake: dispatch.wake })
  peers.missed(dispatch.wake)
  keep(startClockWatch({ db, clock, log, featureMetrics, wake: dispatch.wake }))
  // On a stop, devices are disconnected before the work that processes their reports ends.
  keep(endpoint)
  keep(startSessionGuard({ db, clock, log, broker: endpoint }))
  keep(startLastSeen({ db, clock, broker: deviceTransport, log }))
  keep(startPresenceUpkeep({ db, clock, log, replica }))
  keep(startUpkeep({ db, clock, log, replica }))
  keep(startSimUpkeep({ db, clock, live, log, replica, broker: deviceTransport }))
  if (config.DATABASE_URL === undefined) keep(startBackups({ clock, log, config, damaged: db.damaged }))
  const addresses = openAddresses(config, openResolving())
  const posting = openPosting({ addresses })
  keep(startDelivery({ db, clock, live, log, featureMetrics, posting, replica, answered }))
  keep(startRetention({ db, clock, log, replica }))
  keep(startSmppUpkeep({ db, clock, log, replica }))
  keep(startIndexing({ db, log }))
  keep(startFollowing({ db, log, replica }))
  return { dispatch, feeding, addresses, wakeFor }
}
