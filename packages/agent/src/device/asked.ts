import type { Answer, OrderCommand } from '@sdd/contract/fleet/device-protocol.ts'
import type { Ability } from '@sdd/contract/fleet/orders.ts'
import type { Clock } from '#agent/clock.ts'
import type { Say } from '#agent/say.ts'

/** What the server may ask of a device, besides sending messages. */
export const ABILITIES = ['doctor', 'logs'] as const satisfies readonly Ability[]

/** The lines of the log that are kept in memory for each device. */
const MOST_LINES = 1_000
const USUAL_LINES = 200

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

type AskNeeds = {
  clock: Pick<Clock, 'now'>
  last: RecentLines['last']
  /** The findings about the device, a line each. */
  examine: () => string[]
}

/** The answer to an order; undefined if the order has expired. */
export function answerOrder(
  { clock, last, examine }: AskNeeds,
  { order, what, with: details, expires_at }: OrderCommand,
): Answer | undefined {
  if (Date.parse(expires_at) <= clock.now()) return undefined
  if (what === 'doctor') return { order, ok: true, output: examine().join('\n') }
  if (what === 'logs') {
    const asked = details?.['lines']
    return { order, ok: true, output: last(typeof asked === 'number' ? asked : USUAL_LINES).join('\n') }
  }
  return { order, ok: false, code: 'not_able', detail: `This agent cannot do that: ${what}` }
}
