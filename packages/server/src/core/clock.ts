import type { Instant } from '@sdd/contract/core/fields.ts'

export type Clock = {
  /** Milliseconds since 1970. */
  now(): number
  /** The day, `YYYY-MM-DD`, to whose daily limit this time counts. */
  day(ms: number): string
  /** When the day of `ms` ends. */
  midnightAfter(ms: number): number
}

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** A reading of a clock: its time in both forms, and its day. */
export type Now = { now_ms: number; now: Instant; day: string }

export function nowOf(clock: Clock): Now {
  const now_ms = clock.now()
  return { now_ms, now: instant(now_ms), day: clock.day(now_ms) }
}

/** The machine's clock; days are those of `zone` (IANA). */
export function systemClock(zone: string): Clock {
  let today = { from: 0, until: 0, name: '' }

  function dayOf(ms: number): typeof today {
    if (ms >= today.from && ms < today.until) return today
    const date = Temporal.Instant.fromEpochMilliseconds(Math.trunc(ms)).toZonedDateTimeISO(zone).toPlainDate()
    today = {
      from: date.toZonedDateTime(zone).epochMilliseconds,
      until: date.add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds,
      name: date.toString(),
    }
    return today
  }

  return { now: Date.now, day: (ms) => dayOf(ms).name, midnightAfter: (ms) => dayOf(ms).until }
}

/** A time as the wire and the tables hold it. Cached, because many callers need the same millisecond. */
export function instant(ms: number): Instant {
  if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() }
  return last.text
}

let last = { ms: NaN, text: '' }

/** A time that a caller wrote in any zone, as `instant` writes it; null for none. */
export function utc(written: string | null | undefined): Instant | null {
  return written ? instant(Date.parse(written)) : null
}

/** `40 seconds`, `12 minutes`, `5 hours`, rounded up. In a sentence, a duration means the same in every time zone. */
export function formatDuration(secs: number): string {
  const [size, unit] = secs < 90 ? [1, 'second'] : secs < 5_400 ? [60, 'minute'] : [3_600, 'hour']
  const count = Math.max(1, Math.ceil(secs / size))
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
