import type {
  AttemptDetail,
  ErrorMsgCode,
  errorMsgParams,
  Note,
  NoteCode,
  noteParams,
} from '@sdd/contract/messages/outcomes.ts'
import type { MessageState } from '@sdd/contract/messages/messages.ts'
import type * as z from 'zod/mini'
import type { Mark, Tone } from '#console/ui/marks.tsx'

/** The fields of a message or task that say why it failed. A server may leave out the codes. */
export type FailureFields = {
  error?: string | null | undefined
  error_msg?: string | null | undefined
  error_msg_code?: ErrorMsgCode | null | undefined
  error_msg_params?: Readonly<Record<string, string | number | null>> | null | undefined
}

/** The fields of a message with its notes. */
export type NotesFields = {
  notes?: string | null | undefined
  notes_codes?: readonly Note[] | null | undefined
}

/** Makes the sentence of each code. */
export type FailureSentences = {
  readonly [Code in ErrorMsgCode]: (facts: z.infer<(typeof errorMsgParams)[Code]>) => string
}

/** Makes the line of each code, without its time. */
export type NoteSentences = {
  readonly [Code in NoteCode]: (facts: z.infer<(typeof noteParams)[Code]>) => string
}

/** The facts of an attempt, if the record has them. */
export function attemptFactsOf(record: Record<string, unknown>, attempt: string): AttemptDetail | undefined {
  const details = record['attempt_details'] as AttemptDetail[] | undefined
  return details?.find((one) => String(one.attempt) === attempt)
}

export const messageStateMarks: Record<MessageState, { tone: Tone; mark: Mark; color: string }> = {
  queued: { tone: 'info', mark: 'arc', color: 'text-info' },
  handed: { tone: 'info', mark: 'dot', color: 'text-info' },
  sent: { tone: 'ok', mark: 'check', color: 'text-ok' },
  delivered: { tone: 'ok', mark: 'double-check', color: 'text-ok' },
  replied: { tone: 'ok', mark: 'reply', color: 'text-ok' },
  failed: { tone: 'bad', mark: 'cross', color: 'text-bad' },
  uncertain: { tone: 'warn', mark: 'triangle', color: 'text-warn' },
  expired: { tone: 'off', mark: 'clock', color: 'text-off' },
  cancelled: { tone: 'off', mark: 'dash', color: 'text-off' },
}
