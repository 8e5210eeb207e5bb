import { setImmediate as turn } from 'node:timers/promises'
import type { Command } from '@sdd/contract/fleet/device-protocol.ts'
import type { Logger } from 'pino'
import { type Loop, startLoop } from '#server/core/loop.ts'
import { nowOf } from '#server/core/clock.ts'
import type { Database } from '#server/database/open.ts'
import { capacityStore } from '#server/fleet/devices/capacity.store.ts'
import type { CompanyRoutes } from '#server/fleet/routes/company-routes.ts'
import type { FeatureMetrics } from '#server/core/feature-metrics.ts'
import type { Live } from '#server/core/live.ts'
import type { Replica } from '#server/core/replicas/replicas.ts'
import type { Numbers } from '#server/accounts/settings/numbers.ts'
import { moveDueTasks } from '#server/dispatch/lanes/moving-on.ts'
import type { MoveNeeds } from '#server/messages/messages/moving.ts'
import type { KeptMessages } from '#server/messages/messages/kept-messages.ts'
import { type Candidates, type GiveTo, openCandidates } from './candidates.ts'
import { openClaim } from './claim/claim.ts'
import { freeFrom } from './claim/free-from.ts'
import { sendCancels } from './expiry/discarding.ts'
import { closeOverdue } from './expiry/expiry.ts'
import { lookAfterAnswered, resend } from './resending.ts'

type Needs = MoveNeeds & {
  db: Database
  live: Live
  numbers: Pick<Numbers, 'isSendingOff'>
  /** False if the device is not connected. The command is sent again when the device is back. */
  publish(device_uid: string, command: Command): boolean
  /** The same through whichever server the device is connected to. */
  publishAnywhere(device_uid: string, command: Command): boolean
  featureMetrics: Pick<FeatureMetrics, 'handedOver' | 'messages'>
  replica: Pick<Replica, 'id'>
  companyRoutes: Pick<CompanyRoutes, 'of'>
  keptMessages: KeptMessages
}

/** The interval of the loop without a wake-up, since pacing slots, resends and expiries come due with time. */
const POLL_MS = 250
/** Rows per step of a round. This limits how long one transaction takes. */
const BATCH = 100

/** The least time between two runs of the steps that depend on time, however often messages can be given. */
const REST_MS = 200
/** The free devices are read from the database this often, in case an event about one was missed. */
const REFILL_MS = 2_000
/** Devices per statement of a refill: some 2 ms. */
const REFILL_ROWS = 2_000

type Dispatch = Loop & {
  /** Gives messages soon. The other steps of a round wait for their time, or for `wake`. */
  give(): void
  giveTo: GiveTo
}

/**
 * The dispatcher: a loop over rows. `wake` only makes it look sooner. A crash at any point loses nothing, and a restart
 * only needs to start the loop again.
 */
export function startDispatch({
  rest_ms = REST_MS,
  ...needs
}: Needs & { log: Logger; rest_ms: number | undefined }): Dispatch {
  const candidates = openCandidates()
  const round = openRound(needs, candidates)
  let woken = true
  let rested_ms = -Infinity
  let filled_ms = -Infinity
  const loop = startLoop({
    name: 'dispatch',
    every_ms: POLL_MS,
    log: needs.log,
    async work() {
      const now_ms = performance.now()
      const rest = now_ms - rested_ms >= rest_ms
      const refill = rest && (woken || now_ms - filled_ms >= REFILL_MS)
      if (rest) rested_ms = now_ms
      if (refill) {
        filled_ms = now_ms
        woken = false
      }
      const more = await round({ rest, refill })
      if (more) return 0
      return woken ? Math.max(0, rested_ms + rest_ms - performance.now()) : undefined
    },
  })
  return {
    ...loop,
    wake() {
      woken = true
      loop.wake()
    },
    give: loop.wake,
    giveTo(devices, awaited) {
      for (const device of devices) candidates.add(device, awaited)
      loop.wake()
    },
  }
}

/**
 * Runs one round: ends overdue messages, resends unanswered commands, stops waiting for delivery reports, moves tasks
 * that are due to another lane, and gives messages to devices. Each step is one transaction, and commands are sent
 * after it. Without `rest` it only gives messages, and only with `refill` it looks for devices that became free without
 * an event. Returns true if there is probably more.
 */
export function openRound(
  needs: Needs,
  candidates = openCandidates(),
): (steps?: { rest: boolean; refill: boolean }) => Promise<boolean> {
  const claim = openClaim({ ...needs, candidates })
  const steps = [
    () => closeOverdue(needs, BATCH),
    () => sendCancels(needs),
    () => resend(needs),
    () => lookAfterAnswered(needs),
    () => moveDueTasks({ ...needs, candidates }),
  ]
  return async ({ rest, refill } = { rest: true, refill: true }) => {
    let more = false
    if (rest) for (const step of steps) if (await step()) more = true
    if (refill) await fill(needs, candidates)
    return (await claim(refill)) || more
  }
}

/** Corrects the candidates by the rows of all devices at this server. */
async function fill({ db, clock, replica }: Needs, candidates: Candidates): Promise<void> {
  const at = nowOf(clock)
  for (let after = 0; ;) {
    const devices = await capacityStore(db.read).at({
      replica: replica.id(),
      after,
      limit: REFILL_ROWS,
      now: at.now,
    })
    for (const device of devices)
      candidates.correct(device, device.queued + device.sticky > 0, freeFrom(device, at), at.now_ms)
    if (devices.length < REFILL_ROWS) return
    after = devices.at(-1)!.id
    await turn()
  }
}
