import type { TelemetryPoint } from '@sdd/contract/fleet/telemetry.ts'
import { instant } from '#server/core/clock.ts'

/** A slot of the history: five minutes of UTC, counted from 1970. */
export const SLOT_MS = 5 * 60_000

/** The most points of an answer. */
const MOST_POINTS = 1_000

export const measures = ['battery', 'temperature', 'disk_free_mb', 'signal_dbm'] as const
type Measure = (typeof measures)[number]

/** The sum and the number of the readings of each measure. */
type Sums = { charging: 0 | 1 | null } & Record<`${Measure}_${'sum' | 'count'}`, number>

/** The readings of one slot. */
export type SlotSums = Sums & { slot: number }

/** The readings of the slots of one point. Points are counted from 1970, as slots are. */
export type PointSums = Sums & { point: number }

export function slotOf(at_ms: number): number {
  return Math.floor(at_ms / SLOT_MS)
}

/** How many slots make one point, so that this time has few enough points. */
export function slotsPerPoint(from_ms: number, to_ms: number): number {
  const [first, last] = [slotOf(from_ms), slotOf(to_ms - 1)]
  for (let width = 1; ; width++)
    if (Math.floor(last / width) - Math.floor(first / width) < MOST_POINTS) return width
}

/** A point of `width` slots. */
export function pointOf(sums: PointSums, width: number): TelemetryPoint {
  const { point, charging } = sums
  return {
    at: instant(point * width * SLOT_MS),
    signal_dbm: average(sums, 'signal_dbm'),
    battery: average(sums, 'battery'),
    charging: charging === null ? null : charging === 1,
    temperature: average(sums, 'temperature'),
    disk_free_mb: average(sums, 'disk_free_mb'),
  }
}

/** To a tenth. */
function average(sums: PointSums, measure: Measure): number | null {
  const count = sums[`${measure}_count`]
  return count === 0 ? null : Math.round((10 * sums[`${measure}_sum`]) / count) / 10
}
