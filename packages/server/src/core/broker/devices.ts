import { MAX_PAYLOAD_BYTES } from '@sdd/contract/fleet/device-protocol.ts'
import type { Logger } from 'pino'
import type { Request } from './connect.ts'
import type { Connection } from './connection.ts'
import { openDevice, type Device } from './device.ts'
import type { Limits } from './limits.ts'
import type { Decode } from './packets.ts'
import type { BrokerRules, DeviceConnection, KnownDevice } from './rules.ts'

/** Header, topic and packet id of a PUBLISH. */
const PUBLISH_HEADER_BYTES = 128

export type Devices = {
  /** Whether one more connection of this uid can be had. */
  hasRoom(uid: string): boolean
  /** Takes the place of an earlier connection of the same uid, which is cut. */
  admit(connection: Connection, request: Request & { as: 'device' }, known: KnownDevice): void
  command(uid: string, payload: string | Buffer): boolean
  lastSeen(uid: string): number | undefined
  /** Only a connection with a lower number than `before`, where one is given. */
  disconnect(uid: string, before?: number): void
  disconnectAll(): void
  /** Those that have said a status. */
  present(): Iterable<DeviceConnection>
  count(): number
  /** Resolves when every `gone` settled. */
  stop(): Promise<void>
}

/** The admitted connections of devices, at most one open for each uid. */
export function openDevices(needs: {
  rules: Pick<BrokerRules, 'received' | 'delay' | 'gone'>
  limits: Limits
  log: Logger
  decode: Decode
}): Devices {
  const { limits } = needs
  const open = new Map<string, Device>()
  /** Ended, with packets, will or `gone` still to go through: the newest of each uid, and all. */
  const last_ended = new Map<string, Device>()
  const unfinished = new Set<Device>()

  function hasRoom(uid: string): boolean {
    const predecessor = open.get(uid) ?? last_ended.get(uid)
    if (predecessor && predecessor.predecessors() + 1 > limits.unfinished_per_uid) return false
    return open.has(uid) || open.size < limits.devices
  }

  const admit: Devices['admit'] = (connection, { uid, will, silence_ms }, known) => {
    open.get(uid)?.connection.cut('replaced')
    const who = { connection_id: connection.id, uid, ...known }
    const device = openDevice({ ...needs, ended }, connection, who, will, last_ended.get(uid))
    open.set(uid, device)
    connection.become(device.role, {
      silence_ms,
      publish_bytes: MAX_PAYLOAD_BYTES + PUBLISH_HEADER_BYTES,
      pinged: false,
    })
  }

  function ended(device: Device): void {
    const { uid } = device.who
    open.delete(uid)
    last_ended.set(uid, device)
    unfinished.add(device)
    void device.finished.then(() => {
      unfinished.delete(device)
      if (last_ended.get(uid) === device) last_ended.delete(uid)
    })
  }

  return {
    hasRoom,
    admit,
    command: (uid, payload) => open.get(uid)?.command(payload) ?? false,
    lastSeen(uid) {
      const device = open.get(uid)
      return device && Math.round(Date.now() - performance.now() + device.connection.heardAt())
    },
    disconnect(uid, before = Infinity) {
      const device = open.get(uid)
      if (device && device.who.connection < before) device.connection.cut('cut')
    },
    disconnectAll() {
      for (const { connection } of open.values()) connection.cut('cut')
    },
    *present() {
      for (const device of open.values()) if (device.present()) yield device.who
    },
    count: () => open.size,
    async stop() {
      for (const device of open.values()) device.connection.cut('stopped')
      await Promise.all([...unfinished].map((device) => device.finished))
    },
  }
}
