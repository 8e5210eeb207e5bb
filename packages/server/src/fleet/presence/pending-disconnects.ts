import type { Logger } from 'pino'
import type { Clock } from '#server/core/clock.ts'
import { startLoop } from '#server/core/loop.ts'
import type { Database } from '#server/database/open.ts'
import type { Live } from '#server/core/live.ts'
import { endPresence, type ConnectedDevice } from './presence.ts'

type PendingDisconnects = {
  /** The device's connection has ended. Resolves once that is stored, or queued for a retry. */
  note(from: ConnectedDevice): Promise<void>
  stop(): Promise<void>
}

const LOOK_MS = 1_000

/**
 * Stores that connections of devices have ended, and retries if that fails (full disk). Without a retry, a device that
 * left and stays away would look connected, and be given messages, until the next start.
 */
export function startPendingDisconnects(needs: {
  db: Database
  live: Live
  clock: Clock
  log: Logger
}): PendingDisconnects {
  const unsaid = new Map<string, ConnectedDevice>()

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
        // A full disk is logged elsewhere, once and not once per device.
        const why = (error as Error).message
        needs.log.debug({ uid: from.uid, why }, 'A device disconnected; storing that is retried')
        unsaid.set(from.connection_id, from)
      }
    },
    stop: () => loop.stop(),
  }
}
