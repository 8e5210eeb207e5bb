import { dayName, hourTime } from '#console/ui/time.ts'

type Words = {
  today: (time: string) => string
  tomorrow: (time: string) => string
  day: (day: string, time: string) => string
}

/** A time with its day, if that is not today. */
export function dayAndTime(at_ms: number, now_ms: number, words: Words): string {
  const midnight = new Date(now_ms)
  midnight.setHours(24, 0, 0, 0)
  const time = hourTime(at_ms)
  if (at_ms < midnight.getTime()) return words.today(time)
  midnight.setDate(midnight.getDate() + 1)
  return at_ms < midnight.getTime() ? words.tomorrow(time) : words.day(dayName(at_ms), time)
}
