import { DAY_MS } from '#server/core/clock.ts'
import { type Hours, type HoursWindow, weekDays } from '@sdd/contract/accounts/sending-hours.ts'

/** Whether it is within the hours now, and until when: the next opening, or the earliest possible end. */
type HoursStatus = { open: boolean; until_ms: number }

/** Farther ahead no opening is looked for. Then it is looked for again. */
const HORIZON_DAYS = 400
/** Long enough to see each window of a week in each zone. */
const WEEK_DAYS = 9

type Cached = HoursStatus & { from_ms: number }

const statuses = new WeakMap<Hours, Map<string, Cached>>()

/**
 * The status of these hours in all of these zones at once. If they are never open in all, then in the most that ever
 * are open at the same time. Cached until it changes, so a message costs one look-up.
 */
export function hoursAt(hours: Hours, zones: readonly string[], now_ms: number): HoursStatus {
  const known = statuses.getOrInsertComputed(hours, () => new Map())
  const key = zones.join()
  const cached = known.get(key)
  if (cached && now_ms >= cached.from_ms && now_ms < cached.until_ms) return cached
  const status = { ...look(hours, distinctZones(zones, now_ms), now_ms), from_ms: now_ms }
  known.set(key, status)
  return status
}

/** How long, in ms, these hours were open in all of these zones between two times. Not cached. */
export function openMsBetween(
  hours: Hours,
  zones: readonly string[],
  from_ms: number,
  until_ms: number,
): number {
  const distinct = distinctZones(zones, from_ms)
  const least = leastOpen(hours, distinct, from_ms)
  const moments = boundaries(hours, distinct, from_ms, Math.ceil((until_ms - from_ms) / DAY_MS) + 1)
  let sum_ms = 0
  for (let at_ms = from_ms, next_ms; at_ms < until_ms; at_ms = next_ms) {
    next_ms = Math.min(moments.next().value ?? until_ms, until_ms)
    if (openZones(hours, distinct, at_ms) >= least) sum_ms += next_ms - at_ms
  }
  return sum_ms
}

function look(hours: Hours, zones: readonly string[], now_ms: number): HoursStatus {
  const least = leastOpen(hours, zones, now_ms)
  const isOpen = (at_ms: number) => openZones(hours, zones, at_ms) >= least
  if (isOpen(now_ms)) {
    const next = boundaries(hours, zones, now_ms, WEEK_DAYS).next().value
    return { open: true, until_ms: next ?? now_ms + DAY_MS }
  }
  for (const at_ms of boundaries(hours, zones, now_ms, HORIZON_DAYS))
    if (isOpen(at_ms)) return { open: false, until_ms: at_ms }
  return { open: false, until_ms: now_ms + HORIZON_DAYS * DAY_MS }
}

/** How many zones must be open: all, or if all never are, the most that are. Holidays do not count for this. */
function leastOpen(hours: Hours, zones: readonly string[], now_ms: number): number {
  if (zones.length === 1) return 1
  const ordinary = { ...hours, holidays: [] }
  let most = openZones(ordinary, zones, now_ms)
  for (const at_ms of boundaries(ordinary, zones, now_ms, WEEK_DAYS)) {
    if (most === zones.length) break
    most = Math.max(most, openZones(ordinary, zones, at_ms))
  }
  return Math.max(1, most)
}

function openZones(hours: Hours, zones: readonly string[], at_ms: number): number {
  return zones.filter((zone) => isOpenIn(hours, zone, at_ms)).length
}

/**
 * By the clock on the wall there. So an hour that comes twice is open twice, and a time that the change of clocks skips
 * is the moment of the change.
 */
function isOpenIn({ windows, holidays }: Hours, zone: string, at_ms: number): boolean {
  const at = Temporal.Instant.fromEpochMilliseconds(at_ms).toZonedDateTimeISO(zone)
  const minute = at.hour * 60 + at.minute
  const today = at.toPlainDate()
  const begins = (day: Temporal.PlainDate, window: HoursWindow) =>
    window.days.includes(weekDays[day.dayOfWeek - 1]!) && !holidays.includes(day.toString())
  return windows.some((window) => {
    const [from, to] = [minuteOf(window.from), minuteOf(window.to)]
    if (to > from) return minute >= from && minute < to && begins(today, window)
    if (minute >= from) return begins(today, window)
    return minute < to && begins(today.subtract({ days: 1 }), window)
  })
}

function minuteOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
}

/** Every moment after `now_ms` at which a window may open or close in one of the zones, in order. */
function* boundaries(
  { windows }: Hours,
  zones: readonly string[],
  now_ms: number,
  days: number,
): Generator<number, undefined, undefined> {
  const minutes = [...new Set(windows.flatMap(({ from, to }) => [minuteOf(from), minuteOf(to) % 1_440]))]
  // Local days begin up to 14 hours apart, so a day's moments are sorted together with those of the next.
  let pending: number[] = []
  const now = Temporal.Instant.fromEpochMilliseconds(now_ms)
  const todays = zones.map((zone) => [zone, now.toZonedDateTimeISO(zone).toPlainDate()] as const)
  for (let days_on = -1; days_on <= days; days_on++) {
    const found = new Set(pending)
    for (const [zone, today] of todays)
      for (const at_ms of momentsOf(zone, today.add({ days: days_on }), minutes)) found.add(at_ms)
    const sorted = [...found].sort((one, other) => one - other)
    const settled_ms = now_ms + (days_on - 1) * DAY_MS
    for (const at_ms of sorted) if (at_ms > now_ms && at_ms <= settled_ms) yield at_ms
    pending = sorted.filter((at_ms) => at_ms > settled_ms)
  }
  return undefined
}

/** The moments of a local day at which the clock shows these minutes, or is changed. */
function* momentsOf(zone: string, day: Temporal.PlainDate, minutes: readonly number[]): Generator<number> {
  const start = day.toZonedDateTime(zone)
  const end_ms = day.add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds
  for (const minute of minutes) {
    const time = day.toPlainDateTime({ hour: Math.floor(minute / 60), minute: minute % 60 })
    for (const disambiguation of ['earlier', 'later'] as const)
      yield time.toZonedDateTime(zone, { disambiguation }).epochMilliseconds
  }
  const change_ms = start.getTimeZoneTransition('next')?.epochMilliseconds
  if (change_ms !== undefined && change_ms <= end_ms) yield change_ms
}

/** Zones whose clocks show the same all year count as one. */
function distinctZones(zones: readonly string[], now_ms: number): string[] {
  if (zones.length === 1) return [...zones]
  const byClock = new Map<string, string>()
  for (const zone of zones) {
    const at = Temporal.Instant.fromEpochMilliseconds(now_ms).toZonedDateTimeISO(zone)
    const changes = [at.offset]
    let next = at.getTimeZoneTransition('next')
    for (let n = 0; n < 2 && next !== null; n++) {
      changes.push(next.toString({ timeZoneName: 'never' }))
      next = next.getTimeZoneTransition('next')
    }
    byClock.getOrInsertComputed(changes.join(), () => zone)
  }
  return [...byClock.values()]
}
