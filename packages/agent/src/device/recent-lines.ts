import type { Clock } from '#agent/clock.ts'
import type { Say } from '#agent/say.ts'

/** The lines of the log that are kept in memory for each device. */
const MOST_LINES = 1_000

export type RecentLines = { say: Say; last: (count: number) => string[] }

/** Says each sentence, and keeps the last ones with their times. */
export function openRecentLines(clock: Pick<Clock, 'now'>, say: Say): RecentLines {
  const lines: string[] = []
  return {
    say(sentence) {
      lines.push(`${new Date(clock.now()).toISOString()} ${sentence}`)
      if (lines.length > MOST_LINES) lines.shift()
      say(sentence)
    },
    last: (count) => lines.slice(-count),
  }
}
