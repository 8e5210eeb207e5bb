import { type Clock, instant, MINUTE_MS } from '#server/core/clock.ts'
import type { ConnectedDevice } from '#server/fleet/presence/presence.ts'
import type { Database } from '#server/database/open.ts'
import { noteInboxSlowed } from '#server/fleet/devices/devices.ts'
import type { FeatureMetrics } from '#server/core/feature-metrics.ts'
import type { Live } from '#server/core/live.ts'
import { inboxStore } from './store.ts'

/** Limits the rate of received SMS. A SIM cannot receive more than about one a second. */
type InboxPace = {
  /**
   * How many ms the next SMS of this device must wait; 0 accepts and counts it. `shared`: other servers accept SMS of
   * the device at the same time.
   */
  wait(from: ConnectedDevice, shared?: boolean): Promise<number>
}

type Needs = {
  db: Database
  clock: Clock
  live: Live
  featureMetrics: Pick<FeatureMetrics, 'inboxSlowed'>
  /** A monotonic clock in milliseconds. */
  ticks?: () => number
}

/** This many SMS at once, then one in each interval. */
const BURST = 60
const EACH_MS = 1_000

type Bucket = { connection: number; left: number; at_ms: number; noted_ms: number }

/**
 * Each new connection counts the device's SMS of the last minute in the database. So a reconnect, here, at another
 * server or after a restart, does not refill a device's allowance.
 */
export function openInboxPace({
  db,
  clock,
  live,
  featureMetrics,
  ticks = () => performance.now(),
}: Needs): InboxPace {
  const buckets = new Map<number, Bucket>()
  let cleared_ms = ticks()

  async function bucketOf(
    { device_id, company_id, connection }: ConnectedDevice,
    shared: boolean,
  ): Promise<Bucket> {
    const known = buckets.get(device_id)
    if (known?.connection === connection && !shared) return known
    const since = instant(clock.now() - MINUTE_MS)
    const received = await inboxStore(db.read).countSince(company_id, device_id, since)
    const bucket = buckets.getOrInsertComputed(device_id, () => ({
      connection,
      left: BURST,
      at_ms: ticks(),
      noted_ms: -Infinity,
    }))
    bucket.connection = connection
    refill(bucket)
    bucket.left = Math.min(bucket.left, BURST - received)
    return bucket
  }

  function refill(bucket: Bucket): void {
    const now_ms = ticks()
    bucket.left = Math.min(BURST, Math.max(0, bucket.left) + (now_ms - bucket.at_ms) / EACH_MS)
    bucket.at_ms = now_ms
  }

  /** Forgets devices with a full allowance. */
  function clear(): void {
    if (ticks() - cleared_ms < MINUTE_MS) return
    cleared_ms = ticks()
    for (const [device_id, { at_ms }] of buckets)
      if (cleared_ms - at_ms > BURST * EACH_MS) buckets.delete(device_id)
  }

  return {
    async wait(from, shared = false) {
      clear()
      const bucket = await bucketOf(from, shared)
      refill(bucket)
      if (bucket.left >= 1) {
        bucket.left--
        return 0
      }
      featureMetrics.inboxSlowed.inc()
      if (ticks() - bucket.noted_ms > MINUTE_MS) {
        bucket.noted_ms = ticks()
        await noteInboxSlowed({ db, clock, live }, from)
      }
      return Math.ceil((1 - bucket.left) * EACH_MS)
    },
  }
}
