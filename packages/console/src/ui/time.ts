import { formats } from '#console/core/formats.ts'
import { formatTenths } from './numbers.ts'

/**
 * `20/11 21:32:07`, or as the chosen language writes it, in the browser's time zone, with the year if it is not the current one. Invalid times stay
 * unchanged.
 */
export function shortTime(iso: string): string {
  const at = new Date(iso)
  if (Number.isNaN(at.getTime())) return iso
  const isThisYear = at.getFullYear() === new Date().getFullYear()
  return `${isThisYear ? formats.day(at) : formats.dayOfYear(at)} ${clock(at)}`
}

/** The same for a time of another year, which is longer than columns have room for; undefined for this year. */
export function timeOfOtherYear(iso: unknown): string | undefined {
  const short = typeof iso === 'string' && iso !== '' ? shortTime(iso) : undefined
  return short?.includes(String(new Date(iso as string).getFullYear())) ? short : undefined
}

const INSTANT = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/

/** The parts of a sentence with ISO times: each second part is a time. */
export function splitAtTimes(sentence: string): string[] {
  return sentence.split(INSTANT)
}

/** A sentence with its ISO times as `shortTime` writes them. */
export function withShortTimes(sentence: string): string {
  return splitAtTimes(sentence)
    .map((part, n) => (n % 2 === 0 ? part : shortTime(part)))
    .join('')
}

/** `20/11`, from a time in ms. */
export function dayName(ms: number): string {
  return formats.day(new Date(ms))
}

/** `20/11/2026 21:32`. */
export function dayTime(iso: string): string {
  const at = new Date(iso)
  if (Number.isNaN(at.getTime())) return iso
  return `${formats.dayOfYear(at)} ${clock(at).slice(0, 5)}`
}

/** `21:32:07.104`, for steps close in time. */
export function preciseTime(iso: string): string {
  const at = new Date(iso)
  if (Number.isNaN(at.getTime())) return iso
  return `${clock(at)}.${String(at.getMilliseconds()).padStart(3, '0')}`
}

/** `21:32:07`, from a time in ms. */
export function clockTime(ms: number): string {
  return clock(new Date(ms))
}

/** `16:00`, from a time in ms. */
export function hourTime(ms: number): string {
  return clock(new Date(ms)).slice(0, 5)
}

/** `16:00`, or `20/11/2026 16:00` if it is a day or more from now; from two times in ms. */
export function untilTime(ms: number, now: number): string {
  return ms - now < 86_400_000 ? hourTime(ms) : dayTime(new Date(ms).toISOString())
}

/** Whether two times, in ISO or in ms, are of the same day in the browser's time zone. */
export function isSameDay(one: string | number, other: string | number): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString()
}

/** `2026-11-20T21:32`, the format of `datetime-local` inputs, from a time in ms. */
export function fieldTime(ms: number): string {
  const at = new Date(ms)
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${hourTime(ms)}`
}

/** `40 ms`, `0,8 s`, `42 s`, `3 min`, `1,5 h`, from seconds. */
export function formatDuration(secs: number): string {
  if (secs < 0.095) return `${Math.round(secs * 1000)} ms`
  if (secs < 9.95) return `${formatTenths(secs)} s`
  if (secs < 99.5) return `${Math.round(secs)} s`
  if (secs < 3_570) return `${Math.round(secs / 60)} min`
  return `${formatTenths(secs / 3600)} h`
}

/** `hace 4 s`, from two times in ms. A future time counts as now. */
export function ago(then: number, now: number): string {
  const secs = Math.max(0, Math.round((now - then) / 1000))
  if (secs < 60) return formats.ago.s(secs)
  if (secs < 3600) return formats.ago.min(Math.floor(secs / 60))
  if (secs < 86_400) return formats.ago.h(Math.floor(secs / 3600))
  return formats.daysAgo(Math.floor(secs / 86_400))
}

function clock(at: Date): string {
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
}

function two(figure: number): string {
  return figure < 10 ? `0${figure}` : String(figure)
}
