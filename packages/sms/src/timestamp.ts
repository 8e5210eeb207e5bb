/** The length of a timestamp (3GPP TS 23.040 section 9.2.3.11). */
export const TIMESTAMP_OCTETS = 7

/** The most quarters of an hour that two digits with a sign can express. */
const MOST_QUARTERS = 79

/** 1970: no short message is older. */
const FIRST_YEAR = 70

/**
 * Reads seven pairs of semi-octets as ISO 8601 with their zone: `2026-10-15T14:30:00+01:00`. The year has two digits;
 * 70 to 99 mean the last century, which modems and SMSCs with an unset clock send. Null for an invalid time (month 13,
 * hour 24, a digit above 9): networks do send those, and the message still counts.
 */
export function decodeTimestamp(octets: Uint8Array): string | null {
  if (octets.length !== TIMESTAMP_OCTETS) return null
  const pairs = Array.from(octets.subarray(0, 6), (octet) => pairOf(octet & 15, octet >> 4))
  const [year, month, day, hour, minute, second] = pairs as [number, number, number, number, number, number]
  const zone = octets[6]!
  // Some networks write the lower digit of the zone as a number up to 15.
  const quarters = 10 * (zone & 7) + (zone >> 4)
  if (pairs.includes(NaN) || quarters > MOST_QUARTERS) return null
  const century = year >= FIRST_YEAR ? 1900 : 2000
  if (month < 1 || month > 12 || day < 1 || day > daysIn(century + year, month)) return null
  if (hour > 23 || minute > 59 || second > 59) return null

  const sign = zone & 8 && quarters > 0 ? '-' : '+'
  const date = `${century + year}-${two(month)}-${two(day)}`
  const time = `${two(hour)}:${two(minute)}:${two(second)}`
  return `${date}T${time}${sign}${two(Math.floor(quarters / 4))}:${two((quarters % 4) * 15)}`
}

/** The reverse, for a time from 1970 to 2069 in the format of `decodeTimestamp`. Throws a RangeError for others. */
export function encodeTimestamp(iso: string): Uint8Array<ArrayBuffer> {
  const parts =
    /^(?:19(?=[7-9])|20(?=[0-6]))(\d\d)-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)([+-])(\d\d):(00|15|30|45)$/.exec(
      iso,
    )
  if (!parts) throw new RangeError(`No time that a PDU can carry: ${iso}`)
  const quarters = 4 * Number(parts[8]) + Number(parts[9]) / 15
  const zone = swapped(quarters) | (parts[7] === '-' ? 8 : 0)
  const octets = Uint8Array.of(...parts.slice(1, 7).map((pair) => swapped(Number(pair))), zone)
  if (quarters > MOST_QUARTERS || decodeTimestamp(octets) === null)
    throw new RangeError(`There is no such time: ${iso}`)
  return octets
}

function pairOf(tens: number, ones: number): number {
  return tens > 9 || ones > 9 ? NaN : 10 * tens + ones
}

function swapped(pair: number): number {
  return (Math.floor(pair / 10) & 15) | ((pair % 10) << 4)
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate()
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}
