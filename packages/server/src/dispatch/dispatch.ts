import type { Command } from '@sdd/contract/fleet/device-protocol.ts'
import type { Logger } from 'pino'
import { type Loop, startLoop } from '#server/core/loop.ts'
import type { Database } from '#server/database/open.ts'
import { beginDay } from '#server/fleet/devices/capacity.ts'
import type { FeatureMetrics } from '#server/core/feature-metrics.ts'
import type { Live } from '#server/core/live.ts'
import type { Replica } from '#server/core/replicas/replicas.ts'
import type { SendingSwitches } from '#server/accounts/settings/settings.ts'
import { moveDueTasks } from '#server/dispatch/lanes/moving-on.ts'
import type { MoveNeeds } from '#server/messages/messages/moving.ts'
import { openClaim } from './claim/claim.ts'
import { sendCancels } from './expiry/discarding.ts'
import { closeOverdue } from './expiry/expiry.ts'
import { resend } from './resending.ts'

type Needs = MoveNeeds & {
  db: Database
  live: Live
  sending: Pick<SendingSwitches, 'isOff'>
  /** False if the device is not connected. The command is sent again when the device is back. */
  publish(device_uid: string, command: Command): boolean
  /** The same through whichever server the device is connected to. */
  publishAnywhere(device_uid: string, command: Command): boolean
  featureMetrics: Pick<FeatureMetrics, 'handedOver' | 'messages'>
  replica: Pick<Replica, 'id'>
}

/** The interval of the loop without a wake-up, since pacing slots, resends and expiries come due with time. */
const POLL_MS = 250
/** Rows per step of a round. This limits how long one transaction takes. */
const BATCH = 100

/** Steps that depend only on time run at most this often, however often messages can be given. */
const REST_MS = 200

export type Dispatch = Loop & {
  /** Gives messages soon. The other steps of a round wait for their time, or for `wake`. */
  give(): void
}

/**
 * The dispatcher: a loop over rows. `wake` only makes it look sooner. A crash at any point loses nothing, and a restart
 * only needs to start the loop again.
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
 * Runs one round: ends overdue messages, resends unanswered commands, moves tasks that are due to another lane, and
 * gives messages to devices. Each step is one transaction, and commands are sent after it. Without `rest` it only gives
 * messages. Returns true if there is probably more.
 */
export function openRound(needs: Needs): (rest?: boolean) => Promise<boolean> {
  const claim = openClaim(needs)
  const steps = [
    () => closeOverdue(needs, BATCH),
    () => sendCancels(needs),
    () => resend(needs),
    () => beginDay(needs, BATCH),
    () => moveDueTasks(needs),
  ]
  return async (rest = true) => {
    let more = false
    if (rest) for (const step of steps) if (await step()) more = true
    return (await claim()) || more
  }
}
