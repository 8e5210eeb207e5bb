import { HOUR_MS, instant } from './clock.ts'

/** When a rotated secret stops working, in ISO 8601; null if it stops at once. */
export function overlapEnd(overlap_hours: number, now_ms: number): string | null {
  return overlap_hours === 0 ? null : instant(now_ms + overlap_hours * HOUR_MS)
}

/** The end of the overlap, or null if it has passed. */
export function activeOverlap(previous_until: string | null, now_ms: number): string | null {
  return previous_until !== null && previous_until > instant(now_ms) ? previous_until : null
}
