import type { PresenceStretch } from '@sdd/contract/insight/device-detail.ts'

/** The days that the server keeps, today included. */
export const HISTORY_DAYS = 30

/** A time in ms at which a device was away, and until when. */
export type Fall = { from: number; to: number }

export type Day = {
  /** Its midnight in the browser's zone, in ms. */
  start: number
  /** In ms. The rest of the day is unknown, or has not begun yet. */
  connected: number
  away: number
  /** In the order of time, each cut to the day. */
  falls: Fall[]
}

/** The presence of the last days, the oldest first. Today is the day of `now`, in ms. */
export function daysOf(presence: readonly PresenceStretch[], now: number): Day[] {
  if (presence.length === 0) return []
  const today = new Date(now)
  return Array.from({ length: HISTORY_DAYS }, (_, n) => {
    const midnight = (daysAgo: number) =>
      new Date(today.getFullYear(), today.getMonth(), today.getDate() - daysAgo).getTime()
    const daysAgo = HISTORY_DAYS - 1 - n
    return dayOf(presence, midnight(daysAgo), midnight(daysAgo - 1))
  })
}

function dayOf(presence: readonly PresenceStretch[], start: number, end: number): Day {
  const day: Day = { start, connected: 0, away: 0, falls: [] }
  for (const stretch of presence) {
    const from = Math.max(start, Date.parse(stretch.from))
    const to = Math.min(end, Date.parse(stretch.to))
    if (from >= to) continue
    if (stretch.state === 'connected') day.connected += to - from
    if (stretch.state !== 'disconnected') continue
    day.away += to - from
    day.falls.push({ from, to })
  }
  return day
}

/** The times at which the device went away after it was there. */
export function fallsOf(presence: readonly PresenceStretch[]): Fall[] {
  return presence
    .filter(({ state }, n) => state === 'disconnected' && presence[n - 1]?.state === 'connected')
    .map(({ from, to }) => ({ from: Date.parse(from), to: Date.parse(to) }))
}

/** The share of the known time in which it was connected; undefined if nothing is known. */
export function connectedShare(days: readonly Pick<Day, 'connected' | 'away'>[]): number | undefined {
  const connected = days.reduce((sum, day) => sum + day.connected, 0)
  const known = days.reduce((sum, day) => sum + day.connected + day.away, 0)
  return known === 0 ? undefined : connected / known
}

/** The share as it is shown: never all of it if the device was away for a moment, as the strip shows that in red. */
export function shownShare(share: number): number {
  return share < 1 ? Math.min(share, 0.999) : share
}
