import type { Command } from '@sdd/contract/device-protocol.ts'
import type { Logger } from 'pino'
import type { Clock } from '#server/core/clock.ts'
import { type Loop, startLoop } from '#server/core/loop.ts'
import type { Database } from '#server/database/open.ts'
import { beginDay } from '#server/devices/queue.ts'
import type { Figures } from '#server/figures.ts'
import type { Live } from '#server/live/live.ts'
import type { Replica } from '#server/replicas/lease.ts'
import type { Sending } from '#server/settings/sending.ts'
import { moveOn } from '#server/tasks/moving-on.ts'
import { openClaim } from './claim.ts'
import { sendCancels } from './dropping.ts'
import { closeOverdue } from './expiry.ts'
import { resend } from './resending.ts'

type Needs = {
  db: Database
  clock: Clock
  live: Live
  sending: Pick<Sending, 'isOff'>
  /** False where the device has no connection to take it: it goes out again when the device is back. */
  publish(device_uid: string, command: Command): boolean
  /** The same over whichever server it is connected to. */
  publishAnywhere(device_uid: string, command: Command): boolean
  figures: Pick<Figures, 'handedOver' | 'messages'>
  replica: Pick<Replica, 'id'>
}

/** How often the loop looks when nobody wakes it: pacing slots, resends and expiries come due by themselves. */
const POLL_MS = 250
/** Rows of each step of one round: bounds how long one transaction lasts. */
const BATCH = 100

/**
 * The dispatcher: a loop over rows. Waking it only makes it look sooner: a crash at any point loses nothing, and a
 * restart needs nothing more than the loop.
 */
export function startDispatch(needs: Needs & { log: Logger }): Loop {
  const round = openRound(needs)
  return startLoop({
    name: 'dispatch',
    every_ms: POLL_MS,
    log: needs.log,
    work: async () => ((await round()) ? 0 : undefined),
  })
}

/**
 * One round: closes what is overdue, sends again what no device has answered, moves tasks on whose time has come, and
 * gives devices what is due; each is one transaction, and commands leave after it. True where there is probably more.
 */
export function openRound(needs: Needs): () => Promise<boolean> {
  const claim = openClaim(needs)
  return async () =>
    [
      await closeOverdue(needs, BATCH),
      await sendCancels(needs),
      await resend(needs),
      await beginDay(needs, BATCH),
      await moveOn(needs),
      await claim(),
    ].includes(true)
}
