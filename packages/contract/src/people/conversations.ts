import * as z from 'zod/mini'
import {
  CompanyQuery,
  countParam,
  Cursor,
  Guid,
  Instant,
  OwnGuid,
  SmsText,
} from '@sdd/contract/core/fields.ts'
import { route } from '@sdd/contract/core/route.ts'
import { waitingFields } from '@sdd/contract/dispatch/waiting.ts'
import { MessageState } from '@sdd/contract/messages/messages.ts'
import { errorMsgFields } from '@sdd/contract/messages/outcomes.ts'

export const ConversationStatus = z.enum(['open', 'done'])
export type ConversationStatus = z.infer<typeof ConversationStatus>

const Direction = z.enum(['in', 'out'])

/** Who sent a message: `server` answers by a keyword, and `phone` is a person who typed it on the device itself. */
export const SenderKind = z.enum(['user', 'api_key', 'campaign', 'server', 'phone'])
export type SenderKind = z.infer<typeof SenderKind>

/** All traffic between a company and one number. */
export const Conversation = z.object({
  company_id: z.int(),
  number: z.string(),
  /** Whether an SMS can be sent to it: it is a number, not a name such as "BANCO". */
  answerable: z.boolean(),
  /** The name of its contact. */
  name: z.nullable(z.string()),
  /** When the server stored its last message. */
  last_at: Instant,
  last_text: z.string(),
  last_direction: Direction,
  /** Null if the last message was received. */
  last_state: z.nullable(MessageState),
  /** Why the last message failed: its `error_msg` with its code and facts. */
  last_error_msg: errorMsgFields.error_msg,
  last_error_msg_code: errorMsgFields.error_msg_code,
  last_error_msg_params: errorMsgFields.error_msg_params,
  /** Received SMS that no user of the company has read. */
  unread: z.int(),
  status: ConversationStatus,
  assigned_to: z.nullable(z.object({ id: z.int(), name: z.string() })),
  opted_out: z.boolean(),
  /** The device and the SIM of its last message. */
  device_uid: z.nullable(z.string()),
  sim: z.nullable(z.string()),
})
export type Conversation = z.infer<typeof Conversation>

export const ConversationMessage = z.object({
  /** Unique in the company. A received SMS has the same one in the inbox and in `sms.received`. */
  id: z.string(),
  /** Null if it was received, like `state`, or typed on the phone. */
  guid: z.nullable(z.string()),
  direction: Direction,
  text: z.string(),
  /** When it was stored, or received by the device. */
  at: Instant,
  state: z.nullable(MessageState),
  ...waitingFields,
  ...errorMsgFields,
  device_uid: z.nullable(z.string()),
  sim: z.nullable(z.string()),
  /** The name of the user, the API key or the campaign that sent it. */
  by: z.nullable(z.string()),
  /** Null if it was received. */
  by_kind: z.nullable(SenderKind),
  /** The number of its SMS segments. */
  parts: z.int(),
})
export type ConversationMessage = z.infer<typeof ConversationMessage>

export const ConversationSelection = z.object({
  status: z._default(z.enum(['open', 'done', 'all']), 'open'),
  /** `me`, `none`, or the id of a user. */
  assigned: z.optional(
    z.string().check(z.regex(/^(me|none|[1-9]\d{0,14})$/, 'must be me, none or the id of a user')),
  ),
  unread: z.optional(z.enum(['true', 'false'])),
  /** Part of a number, of a contact's name, or of a text. */
  search: z.optional(z.string().check(z.maxLength(200))),
  /** Whether the answer has the `counts`. */
  counts: z.optional(z.enum(['true', 'false'])),
  limit: z._default(countParam(1, 1_000), 50),
  cursor: z.optional(Cursor),
})
export type ConversationSelection = z.infer<typeof ConversationSelection>

/** A count of conversations goes no further than this. */
export const MOST_COUNTED = 1_000

const count = z.int().check(z.minimum(0), z.maximum(MOST_COUNTED))

/** The open conversations of the caller's scope: all, those of the caller, and those of no user. */
export const ConversationCounts = z.object({ open: count, mine: count, unassigned: count })
export type ConversationCounts = z.infer<typeof ConversationCounts>

/** Any way of writing the number, or the name that a sender gives. */
const ofNumber = z.object({ number: z.string().check(z.minLength(1), z.maxLength(100)) })
const ofMessage = z.extend(ofNumber, { guid: z.string() })

const sending = {
  /** Default: that of the SIM that last exchanged a message with this number. */
  device_uid: z.optional(z.nullable(z.string().check(z.minLength(1, 'is required'), z.maxLength(64)))),
  /** Repeating a request with the same guid makes no second message. */
  guid: z.optional(z.nullable(OwnGuid)),
}

/** A text, or the text of a message that ended badly, which is sent again as a new message. */
export const NewAnswer = z.union([
  z.strictObject({ text: SmsText, ...sending }),
  z.strictObject({
    /** The guid of a message of this conversation. */
    again: z.string().check(z.minLength(1, 'is required'), z.maxLength(64)),
    /** Its state is `uncertain`, so the text may arrive twice. */
    sure: z.optional(z.boolean()),
    ...sending,
  }),
])
export type NewAnswer = z.infer<typeof NewAnswer>

/** Absent fields stay as they are. */
export const ConversationChange = z.strictObject({
  status: z.optional(ConversationStatus),
  /** The id of a user who may read conversations; null: no user. */
  assigned_to: z.optional(z.nullable(z.int())),
  /** The id of the last message that was read; null makes the last received one unread again. */
  read_to: z.optional(z.nullable(z.string().check(z.maxLength(64)))),
})
export type ConversationChange = z.infer<typeof ConversationChange>

export const listConversations = route('GET /api/conversations', {
  summary: 'Lists the conversations, newest activity first, in pages.',
  query: ConversationSelection,
  reply: z.object({
    conversations: z.array(Conversation),
    next_cursor: z.nullable(Cursor),
    counts: z.optional(ConversationCounts),
  }),
})

export const readConversation = route('GET /api/conversations/:number', {
  summary: 'A conversation and its messages, newest first, in pages. A superadmin may name another company.',
  params: ofNumber,
  query: z.extend(CompanyQuery, {
    limit: z._default(countParam(1, 1_000), 50),
    cursor: z.optional(Cursor),
  }),
  reply: z.object({
    conversation: Conversation,
    messages: z.array(ConversationMessage),
    next_cursor: z.nullable(Cursor),
  }),
  errors: ['unknown_conversation', 'unknown_company'],
})

export const answerConversation = route('POST /api/conversations/:number/messages', {
  summary:
    'Sends a text to the number, or a text of the conversation again. It waits while its device is away or sending is off.',
  may: 'messages:send',
  params: ofNumber,
  query: CompanyQuery,
  body: NewAnswer,
  reply: z.object({ guid: Guid }),
  status: 202,
  otherStatus: 200,
  errors: [
    'unknown_company',
    'unknown_device',
    'opted_out',
    'no_consent',
    'not_answerable',
    'may_have_arrived',
    'not_repeatable',
    'guid_taken',
    'destination_refused',
    'no_route',
    'recipient_limit',
    'disk_full',
  ],
  errorStatuses: { opted_out: 409 },
})

export const discardAnswer = route('DELETE /api/conversations/:number/messages/:guid', {
  summary:
    'Discards a message. 200: it was not handed to a device. 202: its device was told to drop it, and will report the result.',
  may: 'messages:send',
  params: ofMessage,
  query: CompanyQuery,
  reply: ConversationMessage,
  otherStatus: 202,
  errors: ['unknown_company', 'unknown_message', 'task_not_discardable'],
})

export const changeConversation = route('POST /api/conversations/:number', {
  summary: 'Changes the status of a conversation, the user it is assigned to, and how far it is read.',
  params: ofNumber,
  query: CompanyQuery,
  body: ConversationChange,
  reply: Conversation,
  errors: ['unknown_conversation', 'unknown_company'],
})

/** An SMS that a device received. */
export const ReceivedSms = z.object({
  /** Unique in the company, and the same in the conversation and in `sms.received`. */
  id: z.string(),
  number: z.string(),
  text: z.string(),
  /** When the device received it. A time in the future counts as now. */
  received_at: Instant,
  device_uid: z.string(),
  sim: z.nullable(z.string()),
  /** The guid of the message that it answers. */
  reply_to: z.nullable(z.string()),
})
export type ReceivedSms = z.infer<typeof ReceivedSms>

export const InboxSelection = z.object({
  /** An id of this list, or a time: only SMS that were stored later. */
  since: z.optional(z.string().check(z.maxLength(64))),
  device_uid: z.optional(z.string().check(z.maxLength(64))),
  /** Part of the number or of the text. */
  search: z.optional(z.string().check(z.maxLength(200))),
  limit: z._default(countParam(1, 1_000), 500),
  cursor: z.optional(Cursor),
})
export type InboxSelection = z.infer<typeof InboxSelection>

export const listInbox = route('GET /api/inbox', {
  summary: 'Lists the received SMS, the last stored first, in pages.',
  may: 'inbox:read',
  query: InboxSelection,
  reply: z.object({
    inbox: z.array(z.extend(ReceivedSms, { company_id: z.int() })),
    next_cursor: z.nullable(Cursor),
  }),
})
