import * as z from 'zod/mini'
import { Instant } from '@sdd/contract/core/fields.ts'

const none = z.object({})
const device = z.string()
const number = z.string()

/** The facts behind `error_msg`, by its `error_msg_code`. */
export const errorMsgParams = {
  /** A user or another system took it back; `by` is a name. */
  discarded: z.object({ by: z.string() }),
  unlinked_before: z.object({ device }),
  /** The device was unlinked before it said whether it sent the message. */
  unlinked_after: z.object({ device }),
  not_handed_over: z.object({ expires_at: Instant }),
  no_report: z.object({ device }),
  /** A person blocked the number; `by` is null if the name is not known. */
  blocked: z.object({ number, by: z.nullable(z.string()), at: Instant }),
  /** `text` is the beginning of the SMS that asked for it. */
  opted_out: z.object({ number, text: z.string(), device, at: Instant }),
  /** Marketing whose recipient took back the consent. */
  no_consent: z.object({ number }),
  unknown_outcome: none,
  /** On the device, before it was sent. */
  cancelled: none,
  /** On the device, before it was sent. */
  expired: none,
  no_network: none,
  modem_error: none,
  timeout: none,
  /** The `code` of the device, which says nothing more. */
  failed: z.object({ code: z.string() }),
  /** `reason` is in the words of the network or the device. */
  undelivered: z.object({ reason: z.string() }),
  /** `why` is the sentence of the failure, and `why_code` its code in this table. */
  partly_sent: z.object({ parts: z.int(), why: z.string(), why_code: z.string() }),
  /** The device's own words. */
  device_said: z.object({ text: z.string() }),
} as const

export type ErrorMsgCode = keyof typeof errorMsgParams
export const ErrorMsgCode = z.enum(Object.keys(errorMsgParams) as [ErrorMsgCode, ...ErrorMsgCode[]])

const Facts = z.record(z.string(), z.union([z.string(), z.number(), z.null()]))

/** The fields of a message or task that say why it failed. */
export const errorMsgFields = {
  error_msg: z.nullable(z.string()),
  /** The same for programs, both null without `error_msg`: see `errorMsgParams`. */
  error_msg_code: z.nullable(ErrorMsgCode),
  error_msg_params: z.nullable(Facts),
}

const attempt = z.int()

/** The facts of each line of `notes`, by its code. */
export const noteParams = {
  given: z.object({ attempt, device }),
  /** The `code` of the failure. */
  failed: z.object({ attempt, code: z.string(), device }),
  retry: z.object({ at: Instant }),
  /** A late report about an earlier attempt: the message ended in `state`. */
  late: z.object({ attempt, state: z.string(), device }),
  discarding: z.object({ attempt, by: z.string(), device }),
  blocked: z.object({ attempt, device }),
  /** The consent to marketing was withdrawn. */
  unconsented: z.object({ attempt, device }),
  /** It ended with this `error`. */
  ended: z.object({ error: z.string() }),
} as const

export type NoteCode = keyof typeof noteParams
export const NoteCode = z.enum(Object.keys(noteParams) as [NoteCode, ...NoteCode[]])

/** One line of `notes`. */
export const Note = z.object({ at: z.string(), code: NoteCode, params: Facts })
export type Note = z.infer<typeof Note>

/** One attempt of a message, as its `attempt_1`, `attempt_2`, … says it. */
export const AttemptDetail = z.object({
  attempt,
  device: z.string(),
  sim: z.nullable(z.string()),
  given_at: Instant,
  accepted_at: z.nullable(Instant),
  sent_at: z.nullable(Instant),
  delivered_at: z.nullable(Instant),
  state: z.enum(['given', 'accepted', 'sent', 'delivered', 'undelivered', 'failed']),
  /** As the device reported them. */
  code: z.nullable(z.string()),
  detail: z.nullable(z.string()),
})
export type AttemptDetail = z.infer<typeof AttemptDetail>
