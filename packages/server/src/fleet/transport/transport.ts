import type { Command } from '@sdd/contract/fleet/device-protocol.ts'
import type { BrokerClient } from '@sdd/mqtt/external/client.ts'
import type { DeviceLinks } from '#server/fleet/devices/devices.ts'
import type { Replica } from '#server/core/replicas/lease.ts'
import type { MqttEndpoint } from './endpoint.ts'
import type { Links } from './links.ts'
import { AT_BROKER } from './presence.ts'

/** Devices connect to an external broker, which several servers may share. */
export type DevicesAtBroker = DeviceLinks & {
  /** False while the broker cannot be reached. */
  toDevice(uid: string, command: Command): boolean
  readonly broker: Pick<BrokerClient, 'connected' | 'leads' | 'taking'>
  /** The devices that have said anything to this server. */
  seen(): Iterable<string>
  stop(): Promise<void>
}

/** How devices are reached: at the server that they connect to, or at an external broker. */
export type DeviceTransport = DeviceLinks & {
  toDevice(uid: string, command: Command): boolean
  /** The same, through whichever server can. */
  toDeviceAnywhere(uid: string, command: Command): boolean
  /** The replica id whose devices this server may give something now. */
  readonly giving: Pick<Replica, 'id'>
  /** The replica id under which devices that report here are registered. */
  readonly hearing: Pick<Replica, 'id'>
  /** Devices that have said anything to this server, for `lastSeen`. */
  seen(): Iterable<string>
  /** Why devices cannot be reached now; `undefined` if they can. */
  unreachable(): string | undefined
  /** From now on through this broker. */
  meetAt(broker: DevicesAtBroker): void
}

export function openDeviceTransport({
  here,
  links,
  replica,
  elsewhere,
}: {
  here: Pick<MqttEndpoint, 'lastSeen' | 'devices'>
  links: Pick<Links, 'toDevice' | 'toDeviceAnywhere' | 'disconnectDevice'>
  replica: Pick<Replica, 'id'>
  /** Devices connect to an external broker: which one, `meetAt` says. */
  elsewhere: boolean
}): DeviceTransport {
  let at: DevicesAtBroker | undefined
  return {
    meetAt: (broker) => void (at = broker),
    toDevice: (uid, command) => (at ?? links).toDevice(uid, command),
    // Every server that can reach the broker reaches every device.
    toDeviceAnywhere: (uid, command) =>
      at ? at.toDevice(uid, command) : links.toDeviceAnywhere(uid, command),
    lastSeen: (uid) => (at ?? here).lastSeen(uid),
    seen: () => at?.seen() ?? Iterator.from(here.devices()).map(({ uid }) => uid),
    requireReach: () => at?.requireReach(),
    giveSecret: async (uid, secret) => at?.giveSecret(uid, secret),
    disconnectDevice: (uid) => (at ?? links).disconnectDevice(uid),
    unreachable: () =>
      at === undefined || at.broker.connected() ? undefined : 'The broker of the devices cannot be reached.',
    // While the broker cannot be reached nothing is given: a message that is given waits for its device only.
    giving: { id: () => (at?.broker.connected() ? AT_BROKER : replica.id()) },
    hearing: { id: () => (elsewhere ? AT_BROKER : replica.id()) },
  }
}
