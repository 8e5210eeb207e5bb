import type { Logger } from 'pino'
import { BALANCE_HOURS_MOST } from '@sdd/contract/fleet/sims.ts'
import { CALLBACK_DELAYS_MS } from '@sdd/contract/outward/callbacks.ts'
import { IDLE_MS } from '#server/accounts/auth/auth.ts'
import { type Clock, DAY_MS, HOUR_MS, instant } from '#server/core/clock.ts'
import { type Loop, startLoop } from '#server/core/loop.ts'
import type { Database } from '#server/database/open.ts'
import { LASTS_MS } from '#server/fleet/devices/quarantine.ts'
import type { FeatureMetrics } from '#server/core/feature-metrics.ts'
import { SKIP_MS } from '#server/dispatch/claim/claim.ts'
import { ASK_AGAIN_MS } from '#server/dispatch/expiry/discarding.ts'
import { RESEND_MS } from '#server/dispatch/send-command.ts'
import { DELAYS_MS } from '#server/dispatch/reports/follow-up.ts'
import { renewCount } from '#server/fleet/sims/plans.ts'
import { settingsByCompany } from '#server/accounts/settings/settings.ts'
import { PATIENCE_MS } from '#server/dispatch/lanes/last-device.ts'
import { DELIVERY_CLAIM_MS } from '#server/outward/doors/smpp/deliveries.ts'
import { clockStore } from './store.ts'

type Needs = { db: Database; clock: Clock }

const LOOK_MS = 1_000
/**
 * A clock that moves this far between two checks was set. Less is a busy machine, or a clock that is being corrected.
 */
const SET_MS = 5_000

/** How many days ahead a time must be to be corrected: a day of sending, the last use of a session, or a failure. */
type Ahead = { more_than: number; less_than: number }
/** The clock was set back while the server ran, so it is right now. */
export const WHEN_SET: Ahead = { more_than: 0, less_than: 36_500 }
/**
 * At a start the clock itself may be wrong for a minute: without a battery it begins at the time of the last stop, or
 * decades ago. Correct times must survive until the clock is corrected.
 */
export const AT_START: Ahead = { more_than: 2, less_than: 3_650 }

/**
 * Watches the clock: the machine's or, over PostgreSQL, the database's. If it is set back, slots, retries and sessions
 * that were set by the later time would last as long as the clock was ahead. They are corrected, so that waiting work
 * continues as planned. If it is set forward, they come early, which needs no correction.
 */
export function startClockWatch(
  needs: Needs & { log: Logger; featureMetrics: Pick<FeatureMetrics, 'clockSets'>; wake(): void },
): Loop {
  const { clock, log, featureMetrics, wake } = needs
  const aheadOfUptime = () => clock.now() - performance.now()
  let ahead_ms = aheadOfUptime()
  return startLoop({
    name: 'clock',
    every_ms: LOOK_MS,
    log,
    async work() {
      const now_ahead_ms = aheadOfUptime()
      const set_ms = now_ahead_ms - ahead_ms
      if (set_ms < -SET_MS) await correctTimes(needs, WHEN_SET)
      ahead_ms = now_ahead_ms
      if (Math.abs(set_ms) <= SET_MS) return
      const way = set_ms < 0 ? 'back' : 'forward'
      featureMetrics.clockSets.inc({ way })
      log.warn(`The clock was set ${way} by ${Math.round(Math.abs(set_ms) / 1_000)} s`)
      wake()
    },
  })
}

/** Corrects times that the server set itself, if they are further ahead than it ever sets them. */
export async function correctTimes({ db, clock }: Needs, { more_than, less_than }: Ahead): Promise<void> {
  const now_ms = clock.now()
  const now = instant(now_ms)
  const after = (ms: number) => instant(now_ms + ms)
  const ahead = [after(more_than * DAY_MS), after(less_than * DAY_MS)] as const
  const settings = await settingsByCompany(db.read)
  await db.write(async (tx) => {
    const times = clockStore(tx)
    for (const [company_id, { spoof_time_secs }] of settings)
      await times.slots(company_id, after(Math.max(spoof_time_secs * 1_000, SKIP_MS)))
    await times.asides(after(SKIP_MS))
    await times.quarantines(after(Math.max(...LASTS_MS)))
    await times.days(
      clock.day(now_ms),
      clock.day(now_ms + more_than * DAY_MS),
      clock.day(now_ms + less_than * DAY_MS),
    )
    await times.due(now)
    await times.places(now, ...ahead)
    await times.rows(...ahead)
    await times.alerts(now, ...ahead)
    await times.balances(after(BALANCE_HOURS_MOST * HOUR_MS))
    await times.retries(after(Math.max(...DELAYS_MS)))
    await times.sticky(after(PATIENCE_MS))
    await times.commands(after(Math.max(RESEND_MS, ASK_AGAIN_MS)))
    for (const [round, delay_ms] of [0, ...CALLBACK_DELAYS_MS].entries())
      await times.callbacks(round, after(delay_ms))
    await times.deliveries(after(DELIVERY_CLAIM_MS))
    await times.presence(now, ...ahead)
    await times.sessions({ last_used_at: now, expires_at: after(IDLE_MS) }, ...ahead)
    await times.failures(...ahead)
  })
  // Each in a transaction of its own, because a month of messages is counted.
  for (const { id } of await clockStore(db.read).plans(...ahead))
    await db.write((tx) => renewCount(tx, clock, id))
}
