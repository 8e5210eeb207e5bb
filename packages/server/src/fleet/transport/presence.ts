import type { Command } from '@sdd/contract/fleet/device-protocol.ts'
import type { Logger } from 'pino'
import type { Clock } from '#server/core/clock.ts'
import {
  connectionsAt,
  endPresence,
  openPresence,
  type ConnectedDevice,
} from '#server/fleet/presence/presence.ts'
import type { Database } from '#server/database/open.ts'
import { deviceStore } from '#server/fleet/devices/store.ts'
import type { Live } from '#server/core/live.ts'
import type { Peers } from '#server/core/replicas/replicas.ts'

/** The replica id of devices at the broker. They count as connected while any server can reach the broker. */
export const AT_BROKER = 'broker'

type Needs = {
  db: Database
  live: Live
  clock: Clock
  peers: Peers
  log: Logger
  toDevice(uid: string, command: Command): boolean
  /** How long a device may take to answer; a minute by default. */
  answer_ms?: number
}

type BrokerPresence = {
  /** Call when this server becomes the leader. Whatever another server heard is older. */
  begin(): void
  /** The connection number of everything heard since then. */
  number(): Promise<number>
  /** Asks every device for its state, since earlier messages may be lost. */
  ask(): Promise<void>
  /** The device has published its status. */
  answered(uid: string): void
  /** The device has published, so it is connected. Returns true if it was stored as disconnected. */
  heard(from: ConnectedDevice): Promise<boolean>
  /** Also if another server leads now: the devices answer to that one. */
  stop(): void
}

/** A device answers at once, but a whole fleet that answers takes longer. */
const ANSWER_MS = 60_000
/** Devices to ask per tick. */
const ASKED_AT_ONCE = 100
const TICK_MS = 100

/**
 * Tracks the devices at an external broker by their status messages and wills. Messages sent while no server listened
 * may be lost. So a new leader asks every device for its networks. A device that answers is connected, and a connected
 * device that stays silent is disconnected.
 */
export function openBrokerPresence(needs: Needs): BrokerPresence {
  const { db, log, toDevice, answer_ms = ANSWER_MS } = needs
  const store = openPresence({ ...needs, replica: { id: () => AT_BROKER } })
  let number: Promise<number> | undefined
  /** The devices that count as connected and were asked. */
  let asked = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  let leads = false

  async function ask(): Promise<void> {
    clearTimeout(timer)
    asked = await connectionsAt(db.read, AT_BROKER)
    const uids = (await deviceStore(db.read, 'all').list()).map(({ uid }) => uid)
    if (!leads) return
    log.debug({ devices: uids.length, connected: asked.size }, 'Asking every device whether it is connected')
    askSome(uids)
  }

  function askSome(uids: string[]): void {
    // This server may listen before it can send.
    const unasked = uids.splice(0, ASKED_AT_ONCE).filter((uid) => !toDevice(uid, { type: 'networks' }))
    uids.push(...unasked)
    timer =
      uids.length > 0 ? setTimeout(askSome, TICK_MS, uids) : setTimeout(() => void endSilent(), answer_ms)
  }

  async function endSilent(): Promise<void> {
    const silent = asked
    asked = new Map()
    for (const [uid, connection] of silent) {
      try {
        const device = await deviceStore(db.read, 'all').byUid(uid)
        if (device?.replica !== AT_BROKER) continue
        log.debug({ uid }, 'A device did not answer and counts as disconnected')
        await endPresence(needs, { uid, device_id: device.id, company_id: device.company_id, connection })
      } catch (error) {
        log.warn(
          { uid, why: (error as Error).message },
          'Could not store that a silent device is disconnected',
        )
      }
    }
  }

  return {
    begin() {
      leads = true
      number = undefined
    },
    number() {
      number ??= db.connectionNumber().catch((error: unknown) => {
        number = undefined
        throw error
      })
      return number
    },
    ask,
    answered: (uid) => void asked.delete(uid),
    async heard(from) {
      asked.delete(from.uid)
      const device = await deviceStore(db.read, 'all').byId(from.device_id)
      if (device === undefined || device.status === 'connected') return false
      const { agent } = device
      const known = { status: 'connected', session: null, agent } as const
      return store(from, known)
    },
    stop() {
      leads = false
      clearTimeout(timer)
    },
  }
}
