import * as z from 'zod/mini'
import { AnyInstant, CompanyQuery, countParam, Cursor, Guid, Instant, PhoneNumber } from './fields.ts'
import { CsvFile, route } from './route.ts'

/** Where a message stands. Each but `queued` and `handed` may be its last. */
export const messageStates = [
  'queued',
  'handed',
  'sent',
  'delivered',
  'replied',
  'failed',
  'uncertain',
  'expired',
  'cancelled',
] as const

export const MessageState = z.enum(messageStates)
export type MessageState = z.infer<typeof MessageState>

/** What the console reads as success (the spec's own text). */
export const SENT_VIA_MQTT = 'SMS enviado vía MQTT'

/** The most segments one message may have. */
export const MAX_SEGMENTS = 10

/**
 * A text as an SMS can carry it. A NUL or half a surrogate pair would arrive as another text, so both are refused;
 * how many segments it takes is the `sms` package's to say.
 */
export const SmsText = z.string().check(
  z.minLength(1, 'is required'),
  z.maxLength(2_000, 'is longer than 10 SMS'),
  z.refine((text) => text.isWellFormed() && !text.includes('\0'), 'holds a character that no SMS can carry'),
)

export const NewSms = z.object({
  device_uid: z.string().check(z.minLength(1, 'is required'), z.maxLength(64)),
  telefono_to: PhoneNumber,
  mensaje_sms: SmsText,
})
export type NewSms = z.infer<typeof NewSms>

export const SmsAccepted = z.object({ status: z.string(), guid: Guid })
export type SmsAccepted = z.infer<typeof SmsAccepted>

/** One message's transaction log; the spec's names, odd spellings included. */
export const LogEntry = z.object({
  id: z.int(),
  company_id: z.int(),
  guid: z.string(),
  device_id: z.nullable(z.int()),
  device_guid: z.nullable(z.string()),
  message: z.string(),
  message_to: z.string(),
  queue_timestamp: Instant,
  handed_timestamp: z.nullable(Instant),
  answer_sent_timestamp: z.nullable(Instant),
  anwer_sent: z.nullable(z.string()),
  answer_2_timestamp: z.nullable(Instant),
  answer_2: z.nullable(z.string()),
  notes: z.nullable(z.string()),
  answer_3: z.nullable(z.string()),
  answer_3_timestamp: z.nullable(Instant),
  error: z.nullable(z.string()),
  error_msg: z.nullable(z.string()),
  error_timestamp: z.nullable(Instant),
  error_block: z.boolean(),
  state: MessageState,
  /** For a message that waits: why, since when, and until when where that is known. */
  waiting_for: z.nullable(z.string()),
})
export type LogEntry = z.infer<typeof LogEntry>

export const LogFilter = z.object({
  limit: z._default(countParam(1, 1_000), 500),
  cursor: z.optional(Cursor),
  device_uid: z.optional(z.string().check(z.maxLength(64))),
  /** A guid's beginning, a number, or a part of the text. */
  search: z.optional(z.string().check(z.maxLength(200))),
  state: z.optional(MessageState),
  errors: z.optional(z.enum(['true', 'false'])),
  from: z.optional(AnyInstant),
  to: z.optional(AnyInstant),
})
export type LogFilter = z.infer<typeof LogFilter>

/** What of the log is exported: all that match, not a page of them. */
export const LogSelection = z.omit(LogFilter, { limit: true, cursor: true })
export type LogSelection = z.infer<typeof LogSelection>

export const LogPage = z.object({ logs: z.array(LogEntry), next_cursor: z.nullable(Cursor) })
export type LogPage = z.infer<typeof LogPage>

/** Every field of a message and of its attempts, flat and in reading order. */
export const MessageRecord = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
export type MessageRecord = z.infer<typeof MessageRecord>

export const sendSms = route('POST /api/device-send-sms', {
  summary: 'Sends an SMS through one connected device. Answered once the message is durably stored.',
  may: 'messages:send',
  body: NewSms,
  reply: SmsAccepted,
  errors: [
    'unknown_device',
    'device_disconnected',
    'device_disabled',
    'sending_disabled',
    'opted_out',
    'destination_refused',
    'daily_limit',
    'recipient_limit',
    'disk_full',
  ],
  errorsCarryStatus: true,
})

export const listLogs = route('GET /api/logs/devices', {
  summary: 'The transaction log, newest first, in pages.',
  query: LogFilter,
  reply: LogPage,
})

export const exportLogs = route('GET /api/logs/devices.csv', {
  summary: 'The transaction log as a CSV file (UTF-8, RFC 4180), newest first, all that match.',
  query: LogSelection,
  reply: CsvFile,
})

export const readMessage = route('GET /api/logs/queue/guid/:guid', {
  summary:
    'Everything known of one message, each attempt included. A superadmin names the company where several have the guid.',
  params: z.object({ guid: z.string() }),
  query: CompanyQuery,
  reply: MessageRecord,
  errors: ['unknown_message', 'ambiguous_guid'],
})
