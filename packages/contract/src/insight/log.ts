import * as z from 'zod/mini'
import {
  AnyInstant,
  CompanyQuery,
  countParam,
  Cursor,
  Instant,
  listParam,
  MessageClass,
} from '@sdd/contract/core/fields.ts'
import { AttemptDetail, errorMsgFields, Note } from '@sdd/contract/messages/outcomes.ts'
import { messageStates, MessageState } from '@sdd/contract/messages/messages.ts'
import { waitingFields } from '@sdd/contract/dispatch/waiting.ts'
import { CsvFile, route } from '@sdd/contract/core/route.ts'
import { Task } from '@sdd/contract/tasks/tasks.ts'

/** One message's transaction log. The names are the spec's, including odd spellings. */
export const LogEntry = z.object({
  id: z.int(),
  company_id: z.int(),
  guid: z.string(),
  device_id: z.nullable(z.int()),
  device_guid: z.nullable(z.string()),
  message: z.string(),
  message_to: z.string(),
  class: MessageClass,
  queue_timestamp: Instant,
  handed_timestamp: z.nullable(Instant),
  answer_sent_timestamp: z.nullable(Instant),
  anwer_sent: z.nullable(z.string()),
  answer_2_timestamp: z.nullable(Instant),
  answer_2: z.nullable(z.string()),
  notes: z.nullable(z.string()),
  /** Each line of `notes` for programs: see `noteParams`. */
  notes_codes: z.nullable(z.array(Note)),
  answer_3: z.nullable(z.string()),
  answer_3_timestamp: z.nullable(Instant),
  error: z.nullable(z.string()),
  ...errorMsgFields,
  error_timestamp: z.nullable(Instant),
  error_block: z.boolean(),
  state: MessageState,
  ...waitingFields,
})
export type LogEntry = z.infer<typeof LogEntry>

export const LogFilter = z.object({
  limit: z._default(countParam(1, 1_000), 500),
  cursor: z.optional(Cursor),
  device_uid: z.optional(z.string().check(z.maxLength(64))),
  /** The beginning of a guid, a number, or part of the text. Case and accents of the text do not matter. */
  search: z.optional(z.string().check(z.maxLength(200))),
  state: z.optional(listParam(messageStates)),
  /** The failure code, such as `no_network`. */
  error: z.optional(z.string().check(z.maxLength(64))),
  errors: z.optional(z.enum(['true', 'false'])),
  from: z.optional(AnyInstant),
  to: z.optional(AnyInstant),
})
export type LogFilter = z.infer<typeof LogFilter>

/** The filter of an export, which has no pages. */
export const LogSelection = z.omit(LogFilter, { limit: true, cursor: true })
export type LogSelection = z.infer<typeof LogSelection>

export const LogPage = z.object({ logs: z.array(LogEntry), next_cursor: z.nullable(Cursor) })
export type LogPage = z.infer<typeof LogPage>

const ofMessage = LogEntry.shape
const ofTask = z.partial(Task).shape

/**
 * Every field of a message and of its attempts, flat and in reading order. A task adds each field of `Task` under its
 * own name, except its state. That is `task_state`, because `state` belongs to the log entry.
 */
export const MessageRecord = z
  .catchall(
    z.object({
      guid: ofMessage.guid,
      state: ofMessage.state,
      task_state: ofTask.state,
      waiting_for: ofMessage.waiting_for,
      waiting_code: ofMessage.waiting_code,
      waiting_params: ofMessage.waiting_params,
      message_to: ofMessage.message_to,
      to_number: ofTask.to_number,
      message: ofMessage.message,
      text: ofTask.text,
      /** The number of its SMS segments. */
      parts: z.int(),
      from_number: ofTask.from_number,
      class: ofMessage.class,
      silent: ofTask.silent,
      sent_stamp: ofTask.sent_stamp,
      /** For role user, without its query. */
      callback_url: z.optional(z.nullable(z.string())),
      /** The name of the user at that time, or of the API key, that queued it. */
      queued_by: z.nullable(z.string()),
      id: ofMessage.id,
      company_id: ofMessage.company_id,
      device_id: ofMessage.device_id,
      device_guid: ofMessage.device_guid,
      device_guid_assigned: ofTask.device_guid_assigned,
      queue_timestamp: ofMessage.queue_timestamp,
      created_at: ofTask.created_at,
      assigned_at: ofTask.assigned_at,
      handed_timestamp: ofMessage.handed_timestamp,
      answer_sent_timestamp: ofMessage.answer_sent_timestamp,
      anwer_sent: ofMessage.anwer_sent,
      answer_2_timestamp: ofMessage.answer_2_timestamp,
      delivery_at: ofTask.delivery_at,
      answer_2: ofMessage.answer_2,
      notes: ofMessage.notes,
      /** Null without `facts`: the record is flat but for the `params`. */
      notes_codes: ofMessage.notes_codes,
      answer_3: ofMessage.answer_3,
      reply: ofTask.reply,
      answer_3_timestamp: ofMessage.answer_3_timestamp,
      reply_at: ofTask.reply_at,
      error: ofMessage.error,
      error_msg: ofMessage.error_msg,
      error_msg_code: ofMessage.error_msg_code,
      error_msg_params: ofMessage.error_msg_params,
      error_timestamp: ofMessage.error_timestamp,
      error_block: ofMessage.error_block,
      /** When its device was told to drop it. */
      discard_asked_at: z.optional(z.nullable(Instant)),
      expires_at: Instant,
      completed_at: z.nullable(Instant),
      discarded_at: ofTask.discarded_at,
      attempts: ofTask.attempts,
      /** Only with `facts`: each attempt for programs, in order. */
      attempt_details: z.optional(z.array(AttemptDetail)),
    }),
    z.unknown(),
  )
  // `attempt_1`, `attempt_2`, …: its device, times and outcome.
  .register(z.globalRegistry, { patternProperties: { '^attempt_[1-9][0-9]*$': { type: 'string' } } })
export type MessageRecord = z.infer<typeof MessageRecord>

export const listLogs = route('GET /api/logs/devices', {
  summary: 'Lists the transaction log, newest first, in pages.',
  query: LogFilter,
  reply: LogPage,
})

export const countLogs = route('GET /api/logs/count', {
  summary: 'Counts the matching log entries for about a second. If it is not `complete`, there are more.',
  query: LogSelection,
  reply: z.object({ count: z.int(), complete: z.boolean() }),
})

export const exportLogs = route('GET /api/logs/devices.csv', {
  summary: 'Exports all matching log entries as CSV (UTF-8, RFC 4180), newest first.',
  query: LogSelection,
  reply: CsvFile,
})

export const readMessage = route('GET /api/logs/queue/guid/:guid', {
  summary:
    'All fields of one message and its attempts. If several companies have the guid, a superadmin must name the company.',
  params: z.object({ guid: z.string() }),
  query: z.extend(CompanyQuery, {
    /** Adds `notes_codes` and `attempt_details`, which are lists. */
    facts: z.optional(z.enum(['true', 'false'])),
  }),
  reply: MessageRecord,
  errors: ['unknown_message', 'ambiguous_guid'],
})
