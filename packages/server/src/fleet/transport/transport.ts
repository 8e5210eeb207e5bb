import type { Command } from '@sdd/contract/fleet/device-protocol.ts'
import type { Broker } from '#server/core/broker/broker.ts'
import type { ExternalBroker } from '#server/core/broker/external/external.ts'
import type { DeviceLinks } from '#server/fleet/devices/devices.ts'
import type { Replica } from '#server/core/replicas/lease.ts'
import type { Links } from './links.ts'
import { AT_BROKER } from './presence.ts'

/** Devices meet this server, and others, at a broker of others. */
export type DevicesAtBroker = DeviceLinks & {
  /** False while the broker cannot be reached. */
  toDevice(uid: string, command: Command): boolean
  readonly broker: Pick<ExternalBroker, 'connected' | 'leads' | 'taking'>
  /** The devices that have said anything to this server. */
  seen(): Iterable<string>
  stop(): Promise<void>
}

/** Where devices are reached: at the servers that they connect to, or at a broker of others. */
export type Doors = DeviceLinks & {
  toDevice(uid: string, command: Command): boolean
  /** The same, over whichever server can. */
  toDeviceAnywhere(uid: string, command: Command): boolean
  /** Whose devices this server may give something now. */
  readonly giving: Pick<Replica, 'id'>
  /** As whose devices they are connected that say so to this server. */
  readonly hearing: Pick<Replica, 'id'>
  /** Devices that have said anything to this server, for `lastSeen`. */
  seen(): Iterable<string>
  /** Why devices cannot be reached now, where that is so. */
  unreachable(): string | undefined
  /** From now on at this broker. */
  meetAt(broker: DevicesAtBroker): void
}

export function openDoors({
  here,
  links,
  replica,
  elsewhere,
}: {
  here: Pick<Broker, 'lastSeen' | 'devices'>
  links: Pick<Links, 'toDevice' | 'toDeviceAnywhere' | 'disconnectDevice'>
  replica: Pick<Replica, 'id'>
  /** Devices meet at a broker of others: which, `meetAt` says. */
  elsewhere: boolean
}): Doors {
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
    // Nothing is given while the broker cannot be reached: what is given waits for the device alone.
    giving: { id: () => (at?.broker.connected() ? AT_BROKER : replica.id()) },
    hearing: { id: () => (elsewhere ? AT_BROKER : replica.id()) },
  }
}
