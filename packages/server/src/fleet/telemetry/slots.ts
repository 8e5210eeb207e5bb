import type { TelemetryPoint } from '@sdd/contract/fleet/telemetry.ts'
import { instant } from '#server/core/clock.ts'

/** A slot of the history: five minutes of UTC, counted from 1970. */
export const SLOT_MS = 5 * 60_000

/** The most points of an answer. */
const MOST_POINTS = 1_000

export const measures = ['battery', 'temperature', 'disk_free_mb', 'signal_dbm'] as const
type Measure = (typeof measures)[number]

/** The readings of one slot: the sum and the number of each measure. */
export type SlotSums = { slot: number; charging: 0 | 1 | null } & Record<
  `${Measure}_${'sum' | 'count'}`,
  number
>

export function slotOf(at_ms: number): number {
  return Math.floor(at_ms / SLOT_MS)
}

/** How many slots make one point, so that this time has few enough points. */
export function slotsPerPoint(from_ms: number, to_ms: number): number {
  const [first, last] = [slotOf(from_ms), slotOf(to_ms - 1)]
  for (let width = 1; ; width++)
    if (Math.floor(last / width) - Math.floor(first / width) < MOST_POINTS) return width
}

/** The points of these slots, which are in order. */
export function pointsOf(slots: readonly SlotSums[], width: number): TelemetryPoint[] {
  const points = Map.groupBy(slots, ({ slot }) => Math.floor(slot / width))
  return Array.from(points, ([point, its]) => ({
    at: instant(point * width * SLOT_MS),
    signal_dbm: average(its, 'signal_dbm'),
    battery: average(its, 'battery'),
    charging: lastCharging(its),
    temperature: average(its, 'temperature'),
    disk_free_mb: average(its, 'disk_free_mb'),
  }))
}

/** To a tenth. */
function average(slots: readonly SlotSums[], measure: Measure): number | null {
  const sum = slots.reduce((all, slot) => all + slot[`${measure}_sum`], 0)
  const count = slots.reduce((all, slot) => all + slot[`${measure}_count`], 0)
  return count === 0 ? null : Math.round((10 * sum) / count) / 10
}

function lastCharging(slots: readonly SlotSums[]): boolean | null {
  const said = slots.findLast(({ charging }) => charging !== null)
  return said === undefined ? null : said.charging === 1
}
