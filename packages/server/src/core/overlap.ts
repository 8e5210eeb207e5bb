import { instant } from './clock.ts'

/** When the secret from before a rotation is dead, so many hours from now; null where it is so at once. */
export function overlapEnd(overlap_hours: number, now_ms: number): string | null {
  return overlap_hours === 0 ? null : instant(now_ms + overlap_hours * 3_600_000)
}

/** The end of an overlap that has not passed, else null. */
export function whileItLasts(previous_until: string | null, now_ms: number): string | null {
  return previous_until !== null && previous_until > instant(now_ms) ? previous_until : null
}
