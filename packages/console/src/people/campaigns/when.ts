import { campaigns as words } from './text.ts'
import { dayName, hourTime, isSameDay } from '#console/ui/time.ts'

const DAY_MS = 86_400_000

/** `hoy`, `ayer`, `mañana` or `jue 26/11`: the day of a time, both in ms. */
export function dayOf(at: number, now: number): string {
  const days = Math.round((midnight(at) - midnight(now)) / DAY_MS)
  return words.days[days] ?? `${words.weekday(new Date(at))} ${dayName(at)}`
}

/** `hoy 13:45`. */
export function dayAndHour(iso: string, now: number): string {
  const at = Date.parse(iso)
  return `${dayOf(at, now)} ${hourTime(at)}`
}

/** `13:45`, with the day if it is another one than that of `beside`, in ms. */
export function hourBeside(iso: string, beside: number, now: number): string {
  const at = Date.parse(iso)
  return isSameDay(at, beside) ? hourTime(at) : dayAndHour(iso, now)
}

/** `hacia las 20:10`, or `mañana hacia las 11:30`. */
export function about(iso: string, now: number): string {
  const at = Date.parse(iso)
  const hour = words.about(hourTime(at))
  return isSameDay(at, now) ? hour : `${dayOf(at, now)} ${hour}`
}

/** `a las 20:10`, or `mañana a las 11:30`. */
export function atHour(iso: string, now: number): string {
  const at = Date.parse(iso)
  const hour = words.at(hourTime(at))
  return isSameDay(at, now) ? hour : `${dayOf(at, now)} ${hour}`
}

/** `2 h 35 min`, `3 d 4 h`, from ms. Less than a minute counts as one. */
export function spanText(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000))
  const [days, hours, rest] = [Math.floor(minutes / 1_440), Math.floor((minutes % 1_440) / 60), minutes % 60]
  if (days > 0) return hours === 0 ? `${days} d` : `${days} d ${hours} h`
  if (hours > 0) return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`
  return `${rest} min`
}

function midnight(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0)
}
