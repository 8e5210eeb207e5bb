import { type Report, UNKNOWN_OUTCOME } from '@sdd/contract/fleet/device-protocol.ts'
import type { MessageState } from '@sdd/contract/messages/messages.ts'
import type { LogEntry } from '@sdd/contract/insight/log.ts'
import type { Attempt } from './device-books.ts'
import { rankOf } from './forward.ts'

/**
 * The state that a message must end in, from its devices' records: the furthest of all reported states. A failure
 * before a retry does not count. `undefined` if no device ever had the message.
 */
export function expectedState(tried: readonly Attempt[]): MessageState | undefined {
  const last = Math.max(0, ...tried.map(({ attempt }) => attempt))
  const reached = tried.flatMap(({ attempt, reports }) =>
    reports.map(({ what }) => reachedBy(what)).filter(({ passing }) => !passing || attempt === last),
  )
  return reached.sort((a, b) => rankOf(b) - rankOf(a))[0]?.state
}

type Reached = Pick<LogEntry, 'state' | 'answer_2_timestamp'> & { passing: boolean }

function reachedBy({ state, code, at }: Report): Reached {
  switch (state) {
    case 'accepted':
      return { state: 'handed', answer_2_timestamp: null, passing: true }
    case 'sent':
    case 'delivered':
      return { state, answer_2_timestamp: null, passing: false }
    case 'undelivered':
      return { state: 'failed', answer_2_timestamp: at, passing: false }
    case 'failed':
      if (code === UNKNOWN_OUTCOME) return { state: 'uncertain', answer_2_timestamp: null, passing: false }
      if (code === 'cancelled' || code === 'expired')
        return { state: code, answer_2_timestamp: null, passing: false }
      return { state: 'failed', answer_2_timestamp: null, passing: true }
  }
}

/** How often a message in this state may have been on air. */
export function mayBeOnAir({
  state,
  answer_2_timestamp,
}: Pick<LogEntry, 'state' | 'answer_2_timestamp'>): number[] {
  if (state === 'uncertain') return [0, 1]
  const went = state === 'sent' || state === 'delivered' || state === 'replied'
  return went || answer_2_timestamp !== null ? [1] : [0]
}
