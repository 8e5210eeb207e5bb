import type { Command } from '@sdd/contract/fleet/device-protocol.ts'
import type { Logger } from 'pino'
import { type Loop, startLoop } from '#server/core/loop.ts'
import type { Database } from '#server/database/open.ts'
import { beginDay } from '#server/fleet/devices/capacity.ts'
import type { Figures } from '#server/core/figures.ts'
import type { Live } from '#server/core/live.ts'
import type { Replica } from '#server/core/replicas/replicas.ts'
import type { Sending } from '#server/accounts/settings/settings.ts'
import { moveOn } from '#server/dispatch/lanes/moving-on.ts'
import type { MoveNeeds } from '#server/messages/messages/moving.ts'
import { openClaim } from './claim/claim.ts'
import { sendCancels } from './expiry/dropping.ts'
import { closeOverdue } from './expiry/expiry.ts'
import { resend } from './resending.ts'

type Needs = MoveNeeds & {
  db: Database
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

/** What only time brings about is looked at so often at most, however often something can be given. */
const REST_MS = 200

export type Dispatch = Loop & {
  /** Something can be given: gives it soon. What else a round does waits for its time, or for `wake`. */
  give(): void
}

/**
 * The dispatcher: a loop over rows. Waking it only makes it look sooner: a crash at any point loses nothing, and a
 * restart needs nothing more than the loop.
 */
export function startDispatch(needs: Needs & { log: Logger }): Dispatch {
  const round = openRound(needs)
  let all = true
  let rested_ms = -Infinity
  const loop = startLoop({
    name: 'dispatch',
    every_ms: POLL_MS,
    log: needs.log,
    async work() {
      const rest = all || performance.now() - rested_ms >= REST_MS
      if (rest) rested_ms = performance.now()
      all = false
      if (!(await round(rest))) return undefined
      all ||= rest
      return 0
    },
  })
  return {
    ...loop,
    wake() {
      all = true
      loop.wake()
    },
    give: loop.wake,
  }
}

/**
 * One round: closes what is overdue, sends again what no device has answered, moves tasks on whose time has come, and
 * gives devices what is due; each is one transaction, and commands leave after it. Without the `rest` it only gives. True
 * where there is probably more.
 */
export function openRound(needs: Needs): (rest?: boolean) => Promise<boolean> {
  const claim = openClaim(needs)
  const steps = [
    () => closeOverdue(needs, BATCH),
    () => sendCancels(needs),
    () => resend(needs),
    () => beginDay(needs, BATCH),
    () => moveOn(needs),
  ]
  return async (rest = true) => {
    let more = false
    if (rest) for (const step of steps) if (await step()) more = true
    return (await claim()) || more
  }
}
