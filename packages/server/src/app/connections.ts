import { deviceInbox } from '@sdd/contract/fleet/device-protocol.ts'
import { admitBrowser } from '#server/accounts/auth/browser-connections.ts'
import { openProxies } from '#server/core/address.ts'
import { startLive } from '#server/core/live.ts'
import { noLease } from '#server/core/replicas/replicas.ts'
import { openTopics } from '#server/fleet/transport/device-topics.ts'
import { openAdmission } from '#server/fleet/devices/devices.ts'
import { startPendingDisconnects } from '#server/fleet/presence/pending-disconnects.ts'
import { startReplica } from '#server/fleet/presence/replica.ts'
import { openMqttEndpoint } from '#server/fleet/transport/endpoint.ts'
import { openDeviceTransport } from '#server/fleet/transport/transport.ts'
import { openInboxPace } from '#server/messages/inbox/pace.ts'
import type { Base, Keep } from './base.ts'

export type Connections = Awaited<ReturnType<typeof openConnections>>

/** How devices and browsers are connected: at this server, through another one, or at an external broker. */
export async function openConnections({ config, db, clock, log, featureMetrics, peers }: Base, keep: Keep) {
  const proxies = openProxies(config.PROXIES ?? [])
  const endpoint = openMqttEndpoint({ log, proxies })
  const topics = openTopics({ log, dropped: featureMetrics.dropped })
  const live = keep(startLive(endpoint.toBrowsers, peers))
  const inboxPace = openInboxPace({ db, clock, live, featureMetrics })
  const replica = keep(await startReplica({ db, clock, live, log, lost: endpoint.disconnectDevices }))
  // With an external broker, devices connect there and only browsers connect here.
  const elsewhere = config.MQTT_URL !== undefined
  const deviceTransport = keep(openDeviceTransport({ db, log, here: endpoint, peers, replica, elsewhere }))
  const admitDevice = openAdmission({ db })
  const endings = keep(startPendingDisconnects({ db, live, clock, log }))
  endpoint.serve({
    admitDevice(uid, secret) {
      // Reports are not accepted here, so the device is refused. It retries with backoff.
      if (elsewhere) return Promise.resolve(undefined)
      const fault = db.fault() ?? (replica.holds() ? undefined : noLease())
      return fault ? Promise.reject(fault) : admitDevice(uid, secret)
    },
    admitBrowser: (token) => admitBrowser({ db, clock }, token),
    received: topics.received,
    delay: (from, topic) => (topic === deviceInbox ? inboxPace.wait(from) : 0),
    gone: endings.note,
  })
  return { proxies, endpoint, topics, live, inboxPace, replica, elsewhere, deviceTransport }
}
