import { septetsOf } from './gsm7.ts'

export type Encoding = 'gsm7' | 'ucs2'

export type TextMeasure = {
  /** GSM-7 if its alphabet has every character, otherwise UCS-2. */
  encoding: Encoding
  /** The number of SMS parts; 0 for an empty text. */
  segments: number
  /** Septets (two for a character of the extension table), or UTF-16 units. */
  units: number
  /** The capacity of one segment: 160 or 70, or 153 or 67 in each of several. */
  units_per_segment: number
  /** Units left in the last segment. */
  units_left: number
}

/**
 * Units in 140 octets: of a single message, and after the 6 octets of a concatenation header with an 8-bit reference
 * (3GPP TS 23.040 section 9.2.3.24.1).
 */
const ROOM = { gsm7: { alone: 160, concatenated: 153 }, ucs2: { alone: 70, concatenated: 67 } } as const

/** The header counts the parts in one octet. */
const MOST_SEGMENTS = 255

/**
 * Counts the segments that `splitText` needs. A character of two units is never cut at a boundary but moved to the next
 * segment, so a segment may be one unit short.
 */
export function measureText(text: string): TextMeasure {
  const { encoding, units } = count(text)
  const room = ROOM[encoding]
  if (units <= room.alone) {
    return {
      encoding,
      segments: units && 1,
      units,
      units_per_segment: room.alone,
      units_left: room.alone - units,
    }
  }
  let segments = 0
  let last = { end: 0, units: 0 }
  while (last.end < text.length) {
    last = nextSegment(text, last.end, encoding)
    segments++
  }
  const units_left = room.concatenated - last.units
  return { encoding, segments, units, units_per_segment: room.concatenated, units_left }
}

/**
 * The text of each segment, in order. No extension character and no surrogate pair is cut. Throws a RangeError above
 * 255 segments, the most that one message can have.
 */
export function splitText(text: string): string[] {
  const { encoding, units } = count(text)
  if (units === 0) return []
  if (units <= ROOM[encoding].alone) return [text]
  const parts: string[] = []
  for (let start = 0; start < text.length;) {
    if (parts.length === MOST_SEGMENTS)
      throw new RangeError(`The text takes more than ${MOST_SEGMENTS} SMS parts`)
    const { end } = nextSegment(text, start, encoding)
    parts.push(text.slice(start, end))
    start = end
  }
  return parts
}

/** The letters of a text that GSM-7 lacks, each once. */
export function lettersBeyondGsm(text: string): string[] {
  return [...new Set(text)].filter((letter) => letter.length > 1 || septetsOf(letter.charCodeAt(0)) === 0)
}

function count(text: string): { encoding: Encoding; units: number } {
  let units = 0
  for (let i = 0; i < text.length; i++) {
    const septets = septetsOf(text.charCodeAt(i))
    if (septets === 0) return { encoding: 'ucs2', units: text.length }
    units += septets
  }
  return { encoding: 'gsm7', units }
}

/** The end of the segment that begins at `start`, and the number of its units. */
function nextSegment(text: string, start: number, encoding: Encoding): { end: number; units: number } {
  const room = ROOM[encoding].concatenated
  if (encoding === 'ucs2') {
    const end = Math.min(start + room, text.length)
    const whole = isHigh(text.charCodeAt(end - 1)) && isLow(text.charCodeAt(end)) ? end - 1 : end
    return { end: whole, units: whole - start }
  }
  let units = 0
  for (let end = start; end < text.length; end++) {
    const septets = septetsOf(text.charCodeAt(end))
    if (units + septets > room) return { end, units }
    units += septets
  }
  return { end: text.length, units }
}

function isHigh(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800
}

function isLow(unit: number): boolean {
  return (unit & 0xfc00) === 0xdc00
}
