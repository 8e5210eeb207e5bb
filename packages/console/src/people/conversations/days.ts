import { formats } from '#console/core/formats.ts'
import { conversations as words } from './text.ts'
import { hourTime } from '#console/ui/time.ts'

/** The time of today, or the day. */
export function dayWord(iso: string, now = new Date()): string {
  const at = new Date(iso)
  const days = daysBetween(at, now)
  if (days <= 0) return hourTime(at.getTime())
  if (days === 1) return words.yesterday
  return at.getFullYear() === now.getFullYear() ? formats.day(at) : formats.dayOfYear(at)
}

/** The heading above the messages of a day. */
export function dayHeading(iso: string, now = new Date()): string {
  const at = new Date(iso)
  if (daysBetween(at, now) === 0) return words.today(at)
  return at.getFullYear() === now.getFullYear() ? words.day(at) : formats.dayOfYear(at)
}

function daysBetween(at: Date, now: Date): number {
  const midnight = (of: Date) => Date.UTC(of.getFullYear(), of.getMonth(), of.getDate())
  return (midnight(now) - midnight(at)) / 86_400_000
}
