import { type Clock, DAY_MS, HOUR_MS, instant } from '#server/core/clock.ts'

type Period = { since: string; until: string }

/** The month that begins at midnight of this day, or of the last day of a shorter month, and has this time in it. */
export function periodOf(clock: Clock, renews_on_day: number, now_ms: number): Period {
  const today = clock.day(now_ms)
  const [year, month] = today.split('-').map(Number) as [number, number]
  const renewal = (more: number) => renewalIn(year, month - 1 + more, renews_on_day)
  const more = renewal(0) <= today ? 0 : -1
  return {
    since: instant(midnightOf(clock, renewal(more))),
    until: instant(midnightOf(clock, renewal(more + 1))),
  }
}

/** The day of the renewal in a month, which counts from 0 and may be outside the year. */
function renewalIn(year: number, month: number, renews_on_day: number): string {
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return new Date(Date.UTC(year, month, Math.min(renews_on_day, last))).toISOString().slice(0, 10)
}

/** When a day begins. */
export function midnightOf(clock: Clock, day: string): number {
  let before_ms = Date.parse(`${day}T12:00:00Z`) - DAY_MS
  while (clock.day(before_ms) >= day) before_ms -= 6 * HOUR_MS
  return clock.midnightAfter(before_ms)
}
