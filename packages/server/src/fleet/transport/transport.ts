import type { Command } from '@sdd/contract/fleet/device-protocol.ts'
import type { BrokerClient } from '@sdd/mqtt/external/client.ts'
import type { Logger } from 'pino'
import { startLoop } from '#server/core/loop.ts'
import type { Peers, Replica } from '#server/core/replicas/replicas.ts'
import type { Database } from '#server/database/open.ts'
import type { DeviceLinks } from '#server/fleet/devices/devices.ts'
import { connectionsAt } from '#server/fleet/presence/presence.ts'
import type { MqttEndpoint } from './endpoint.ts'
import { AT_BROKER } from './presence.ts'

/** The ways to reach devices: at this server, through another server, or at an external broker. */
export type DeviceTransport = DeviceLinks & {
  /** Publishes to a device that is connected to this server. False if it is not, or the lease is lost. */
  toDevice(uid: string, command: Command): boolean
  /** Publishes like `toDevice`. If the device is connected to another server, that server publishes. */
  toDeviceAnywhere(uid: string, command: Command): boolean
  /** Ends the connections of an ended session, at every server. */
  disconnectBrowsers(session_id: number): void
  /** The replica id of the devices that this server may give messages to now. */
  readonly dispatchReplica: Pick<Replica, 'id'>
  /** The replica id under which devices that report to this server are stored. */
  readonly presenceReplica: Pick<Replica, 'id'>
  /** Devices that have sent anything to this server, for `lastSeen`. */
  seen(): Iterable<string>
  /** Why devices cannot be reached now; `undefined` if they can. */
  unreachable(): string | undefined
  /** Uses this external broker to reach devices. */
  useBroker(broker: ExternalBrokerDevices): void
  stop(): Promise<void>
}

/** Devices connect to an external broker, which several servers may share. */
export type ExternalBrokerDevices = DeviceLinks & {
  /** False while the broker cannot be reached. */
  toDevice(uid: string, command: Command): boolean
  readonly broker: Pick<BrokerClient, 'connected' | 'leads' | 'taking'>
  /** The devices that have sent anything to this server. */
  seen(): Iterable<string>
  stop(): Promise<void>
}

type Needs = {
  db: Database
  log: Logger
  here: Pick<MqttEndpoint, 'toDevice' | 'disconnectDevice' | 'disconnectBrowsers' | 'devices' | 'lastSeen'>
  peers: Peers
  replica: Pick<Replica, 'id' | 'holds'>
  /** Whether devices connect to an external broker, which `useBroker` sets. */
  elsewhere: boolean
}

export function openDeviceTransport(needs: Needs): DeviceTransport {
  const { here, peers, replica, elsewhere } = needs
  let at: ExternalBrokerDevices | undefined
  const looking = startLooking(needs)

  const toDeviceHere = (uid: string, command: Command) =>
    replica.holds() && here.toDevice(uid, JSON.stringify(command))

  peers.hear({
    cut: (uid, before) => here.disconnectDevice(uid, before ?? undefined),
    logout: (session_id) => here.disconnectBrowsers(session_id),
    command: toDeviceHere,
  })
  peers.missed(() => looking.wake())

  return {
    useBroker: (broker) => void (at = broker),
    toDevice: (uid, command) => (at ? at.toDevice(uid, command) : toDeviceHere(uid, command)),
    toDeviceAnywhere(uid, command) {
      // Every server that reaches the broker reaches all devices.
      if (at) return at.toDevice(uid, command)
      if (toDeviceHere(uid, command)) return true
      peers.tell('command', uid, command)
      return false
    },
    disconnectDevice(uid) {
      if (at) return at.disconnectDevice(uid)
      here.disconnectDevice(uid)
      peers.tell('cut', uid, null)
    },
    disconnectBrowsers(session_id) {
      here.disconnectBrowsers(session_id)
      peers.tell('logout', session_id)
    },
    lastSeen: (uid) => (at ?? here).lastSeen(uid),
    seen: () => at?.seen() ?? Iterator.from(here.devices()).map(({ uid }) => uid),
    requireReach: (uid) => at?.requireReach(uid),
    giveSecret: async (uid, secret) => at?.giveSecret(uid, secret),
    unreachable: () =>
      at === undefined || at.broker.connected() ? undefined : 'The broker of the devices cannot be reached.',
    // Gives no messages while the broker cannot be reached: a given message can only wait for its device.
    dispatchReplica: { id: () => (at?.broker.connected() ? AT_BROKER : replica.id()) },
    presenceReplica: { id: () => (elsewhere ? AT_BROKER : replica.id()) },
    stop: () => looking.stop(),
  }
}

const LOOK_MS = 15_000

/**
 * Messages between servers may be lost, so each server regularly compares its connections with the database. It cuts a
 * connection that was replaced elsewhere or lost its access.
 */
function startLooking({ db, log, here, replica }: Needs) {
  /** Connections that the last look did not find in the database. A new connection may not be stored yet. */
  let strangers = new Set<number>()

  async function look(): Promise<void> {
    if (db.channel === undefined || !replica.holds()) return
    const present = [...here.devices()]
    const known = await connectionsAt(db.read, replica.id())
    const unknown = present.filter(({ uid, connection }) => known.get(uid) !== connection)
    for (const { uid, connection } of unknown) {
      if (!strangers.has(connection)) continue
      log.info({ uid }, 'Cut a connection that the database does not know')
      here.disconnectDevice(uid, connection + 1)
    }
    strangers = new Set(unknown.map(({ connection }) => connection))
  }

  return startLoop({ name: 'links', every_ms: LOOK_MS, log, work: look })
}
