/** The figures of campaigns besides their counts: see `CampaignCounts`. */

/** How many rows a person confirmed at the start, and the SMS segments of these. */
export const [CONFIRMED, PARTS] = ['confirmed', 'parts'] as const

/** How many rows an upload has that has not reached its end. */
export const UPLOADING = 'uploading'

/** `finishes_at` at the start, in seconds since 1970. */
export const PLANNED = 'planned_at'

/** Messages that left in the minute of this time. */
export function minuteOf(time: string): string {
  return time.slice(0, 'YYYY-MM-DDTHH:MM'.length)
}
