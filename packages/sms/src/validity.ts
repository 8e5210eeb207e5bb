const HOUR_MINS = 60
const DAY_MINS = 24 * HOUR_MINS
const WEEK_MINS = 7 * DAY_MINS

/** The longest validity: 63 weeks. */
export const MOST_VALIDITY_MINS = 63 * WEEK_MINS

/**
 * The relative TP-VP (3GPP TS 23.040 section 9.2.3.12.1) of at least this many minutes, rounded up to the next step.
 * Above 63 weeks it is 63 weeks. Throws a RangeError if it is not above 0, because a message without a validity has no
 * TP-VP.
 */
export function encodeValidity(mins: number): number {
  if (!(mins > 0)) throw new RangeError(`A validity is longer than 0 minutes, not ${mins}`)
  if (mins <= 12 * HOUR_MINS) return Math.ceil(mins / 5) - 1
  if (mins <= DAY_MINS) return 143 + Math.ceil((mins - 12 * HOUR_MINS) / 30)
  if (mins <= 30 * DAY_MINS) return 166 + Math.ceil(mins / DAY_MINS)
  return 192 + Math.ceil(Math.min(mins, MOST_VALIDITY_MINS) / WEEK_MINS)
}

/** The minutes of a relative TP-VP. */
export function decodeValidity(octet: number): number {
  if (octet < 144) return (octet + 1) * 5
  if (octet < 168) return 12 * HOUR_MINS + (octet - 143) * 30
  if (octet < 197) return (octet - 166) * DAY_MINS
  return (octet - 192) * WEEK_MINS
}
