const FORM = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d)(\d\d)([+\-R])$/
const QUARTER_MS = 15 * 60_000

/**
 * A time in ms since 1970: `YYMMDDhhmmsstnnp`, absolute with its distance from UTC in quarters of an hour, or relative
 * to now (`p` is `R`). `undefined` if it is neither.
 */
export function readTime(written: string, now_ms: number): number | undefined {
  const match = FORM.exec(written)
  if (!match) return undefined
  const [years, months, days, hours, minutes, seconds, tenths, quarters] = match.slice(1, 9).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const sign = match[9]
  if (sign === 'R') {
    const until = new Date(now_ms)
    until.setUTCFullYear(
      until.getUTCFullYear() + years,
      until.getUTCMonth() + months,
      until.getUTCDate() + days,
    )
    return until.getTime() + ((hours * 60 + minutes) * 60 + seconds) * 1_000
  }
  const at_ms = Date.UTC(2000 + years, months - 1, days, hours, minutes, seconds, tenths * 100)
  const whole = new Date(at_ms).toISOString().replaceAll(/\D/g, '').slice(2, 14)
  if (whole !== written.slice(0, 12) || quarters > 48) return undefined
  return at_ms - (sign === '+' ? 1 : -1) * quarters * QUARTER_MS
}

/** An absolute time in UTC. */
export function writeTime(instant: string): string {
  return `${instant.replaceAll(/\D/g, '').slice(2, 15)}00+`
}
