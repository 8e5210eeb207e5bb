import type { PresenceStretch } from '@sdd/contract/insight/device-detail.ts'
import type { TelemetryPoint } from '@sdd/contract/fleet/telemetry.ts'
import type { HistorySpan } from '#console/fleet/devices/devices.ts'

/** Each reading that has a chart, and the range of its axis, which wider values extend. */
export const readings = {
  signal_dbm: [-115, -75],
  battery: [0, 100],
  temperature: [20, 50],
} as const satisfies Partial<Record<keyof TelemetryPoint, readonly [number, number]>>
export type Reading = keyof typeof readings

/** Times in ms. */
export type Period = { from: number; to: number }

const HOUR_MS = 3_600_000
const DAYS: Record<Exclude<HistorySpan, '24h'>, number> = { '7d': 7, '30d': 30 }

/** Whole hours or days in the browser's zone, the current one included, so that an axis stays while new points come. */
export function periodOf(span: HistorySpan, now: number): Period {
  const at = new Date(now)
  if (span === '24h') {
    const to = at.setMinutes(60, 0, 0)
    return { from: to - 24 * HOUR_MS, to }
  }
  const midnight = (daysAhead: number) =>
    new Date(at.getFullYear(), at.getMonth(), at.getDate() + daysAhead).getTime()
  return { from: midnight(1 - DAYS[span]), to: midnight(1) }
}

/** The times at the axis: each fourth hour, each day, or each seventh day. */
export function ticksOf(span: HistorySpan, { from, to }: Period): number[] {
  const ticks: number[] = []
  const days = span === '7d' ? 1 : 7
  for (let at = from; at < to;) {
    ticks.push(at)
    at = span === '24h' ? at + 4 * HOUR_MS : new Date(at).setDate(new Date(at).getDate() + days)
  }
  return ticks
}

/** The ends of the axis, in tens. */
export function domainOf(reading: Reading, values: readonly number[]): [low: number, high: number] {
  const [low, high] = readings[reading]
  const least = values.reduce((one, other) => Math.min(one, other), low)
  const most = values.reduce((one, other) => Math.max(one, other), high)
  return [least < low ? Math.floor(least / 10) * 10 : low, most > high ? Math.ceil(most / 10) * 10 : high]
}

export type Spot = { at: number; value: number }

/** The values in parts that a line may join: a part ends where a slot has no reading. */
export function partsOf(points: readonly TelemetryPoint[], reading: Reading): Spot[][] {
  const times = points.map(({ at }) => Date.parse(at))
  const slot = times.reduce(
    (least, at, n) => (n === 0 ? least : Math.min(least, at - times[n - 1]!)),
    Infinity,
  )
  const parts: Spot[][] = []
  let last: number | undefined
  for (const [n, point] of points.entries()) {
    const value = point[reading]
    if (value === null) continue
    const at = times[n]!
    if (last === undefined || at - last > slot * 1.5) parts.push([])
    parts.at(-1)!.push({ at, value })
    last = at
  }
  return parts
}

/** When it was away, cut to the period. */
export function absencesOf(presence: readonly PresenceStretch[], { from, to }: Period): Period[] {
  return presence
    .filter(({ state }) => state === 'disconnected')
    .map((stretch) => ({
      from: Math.max(from, Date.parse(stretch.from)),
      to: Math.min(to, Date.parse(stretch.to)),
    }))
    .filter((absence) => absence.from < absence.to)
}

/** The value at this time, if there is one within a hundredth of the period. */
export function spotAt(parts: readonly Spot[][], at: number, { from, to }: Period): Spot | undefined {
  const within = (to - from) / 100
  let nearest: Spot | undefined
  for (const part of parts)
    for (const spot of part)
      if (Math.abs(spot.at - at) < Math.abs((nearest?.at ?? Infinity) - at)) nearest = spot
  return nearest && Math.abs(nearest.at - at) <= within ? nearest : undefined
}
