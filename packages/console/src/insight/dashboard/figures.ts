import type { Dashboard, DashboardHour } from '@sdd/contract/insight/dashboard.ts'

const HOUR_MS = 3_600_000
/** Hours of the last day, including the current one. */
const DAY = 24

/** The messages of one hour, or of one day, by their state. */
export type Hour = {
  /** When it began, in ms. */
  from: number
  total: number
  /** Delivered or replied to. */
  delivered: number
  sent: number
  /** In the queue or with the device. */
  waiting: number
  /** Failed, uncertain or expired. */
  failed: number
  cancelled: number
}

export type MessageCounts = Omit<Hour, 'from'>

export type Figures = {
  /** Local midnight, in ms. */
  midnight: number
  /** The hours of the last day; the last is the current one. */
  day: Hour[]
  /** The same hours of the day before. */
  dayBefore: Hour[]
  /** The last seven days by the browser's midnight, today included; empty unless so many hours were loaded. */
  week: Hour[]
  today: MessageCounts
  /** Yesterday until the same time of day, with a share of the hour that was then current. */
  yesterday: MessageCounts
  /** When the current surge of failures began; undefined without one. */
  surge: Surge | undefined
  waiting: number
}

export type Surge = { since: number; share: number; usual: number }

/** The figures that the screen shows, computed from the server's counts. Days are in the browser's time zone. */
export function figuresOf({ at, hours, waiting }: Dashboard): Figures {
  const all = hours.map(hourOf)
  const [dayBefore, day] = [all.slice(-2 * DAY, -DAY), all.slice(-DAY)]
  const now = Date.parse(at)
  const midnight = new Date(now).setHours(0, 0, 0, 0)
  const isToday = day.map(({ from }) => from >= midnight)
  const elapsed = Math.min(1, Math.max(0, (now - (day.at(-1)?.from ?? now)) / HOUR_MS))
  return {
    midnight,
    day,
    dayBefore,
    week: hours.length > 2 * DAY ? weekOf(all, midnight) : [],
    today: sumOf(day.filter((_, n) => isToday[n])),
    yesterday: sumOf(
      dayBefore.map((hour, n) => (n === DAY - 1 ? part(hour, elapsed) : hour)).filter((_, n) => isToday[n]),
    ),
    surge: surgeIn(all.slice(-2 * DAY)),
    waiting: waiting.reduce((sum, { count }) => sum + count, 0),
  }
}

/** The delivered share of all ended messages; undefined if none has ended. */
export function deliveredShare({ delivered, sent, failed }: MessageCounts): number | undefined {
  const ended = delivered + sent + failed
  return ended === 0 ? undefined : delivered / ended
}

/** The failed share of the messages that ended in this hour. */
function failedShare({ delivered, sent, failed }: MessageCounts): number {
  return failed / Math.max(1, delivered + sent + failed)
}

/** Fewer failures than this in an hour are no surge. */
const LEAST_FAILED = 5
const LEAST_SHARE = 0.05

/** Whether far more than usual failed in this hour. */
export function isSurge(hour: MessageCounts, usual: number): boolean {
  return hour.failed >= LEAST_FAILED && failedShare(hour) >= Math.max(LEAST_SHARE, 3 * usual)
}

/** The usual share of failures: the median over the hours with messages. */
export function usualShare(hours: readonly Hour[]): number {
  const shares = hours.filter(({ total }) => total > 0).map(failedShare)
  return shares.sort((a, b) => a - b)[Math.floor(shares.length / 2)] ?? 0
}

/** The consecutive hours of surge up to now. The current hour may have too few messages to tell, so it is optional. */
function surgeIn(hours: readonly Hour[]): Surge | undefined {
  const usual = usualShare(hours)
  const young = hours.length - 1
  const end = hours[young] && isSurge(hours[young], usual) ? young : young - 1
  let first = end
  while (hours[first] && isSurge(hours[first]!, usual)) first--
  const run = hours.slice(first + 1, end + 1)
  if (run[0] === undefined) return undefined
  return { since: run[0].from, share: failedShare(sumOf(run)), usual }
}

function hourOf({ hour, states }: DashboardHour): Hour {
  const delivered = states.delivered + states.replied
  const waiting = states.queued + states.handed
  const failed = states.failed + states.uncertain + states.expired
  const { sent, cancelled } = states
  const total = delivered + sent + waiting + failed + cancelled
  return { from: Date.parse(hour), total, delivered, sent, waiting, failed, cancelled }
}

const parts = ['total', 'delivered', 'sent', 'waiting', 'failed', 'cancelled'] as const

function sumOf(hours: readonly MessageCounts[]): MessageCounts {
  const sum: MessageCounts = { total: 0, delivered: 0, sent: 0, waiting: 0, failed: 0, cancelled: 0 }
  for (const hour of hours) for (const name of parts) sum[name] += hour[name]
  return sum
}

/** An hour belongs to the day in which it begins. */
function weekOf(hours: readonly Hour[], today: number): Hour[] {
  const midnight = (daysAgo: number) => {
    const at = new Date(today)
    return new Date(at.getFullYear(), at.getMonth(), at.getDate() - daysAgo).getTime()
  }
  return Array.from({ length: 7 }, (_, n) => {
    const [from, to] = [midnight(6 - n), midnight(5 - n)]
    return { from, ...sumOf(hours.filter((hour) => hour.from >= from && hour.from < to)) }
  })
}

function part(hour: Hour, share: number): Hour {
  const scaled = Object.fromEntries(parts.map((name) => [name, Math.round(hour[name] * share)]))
  return { ...hour, ...scaled }
}
