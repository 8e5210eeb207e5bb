import type { Command } from '@sdd/contract/fleet/device-protocol.ts'
import type { Logger } from 'pino'
import type { Clock } from '#server/core/clock.ts'
import { connectionsAt, endPresence, type From, keepPresence } from '#server/fleet/presence/presence.ts'
import type { Database } from '#server/database/open.ts'
import { deviceStore } from '#server/fleet/devices/store.ts'
import type { Live } from '#server/core/live.ts'
import type { Others } from '#server/core/replicas/replicas.ts'

/** As long as any server reaches the broker, those who are connected there are connected at this one. */
export const AT_BROKER = 'broker'

type Needs = {
  db: Database
  live: Live
  clock: Clock
  others: Others
  log: Logger
  toDevice(uid: string, command: Command): boolean
  /** How long who is asked may take; a minute where absent. */
  answer_ms?: number
}

export type BrokerPresence = {
  /** This server hears from now on who comes and goes: what another heard before is older. */
  begin(): void
  /** The number of all that is heard since. */
  number(): Promise<number>
  /** What was said before may be lost: every device is asked. */
  ask(): Promise<void>
  /** A device has said how it is. */
  answered(uid: string): void
  /** A device has proved that it is there, as it publishes. True where it was taken for gone. */
  heard(from: From): Promise<boolean>
  stop(): void
}

/** Who answers does so in an instant, unless it is a fleet that answers. */
const ANSWER_MS = 60_000
/** So many are asked in a tick. */
const ASKED_AT_ONCE = 100
const TICK_MS = 100

/**
 * Who is connected at an external broker, as status messages and wills say. Messages from a time when no server listened
 * may be lost, so whoever begins to listen asks every device for its networks: one that was taken for gone and answers is
 * there, and one that was taken to be there and says nothing is gone.
 */
export function openBrokerPresence(needs: Needs): BrokerPresence {
  const { db, log, toDevice, answer_ms = ANSWER_MS } = needs
  let number: Promise<number> | undefined
  /** Taken to be there, and asked. */
  let asked = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined

  async function ask(): Promise<void> {
    clearTimeout(timer)
    asked = await connectionsAt(db.read, AT_BROKER)
    const uids = (await deviceStore(db.read, 'all').list()).map(({ uid }) => uid)
    log.debug({ devices: uids.length, connected: asked.size }, 'Asking every device whether it is there')
    askSome(uids)
  }

  function askSome(uids: string[]): void {
    for (const uid of uids.splice(0, ASKED_AT_ONCE)) toDevice(uid, { type: 'networks' })
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
        log.debug({ uid }, 'A device did not answer: it is not there any more')
        await endPresence(needs, { uid, device_id: device.id, company_id: device.company_id, connection })
      } catch (error) {
        log.warn({ uid, why: (error as Error).message }, 'A device that did not answer stays as it is')
      }
    }
  }

  return {
    begin: () => (number = undefined),
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
      return keepPresence({ ...needs, replica: { id: () => AT_BROKER } }, from, known)
    },
    stop: () => clearTimeout(timer),
  }
}
