import type { Logger } from 'pino'
import type { Clock } from '#server/core/clock.ts'
import { startLoop } from '#server/core/loop.ts'
import type { Database } from '#server/database/open.ts'
import type { Live } from '#server/core/live.ts'
import { endPresence, type From } from './presence.ts'

export type Endings = {
  /** The device's connection has ended. Resolves once that is stored, or cannot be stored now and is kept for later. */
  note(from: From): Promise<void>
  stop(): Promise<void>
}

const LOOK_MS = 1_000

/**
 * Stores that connections of devices have ended. Where it cannot (a full disk), it goes on trying: a device that left
 * meanwhile and does not come back would be shown as connected, and given messages, until the next start.
 */
export function startEndings(needs: { db: Database; live: Live; clock: Clock; log: Logger }): Endings {
  const unsaid = new Map<string, From>()

  async function work(): Promise<void> {
    for (const [connection_id, from] of unsaid) {
      await endPresence(needs, from)
      unsaid.delete(connection_id)
    }
  }

  const loop = startLoop({ name: 'endings', every_ms: LOOK_MS, log: needs.log, work })
  return {
    async note(from) {
      try {
        await endPresence(needs, from)
      } catch (error) {
        // The disk has been said to be full already: once, not once a device.
        const why = (error as Error).message
        needs.log.debug({ uid: from.uid, why }, 'A device left; that is stored later')
        unsaid.set(from.connection_id, from)
      }
    },
    stop: () => loop.stop(),
  }
}
