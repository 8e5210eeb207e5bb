import { setTimeout as wait } from 'node:timers/promises'
import type { LatestTelemetry, TelemetryPoint } from '@sdd/contract/fleet/telemetry.ts'
import { type Clock, DAY_MS, instant } from '#server/core/clock.ts'
import type { FeatureMetrics } from '#server/core/feature-metrics.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { openMinutes } from './minutes.ts'
import { type DeviceReading, readTelemetry } from './reading.ts'
import { measures, pointOf, slotOf, slotsPerPoint, type SlotSums } from './slots.ts'
import { telemetryStore } from './store.ts'

type Needs = { db: Database; clock: Clock; featureMetrics: Pick<FeatureMetrics, 'telemetryDropped'> }

/** Telemetry is kept this long. */
const KEEP_MS = 30 * DAY_MS
/** Readings of this long are written in one commit. Telemetry is in no hurry, and thousands of devices send it. */
const GATHER_MS = 300
/** Slots to remove in one transaction. */
const STEP = 2_000

type Item = { device_id: number; reading: DeviceReading; isKept: boolean }

/** Takes what devices say about themselves. Resolves once it is on disk. */
export function openTelemetry({ db, clock, featureMetrics }: Needs) {
  const minutes = openMinutes()
  let waiting: Item[] = []
  let written: Promise<void> | undefined

  /** Resolves once everything that waits now is on disk. */
  function write(): Promise<void> {
    return (written ??= wait(GATHER_MS).then(() => {
      const items = waiting
      waiting = []
      written = undefined
      return db.write((tx) => storeReadings(tx, items))
    }))
  }

  return async function takeTelemetry(
    { device_id }: { device_id: number },
    payloads: readonly Readonly<Record<string, unknown>>[],
  ): Promise<void> {
    const now_ms = clock.now()
    let any = false
    for (const payload of payloads) {
      if (!minutes.mayTake(device_id, now_ms)) {
        featureMetrics.telemetryDropped.inc()
        continue
      }
      const { reading, dropped } = readTelemetry(payload, now_ms)
      if (dropped > 0) featureMetrics.telemetryDropped.inc({}, dropped)
      // One without any good field only says that the device was there.
      const isKept = hasValues(reading) && minutes.isFirst(device_id, reading.at_ms)
      waiting.push({ device_id, reading, isKept })
      any = true
    }
    if (any) await write()
  }
}

function hasValues({ at_ms: _, ...values }: DeviceReading): boolean {
  return Object.values(values).some((value) => value !== null)
}

async function storeReadings(tx: Tx, items: readonly Item[]): Promise<void> {
  const latest = new Map<number, Parameters<ReturnType<typeof telemetryStore>['merge']>[0][number]>()
  const slots = new Map<string, SlotSums & { device_id: number }>()
  for (const { device_id, reading, isKept } of items) {
    const { at_ms, charging, ...numbers } = reading
    const flag = charging === null ? null : charging ? 1 : 0
    const before = latest.get(device_id)
    const at = instant(at_ms)
    const row = { device_id, at, charging: flag ?? before?.charging ?? null }
    latest.set(device_id, { ...row, ...merged(before, numbers) })
    if (!isKept) continue
    const slot = slotOf(at_ms)
    const sums = slots.getOrInsertComputed(`${device_id} ${slot}`, () => emptySlot(device_id, slot))
    sums.charging = flag ?? sums.charging
    for (const measure of measures) {
      const value = numbers[measure]
      if (value === null) continue
      sums[`${measure}_sum`] += value
      sums[`${measure}_count`]++
    }
  }
  await telemetryStore(tx).merge([...latest.values()])
  await telemetryStore(tx).add([...slots.values()])
}

type Numbers = Pick<DeviceReading, (typeof measures)[number]>

function merged(before: Numbers | undefined, after: Numbers): Numbers {
  return Object.fromEntries(
    measures.map((measure) => [measure, after[measure] ?? before?.[measure] ?? null]),
  ) as Numbers
}

function emptySlot(device_id: number, slot: number): SlotSums & { device_id: number } {
  const sums = measures.flatMap((measure) => [
    [`${measure}_sum`, 0],
    [`${measure}_count`, 0],
  ])
  return { device_id, slot, charging: null, ...Object.fromEntries(sums) } as SlotSums & { device_id: number }
}

/** What the device said last. Null before the first time. */
export async function latestTelemetry(
  { db }: { db: Pick<Database, 'read'> },
  device_id: number,
): Promise<LatestTelemetry | null> {
  const row = await telemetryStore(db.read).latest(device_id)
  if (row === undefined) return null
  const { device_id: _, charging, ...said } = row
  return { ...said, charging: charging === null ? null : charging === 1 }
}

/** Its telemetry between these times, oldest first: at most 1,000 points of the last 30 days. */
export async function readTelemetryHistory(
  { db, clock }: { db: Pick<Database, 'readInWorker'>; clock: Clock },
  device_id: number,
  { from_ms, to_ms }: { from_ms: number; to_ms: number },
): Promise<TelemetryPoint[]> {
  const now_ms = clock.now()
  const [begin_ms, end_ms] = [Math.max(from_ms, now_ms - KEEP_MS), Math.min(to_ms, now_ms + 1)]
  if (begin_ms >= end_ms) return []
  const width = slotsPerPoint(begin_ms, end_ms)
  const asked = { from: slotOf(begin_ms), to: slotOf(end_ms - 1), width }
  const points = await telemetryStore(db.readInWorker).points(device_id, asked)
  return points.map((sums) => pointOf(sums, width))
}

/** Removes some telemetry that is older than 30 days. Returns true if there is probably more. */
export async function forgetTelemetry({ db, clock }: Pick<Needs, 'db' | 'clock'>): Promise<boolean> {
  const before = slotOf(clock.now() - KEEP_MS)
  return (await db.write((tx) => telemetryStore(tx).forget(before, STEP))) === STEP
}
