import type { Command } from '@sdd/contract/fleet/device-protocol.ts'
import type { Logger } from 'pino'
import { startLoop } from '#server/core/loop.ts'
import type { Database } from '#server/database/open.ts'
import { connectionsAt } from '#server/fleet/presence/presence.ts'
import type { Replica } from '#server/core/replicas/lease.ts'
import type { Others } from '#server/core/replicas/others.ts'
import type { MqttEndpoint } from './endpoint.ts'

type Here = Pick<
  MqttEndpoint,
  'toDevice' | 'disconnectDevice' | 'disconnectDevices' | 'disconnectBrowsers' | 'devices'
>

/** Connections at this server and, where a thing is to happen wherever they are, at all others. */
export type Links = {
  /** To a device that is connected here. False where it is not, or where this server's devices may be another's by now. */
  toDevice(uid: string, command: Command): boolean
  /** The same; where the device is not here, whichever server has it may send it. */
  toDeviceAnywhere(uid: string, command: Command): boolean
  disconnectDevice(uid: string): void
  disconnectBrowsers(session_id: number): void
  stop(): Promise<void>
}

const LOOK_MS = 15_000

/**
 * What servers tell each other may be lost. So each looks now and then whether its connections are those that the database
 * knows: one that was replaced elsewhere, or lost its right, and was not cut, is cut then.
 */
export function openLinks(needs: {
  db: Database
  log: Logger
  here: Here
  others: Others
  replica: () => Pick<Replica, 'id' | 'holds'>
}): Links {
  const { db, log, here, others, replica } = needs
  /** Not known to the database at the last look; what has just connected may not be yet. */
  let strangers = new Set<number>()

  const toDevice = (uid: string, command: Command) =>
    replica().holds() && here.toDevice(uid, JSON.stringify(command))

  async function look(): Promise<void> {
    if (db.channel === undefined || !replica().holds()) return
    const present = [...here.devices()]
    const known = await connectionsAt(db.read, replica().id())
    const unknown = present.filter(({ uid, connection }) => known.get(uid) !== connection)
    for (const { uid, connection } of unknown) {
      if (!strangers.has(connection)) continue
      log.info({ uid }, 'A connection of a device that is not connected here is cut')
      here.disconnectDevice(uid, connection + 1)
    }
    strangers = new Set(unknown.map(({ connection }) => connection))
  }

  const loop = startLoop({ name: 'links', every_ms: LOOK_MS, log, work: look })
  others.hear({
    cut: (uid, before) => here.disconnectDevice(uid, before ?? undefined),
    logout: (session_id) => here.disconnectBrowsers(session_id),
    command: toDevice,
  })
  others.missed(() => loop.wake())

  return {
    toDevice,
    toDeviceAnywhere(uid, command) {
      if (toDevice(uid, command)) return true
      others.tell('command', uid, command)
      return false
    },
    disconnectDevice(uid) {
      here.disconnectDevice(uid)
      others.tell('cut', uid, null)
    },
    disconnectBrowsers(session_id) {
      here.disconnectBrowsers(session_id)
      others.tell('logout', session_id)
    },
    stop: () => loop.stop(),
  }
}
