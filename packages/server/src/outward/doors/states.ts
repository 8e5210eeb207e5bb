import type { MessageRow } from '#server/messages/messages/store.ts'

/** The states of a message that programs behind a door tell apart. */
export type DoorState =
  | 'queued'
  | 'handed'
  | 'sent'
  | 'delivered'
  | 'undelivered'
  | 'failed'
  | 'expired'
  | 'cancelled'
  | 'uncertain'

/**
 * A state in the words of each protocol. `kannel`: the value of `%d`, 0 if nothing is told. `twilio`: the status.
 * `smpp`: `stat` and `message_state`, and whether it is an outcome, which a receipt tells.
 */
type Told = {
  readonly kannel: 0 | 1 | 2 | 4 | 8 | 16
  readonly twilio: string
  readonly smpp: { readonly stat: string; readonly message_state: number; readonly outcome: boolean }
}

const EN_ROUTE = { stat: 'ENROUTE', message_state: 1, outcome: false }
const UNDELIVERABLE = { stat: 'UNDELIV', message_state: 5, outcome: true }

export const doorStates: Record<DoorState, Told> = {
  queued: { kannel: 0, twilio: 'queued', smpp: EN_ROUTE },
  handed: { kannel: 4, twilio: 'sending', smpp: EN_ROUTE },
  sent: { kannel: 8, twilio: 'sent', smpp: EN_ROUTE },
  delivered: {
    kannel: 1,
    twilio: 'delivered',
    smpp: { stat: 'DELIVRD', message_state: 2, outcome: true },
  },
  // The network took it, and did not deliver it.
  undelivered: { kannel: 2, twilio: 'undelivered', smpp: UNDELIVERABLE },
  failed: { kannel: 16, twilio: 'failed', smpp: UNDELIVERABLE },
  expired: { kannel: 16, twilio: 'failed', smpp: { stat: 'EXPIRED', message_state: 3, outcome: true } },
  cancelled: { kannel: 16, twilio: 'canceled', smpp: { stat: 'DELETED', message_state: 4, outcome: true } },
  // A program that hears of a failure sends again. It may have gone out, so nothing says that.
  uncertain: { kannel: 0, twilio: 'sent', smpp: { stat: 'UNKNOWN', message_state: 7, outcome: true } },
}

type Facts = Pick<MessageRow, 'state' | 'answer_sent_timestamp' | 'answer_2_timestamp'>

export function doorStateOf({ state, answer_sent_timestamp, answer_2_timestamp }: Facts): DoorState {
  if (state === 'replied') return 'delivered'
  if (state !== 'failed') return state
  return answer_sent_timestamp !== null || answer_2_timestamp !== null ? 'undelivered' : 'failed'
}

type Times = Pick<MessageRow, 'answer_2_timestamp' | 'answer_3_timestamp' | 'completed_at'>

/**
 * When a message reached its outcome: `completed_at` is the time of sending if it was delivered, or answered without a
 * report, later.
 */
export function outcomeAt({ answer_2_timestamp, answer_3_timestamp, completed_at }: Times): string | null {
  return answer_2_timestamp ?? answer_3_timestamp ?? completed_at
}
