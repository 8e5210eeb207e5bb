import { PARTLY_SENT, type Report, UNKNOWN_OUTCOME } from '@sdd/contract/fleet/device-protocol.ts'
import type { MessageState } from '@sdd/contract/messages/messages.ts'
import type { Change } from '#server/database/schema.ts'
import { failures, notes } from '#server/messages/outcomes/outcomes.ts'
import type { Attempt, Message } from './rows.ts'

/**
 * The rank of each state. Reports repeat and arrive out of order, so a message shows the highest state seen and never
 * goes back. The network's delivery outranks the device's send result.
 */
const RANK: Record<MessageState, number> = {
  queued: 0,
  handed: 1,
  expired: 2,
  cancelled: 2,
  uncertain: 3,
  failed: 4,
  sent: 5,
  delivered: 7,
  replied: 8,
}
const UNDELIVERED_RANK = 6

export type MessageFacts = Pick<
  Message,
  | 'state'
  | 'attempt'
  | 'handed_timestamp'
  | 'answer_sent_timestamp'
  | 'answer_2_timestamp'
  | 'error'
  | 'completed_at'
  | 'notes'
  | 'step'
  | 'parts'
>
export type AttemptFacts = Pick<
  Attempt,
  'attempt' | 'device_uid' | 'state' | 'parts' | 'accepted_at' | 'sent_at' | 'delivered_at' | 'finished_at'
>

export type Settled = {
  message: Change<Message>
  attempt: Change<Attempt>
  /** The attempt has just ended, so it leaves the device's window. */
  finished: boolean
  /** SMS parts that were certainly not transmitted. Negative if parts were that an earlier report had given back. */
  give_back: number
}

/** The rank of the message. `undelivered` shows as `failed`, but ranks higher than a failure to send. */
export function rankOf(message: Pick<Message, 'state' | 'answer_2_timestamp'>): number {
  return message.state === 'failed' && message.answer_2_timestamp !== null
    ? UNDELIVERED_RANK
    : RANK[message.state]
}

/** Whether a message in this state may still become `state`. */
export function mayBecome(
  message: Pick<Message, 'state' | 'answer_2_timestamp'>,
  state: MessageState,
): boolean {
  return RANK[state] > rankOf(message)
}

/** The changes caused by a report. `at` is the device's time, no later than `now`. Repeated reports change nothing. */
export function settleReport(
  message: MessageFacts,
  attempt: AttemptFacts,
  report: Report,
  at: string,
  now: string,
): Settled {
  switch (report.state) {
    case 'accepted':
      return accepted(message, attempt, at)
    case 'sent':
      return finish(attempt, now, sent(message, attempt, report, at, now))
    case 'delivered':
      return finish(attempt, now, delivered(message, attempt, report, at, now))
    case 'undelivered':
      return finish(attempt, now, undelivered(message, attempt, report, at, now))
    case 'failed':
      return finish(attempt, now, failed(message, attempt, report, at, now))
  }
}

const NOTHING: Settled = { message: {}, attempt: {}, finished: false, give_back: 0 }
const NO_ERROR = { error: null, error_msg: null, error_timestamp: null, error_block: 0 } as const

function accepted(message: MessageFacts, attempt: AttemptFacts, at: string): Settled {
  if (attempt.accepted_at !== null) return NOTHING
  // If the message has been waiting for another attempt since, the report says nothing about the message.
  const current = message.step !== 'waiting' && attempt.attempt === message.attempt
  return {
    ...NOTHING,
    attempt: { accepted_at: at, ...(attempt.state === 'given' && { state: 'accepted' }) },
    message: {
      ...(current && message.handed_timestamp === null && { handed_timestamp: at }),
      ...(current && mayBecome(message, 'handed') && { state: 'handed' }),
    },
  }
}

function sent(
  message: MessageFacts,
  attempt: AttemptFacts,
  report: Report,
  at: string,
  now: string,
): Settled {
  if (attempt.sent_at !== null) return NOTHING
  const settled = attempt.state === 'delivered' || attempt.state === 'undelivered'
  return {
    give_back: transmitted(attempt, message.parts),
    finished: false,
    attempt: { sent_at: at, ...(!settled && { state: 'sent', ...said(report) }) },
    message: {
      ...(message.answer_sent_timestamp === null && {
        answer_sent_timestamp: at,
        anwer_sent: report.detail ?? 'sent',
      }),
      ...(mayBecome(message, 'sent') && { state: 'sent', ...NO_ERROR }),
      ...completed(message, now),
    },
  }
}

function delivered(
  message: MessageFacts,
  attempt: AttemptFacts,
  report: Report,
  at: string,
  now: string,
): Settled {
  if (attempt.delivered_at !== null) return NOTHING
  // An earlier report may have said that it was not delivered, or that another attempt was.
  const news = message.answer_2_timestamp === null || message.error !== null
  return {
    give_back: transmitted(attempt, message.parts),
    finished: false,
    attempt: { delivered_at: at, state: 'delivered', ...said(report) },
    message: {
      ...(news && { answer_2_timestamp: at, answer_2: report.detail ?? 'delivered' }),
      ...(mayBecome(message, 'delivered') && { state: 'delivered' }),
      ...NO_ERROR,
      ...completed(message, now),
    },
  }
}

function undelivered(
  message: MessageFacts,
  attempt: AttemptFacts,
  report: Report,
  at: string,
  now: string,
): Settled {
  if (attempt.delivered_at !== null || attempt.state === 'undelivered') return NOTHING
  const reason = report.detail ?? report.code ?? 'undelivered'
  return {
    give_back: transmitted(attempt, message.parts),
    finished: false,
    attempt: { state: 'undelivered', ...said(report) },
    message: {
      ...(message.answer_2_timestamp === null && { answer_2_timestamp: at, answer_2: reason }),
      ...(rankOf(message) < UNDELIVERED_RANK && {
        state: 'failed',
        ...failure(report, 'undelivered', failures.undelivered.write({ reason }), at),
      }),
      ...completed(message, now),
    },
  }
}

function failed(
  message: MessageFacts,
  attempt: AttemptFacts,
  report: Report,
  at: string,
  now: string,
): Settled {
  if (attempt.state === 'failed' && message.step !== 'finished' && wentOnAir(report))
    return partlySentAfterAll(message, attempt, report, at, now)
  // The first outcome of an attempt counts. After that only the network's reports can change it.
  if (attempt.state !== 'given' && attempt.state !== 'accepted') return NOTHING
  const code = report.code ?? 'failed'
  const state = stateOfFailure(report)
  const current = report.attempt === message.attempt
  // A certain failure to transmit settles an uncertain message, whatever its rank.
  const settles = mayBecome(message, state) || (message.state === 'uncertain' && state !== 'uncertain')
  return {
    ...NOTHING,
    give_back: code === UNKNOWN_OUTCOME ? 0 : Math.max(0, attempt.parts - (report.parts ?? 0)),
    attempt: { state: 'failed', ...said(report) },
    message: current
      ? {
          notes: note(message.notes, failureNote(attempt, code), at),
          ...(settles && { state, ...failureToSend(report, at) }),
          ...completed(message, now),
        }
      : {},
  }
}

/**
 * A late report that parts were transmitted. The device had reported the opposite, so the message waits for another
 * attempt or is on another device. This ends the message.
 */
function partlySentAfterAll(
  { parts }: MessageFacts,
  attempt: AttemptFacts,
  report: Report,
  at: string,
  now: string,
): Settled {
  return {
    give_back: transmitted(attempt, Math.min(parts, report.parts ?? 0)),
    finished: false,
    attempt: { state: 'failed', ...said(report) },
    message: {
      state: stateOfFailure(report),
      ...failureToSend(report, at),
      step: 'finished',
      completed_at: now,
    },
  }
}

/** The `give_back` of so many transmitted parts. An earlier report may have said that they were not. */
function transmitted(attempt: AttemptFacts, parts: number): number {
  return Math.min(0, attempt.parts - parts)
}

/** Whether the device says that parts of a failed message were transmitted. Sending it again would repeat them. */
export function wentOnAir(report: Pick<Report, 'parts'>): boolean {
  return (report.parts ?? 0) > 0
}

/** The message's state after a failure. */
function stateOfFailure(report: Report): MessageState {
  const { code } = report
  if (code === UNKNOWN_OUTCOME) return 'uncertain'
  return !wentOnAir(report) && (code === 'cancelled' || code === 'expired') ? code : 'failed'
}

function failureToSend(report: Report, at: string) {
  const code = report.code ?? 'failed'
  const why = report.detail ?? usual(code) ?? failures.failed.write({ code })
  if (!wentOnAir(report)) return failure(report, code, why, at)
  const parts = report.parts ?? 0
  const afterAir =
    parts === 1 ? failures.one_part_sent.write({ why }) : failures.parts_sent.write({ parts, why })
  const explanation = report.code === PARTLY_SENT && report.detail ? report.detail : afterAir
  return { ...failure(report, code, explanation, at), error: PARTLY_SENT }
}

function failureNote({ attempt, device_uid: device }: AttemptFacts, code: string): string {
  return notes.failed.write({ attempt, code, device })
}

/** The sentence of a code that needs no more words. */
function usual(code: string): string | undefined {
  switch (code) {
    case UNKNOWN_OUTCOME:
    case 'cancelled':
    case 'expired':
    case 'no_network':
    case 'modem_error':
    case 'timeout':
      return failures[code].write({})
    default:
      return undefined
  }
}

function failure(report: Report, code: string, why: string, at: string) {
  return {
    error: report.code ?? code,
    error_msg: why,
    error_timestamp: at,
    error_block: report.block ? 1 : 0,
  } as const
}

function said(report: Report): Change<Attempt> {
  return {
    code: report.code ?? null,
    detail: report.detail ?? null,
    ...(report.sim !== undefined && report.sim !== null && { sim: String(report.sim) }),
  }
}

function completed(message: MessageFacts, now: string) {
  return { step: 'finished', ...(message.completed_at === null && { completed_at: now }) } as const
}

function finish(attempt: AttemptFacts, now: string, settled: Settled): Settled {
  if (settled === NOTHING || attempt.finished_at !== null) return settled
  return { ...settled, finished: true, attempt: { ...settled.attempt, finished_at: now, cancel_at: null } }
}

/** Appends a line to the dispatcher's notes. */
export function note(notes: string | null, what: string, at: string): string {
  const line = `${at} ${what}`
  return notes === null ? line : `${notes}\n${line}`
}
