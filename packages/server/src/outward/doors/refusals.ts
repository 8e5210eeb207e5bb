import { Refusal } from '#server/core/refusal.ts'

/** Why a door refuses what a program asks. */
export type DoorRefusal = keyof typeof doorRefusals

/** The answer to each refusal: an HTTP status and text, Twilio's code, an SMTP reply, a `command_status` of SMPP. */
type Answers = {
  readonly kannel: readonly [status: number, text: string]
  readonly twilio: readonly [status: number, code: number, message: string]
  readonly mail: readonly [code: number, text: string]
  readonly smpp: number
}

const KANNEL_BUSY = [503, 'Temporal failure, try again later.'] as const
const KANNEL_DENIED = [403, 'Number(s) has/have been denied by white- and/or black-lists.'] as const
const KANNEL_KEY = [403, 'Authorization failed for sendsms'] as const

/** Refusals in the words of each protocol. */
export const doorRefusals = {
  key: {
    kannel: KANNEL_KEY,
    twilio: [401, 20003, 'Authenticate'],
    mail: [535, '5.7.8 The password must be an API key that may hand in tasks'],
    smpp: 0x0e,
  },
  no_recipient: {
    kannel: [400, 'Missing receiver number, rejected'],
    twilio: [400, 21604, "A 'To' phone number is required."],
    mail: [553, '5.1.3 There is no recipient'],
    smpp: 0x0b,
  },
  bad_number: {
    kannel: [400, 'Receiver number misformed, rejected'],
    twilio: [400, 21211, "The 'To' number is not a valid phone number."],
    mail: [553, '5.1.3 The local part of the address must be a phone number'],
    smpp: 0x0b,
  },
  no_text: {
    kannel: [400, 'Missing message body, rejected'],
    twilio: [400, 21602, 'Message body is required.'],
    mail: [554, '5.6.0 There is no text to send'],
    smpp: 0x01,
  },
  too_long: {
    kannel: [400, 'Message body too long, rejected'],
    twilio: [400, 21617, 'The concatenated message body exceeds the limit of 10 segments.'],
    mail: [552, '5.2.3 The text is longer than 10 SMS'],
    smpp: 0x01,
  },
  bad_text: {
    kannel: [400, 'Charset or body misformed, rejected'],
    twilio: [400, 21602, 'The message body holds a character that no SMS can carry.'],
    mail: [554, '5.6.1 The text cannot be read'],
    smpp: 0x45,
  },
  bad_times: {
    kannel: [400, 'Validity field misformed, rejected'],
    twilio: [400, 35114, 'SendAt and ValidityPeriod must be within a year, and in that order.'],
    mail: [554, '5.6.0 The times cannot be used'],
    smpp: 0x62,
  },
  bad_address: {
    kannel: [400, 'DLR-URL field misformed, rejected'],
    twilio: [400, 21609, "The 'StatusCallback' URL is not a valid or allowed URL."],
    mail: [554, '5.6.0 The address cannot be used'],
    smpp: 0x08,
  },
  opted_out: {
    kannel: KANNEL_DENIED,
    twilio: [400, 21610, 'The recipient has opted out of messages.'],
    mail: [550, '5.7.1 The recipient has opted out of messages'],
    smpp: 0x0b,
  },
  denied: {
    kannel: KANNEL_DENIED,
    twilio: [400, 21408, 'Sending to this number is not permitted.'],
    mail: [550, '5.7.1 Sending to this number is not permitted'],
    smpp: 0x0b,
  },
  class_denied: {
    kannel: KANNEL_KEY,
    twilio: [403, 20003, 'The API key may not send messages of this class.'],
    mail: [550, '5.7.1 The API key may not send messages of this class'],
    smpp: 0x08,
  },
  recipient_limit: {
    kannel: KANNEL_BUSY,
    twilio: [429, 20429, 'This number has reached its limit for today.'],
    mail: [452, '4.7.1 This number has reached its limit for today'],
    smpp: 0x14,
  },
  too_fast: {
    kannel: KANNEL_BUSY,
    twilio: [429, 20429, 'Too Many Requests'],
    mail: [451, '4.7.1 Too many messages at once, try again later'],
    smpp: 0x58,
  },
  locked_out: {
    kannel: KANNEL_BUSY,
    twilio: [429, 20429, 'Too Many Requests'],
    mail: [421, '4.7.1 Too many failed attempts, try again later'],
    smpp: 0x0d,
  },
  unavailable: {
    kannel: KANNEL_BUSY,
    twilio: [503, 20503, 'Service Unavailable'],
    mail: [451, '4.3.0 The server cannot take it now, try again later'],
    smpp: 0x08,
  },
} as const satisfies Record<string, Answers>

/** A refusal of a door. */
export class DoorFault extends Error {
  override readonly name = 'DoorFault'
  readonly why: DoorRefusal

  constructor(why: DoorRefusal) {
    super(why)
    this.why = why
  }
}

/** The refusal of a door for each error code of the tasks API. */
const BY_CODE: Readonly<Record<string, DoorRefusal>> = {
  unauthorized: 'key',
  forbidden: 'key',
  class_forbidden: 'class_denied',
  too_large: 'too_long',
  malformed: 'bad_text',
  unsupported_media_type: 'bad_text',
  opted_out: 'opted_out',
  destination_refused: 'denied',
  no_consent: 'denied',
  no_route: 'denied',
  recipient_limit: 'recipient_limit',
  too_many_attempts: 'locked_out',
}

const BY_FIELD: Readonly<Record<string, DoorRefusal>> = {
  to_number: 'bad_number',
  from_number: 'bad_number',
  text: 'too_long',
  callback_url: 'bad_address',
  not_before: 'bad_times',
  expires_at: 'bad_times',
}

/** What a door answers to an error of the tasks API. `unavailable` for anything that may succeed later. */
export function doorRefusalOf(error: unknown): DoorRefusal {
  if (error instanceof DoorFault) return error.why
  if (!(error instanceof Refusal)) return 'unavailable'
  const [field] = Object.keys(error.fields ?? {})
  if (error.code === 'invalid' && field !== undefined) return BY_FIELD[field] ?? 'unavailable'
  return BY_CODE[error.code] ?? 'unavailable'
}

/** An error that is neither a refusal nor expected. It belongs into the log. */
export function isUnexpected(error: unknown): boolean {
  return !(error instanceof DoorFault) && !(error instanceof Refusal)
}
