import type { Dashboard, DashboardHour } from '@sdd/contract/insight/dashboard.ts'

const HOUR_MS = 3_600_000
/** Hours of the last day, the one under way included. */
const DAY = 24

/** The messages of one hour, by what became of them. */
export type Hour = {
  /** When it began, in ms. */
  from: number
  total: number
  /** Arrived: delivered or replied to. */
  delivered: number
  sent: number
  /** In the queue or with the device. */
  waiting: number
  /** Failed, uncertain or expired. */
  failed: number
  cancelled: number
}

export type Sum = Omit<Hour, 'from'>

export type Figures = {
  /** Local midnight, in ms. */
  midnight: number
  /** The last day, the hour under way last. */
  day: Hour[]
  /** The same hours of the day before. */
  dayBefore: Hour[]
  today: Sum
  /** Yesterday until this time of day; of the hour that it was in, its share. */
  yesterday: Sum
  /** Since when far more fails than usual; undefined where it does not, or no longer. */
  surge: Surge | undefined
  waiting: number
}

export type Surge = { since: number; share: number; usual: number }

/** What the screen shows, from what the server counted. Days are those of this browser's zone. */
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
    today: sumOf(day.filter((_, n) => isToday[n])),
    yesterday: sumOf(
      dayBefore.map((hour, n) => (n === DAY - 1 ? part(hour, elapsed) : hour)).filter((_, n) => isToday[n]),
    ),
    surge: surgeIn(all),
    waiting: waiting.reduce((sum, { count }) => sum + count, 0),
  }
}

/** The share that arrived, of what has ended; undefined where nothing has. */
export function deliveredShare({ delivered, sent, failed }: Sum): number | undefined {
  const ended = delivered + sent + failed
  return ended === 0 ? undefined : delivered / ended
}

/** Of what has ended in this hour, what failed. */
export function failedShare({ delivered, sent, failed }: Sum): number {
  return failed / Math.max(1, delivered + sent + failed)
}

/** Fewer failures than this in an hour are no surge. */
const LEAST_FAILED = 5
const LEAST_SHARE = 0.05

/** Whether this hour fails far more than is usual. */
export function surges(hour: Sum, usual: number): boolean {
  return hour.failed >= LEAST_FAILED && failedShare(hour) >= Math.max(LEAST_SHARE, 3 * usual)
}

/** The usual share of failures: the median of the hours in which anything was sent. */
export function usualShare(hours: readonly Hour[]): number {
  const shares = hours.filter(({ total }) => total > 0).map(failedShare)
  return shares.sort((a, b) => a - b)[Math.floor(shares.length / 2)] ?? 0
}

/** The run of hours that surge up to now; the hour under way may be too young to tell. */
function surgeIn(hours: readonly Hour[]): Surge | undefined {
  const usual = usualShare(hours)
  const young = hours.length - 1
  const end = hours[young] && surges(hours[young], usual) ? young : young - 1
  let first = end
  while (hours[first] && surges(hours[first]!, usual)) first--
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

function sumOf(hours: readonly Sum[]): Sum {
  const sum: Sum = { total: 0, delivered: 0, sent: 0, waiting: 0, failed: 0, cancelled: 0 }
  for (const hour of hours) for (const name of parts) sum[name] += hour[name]
  return sum
}

function part(hour: Hour, share: number): Hour {
  const scaled = Object.fromEntries(parts.map((name) => [name, Math.round(hour[name] * share)]))
  return { ...hour, ...scaled }
}
