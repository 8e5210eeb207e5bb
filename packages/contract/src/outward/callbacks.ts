import * as z from 'zod/mini'
import {
  CallbackUrl,
  CompanyQuery,
  countParam,
  Cursor,
  IdParam,
  Instant,
  Rotation,
} from '@sdd/contract/core/fields.ts'
import { route } from '@sdd/contract/core/route.ts'
import { ReceivedSms } from '@sdd/contract/people/conversations.ts'
import { Task } from '@sdd/contract/tasks/tasks.ts'

const taskEvents = [
  'task.sent',
  'task.delivered',
  'task.replied',
  'task.failed',
  'task.uncertain',
  'task.expired',
] as const

export const TaskEvent = z.enum(taskEvents)
export type TaskEvent = z.infer<typeof TaskEvent>

/** The events of a webhook that names none. */
export const usualTypes = [...taskEvents, 'sms.received'] as const

/** The events that are posted: those of tasks, received SMS, and alerts. */
export const CallbackType = z.enum([...usualTypes, 'alert.opened', 'alert.resolved'])
export type CallbackType = z.infer<typeof CallbackType>

/** With the events that only programs behind a door hear of: a device accepted the task, or it was discarded. */
export const ToldType = z.enum([...CallbackType.options, 'task.handed', 'task.cancelled'])
export type ToldType = z.infer<typeof ToldType>

/** The body posted to a `callback_url` and to a company's webhooks, signed according to Standard Webhooks. */
export const CallbackBody = z.object({ type: TaskEvent, at: Instant, task: Task })
export type CallbackBody = z.infer<typeof CallbackBody>

/** The body posted to a company's webhooks when a device has received an SMS. */
export const ReceivedBody = z.object({ type: z.literal('sms.received'), at: Instant, sms: ReceivedSms })
export type ReceivedBody = z.infer<typeof ReceivedBody>

/** The body of a test that a person asks for. It is posted once, and signed like the others. */
export const TestBody = z.object({ type: z.literal('webhook.test'), at: Instant, webhook: z.int() })
export type TestBody = z.infer<typeof TestBody>

/** The receiver's time limit, and how much of its response is read. */
export const CALLBACK_TIMEOUT_MS = 15_000
export const CALLBACK_REPLY_BYTES = 64 * 1024

/** The delays after each failed delivery; after the last one it becomes a dead letter. */
export const CALLBACK_DELAYS_MS = [
  5_000,
  30_000,
  2 * 60_000,
  10 * 60_000,
  3_600_000,
  6 * 3_600_000,
  24 * 3_600_000,
] as const

/** The forms of a callback other than JSON: those that programs for Kannel and for Twilio know. */
export const CallbackFormat = z.enum(['kannel', 'twilio'])
export type CallbackFormat = z.infer<typeof CallbackFormat>

/** An address that receives a company's events. */
export const Webhook = z.object({
  id: z.int(),
  company_id: z.int(),
  url: z.string(),
  /** The events that it receives. */
  types: z.array(CallbackType),
  created_at: Instant,
  /** The name of its creator; null if that user was deleted. */
  by: z.nullable(z.string()),
  /** Dead letters of the last 7 days. */
  dead: z.int(),
  /** After a rotation: until then the previous secret signs too. Null: there is none. */
  previous_until: z.nullable(Instant),
  /** The form in which it receives SMS; null: JSON. */
  format: z.nullable(CallbackFormat),
  /** With the format `twilio`: the API key whose secret signs, and that sends what the webhook answers. */
  api_key_id: z.nullable(z.int()),
})
export type Webhook = z.infer<typeof Webhook>

export const NewWebhook = z.strictObject({
  url: CallbackUrl,
  types: z._default(
    z.array(CallbackType).check(z.minLength(1, 'names at least one type'), z.maxLength(20)),
    () => [...usualTypes],
  ),
  /** How a program written for another gateway receives SMS. `types` is then `["sms.received"]`. */
  format: z.optional(z.nullable(CallbackFormat)),
  /** Needed with the format `twilio`: a key with `inbox:read`. */
  api_key_id: z.optional(z.nullable(z.int())),
})
export type NewWebhook = z.infer<typeof NewWebhook>

export const MadeWebhook = z.extend(Webhook, {
  /** `whsec_…`, shown only once. */
  webhook_secret: z.string(),
})
export type MadeWebhook = z.infer<typeof MadeWebhook>

/** `waiting`: to be tried or retried. `dead`: given up. */
export const CallbackState = z.enum(['waiting', 'delivered', 'dead'])
export type CallbackState = z.infer<typeof CallbackState>

const none = z.object({})
const reason = z.object({ reason: z.string() })
const host = z.object({ host: z.string() })

/** The facts behind `last_error`, by its `last_error_code`. `reason` is the code of the fault. */
export const lastErrorParams = {
  /** It answered 410. */
  gone: none,
  redirect: z.object({ status: z.int() }),
  refused: none,
  closed: none,
  bad_certificate: reason,
  bad_tls: reason,
  not_http: reason,
  unreachable: reason,
  late: z.object({ secs: z.number() }),
  /** The server calls no such address (`CALLBACK_ADDRESSES`), or no such host (`CALLBACK_HOSTS`). */
  not_public: host,
  not_listed: host,
  no_address: z.object({ host: z.string(), reason: z.string() }),
  slow_name: host,
  webhook_removed: none,
  no_secret: none,
  /** It answered a received SMS, and that answer could not be taken now. */
  answer_not_sent: none,
  not_tried: none,
  other: z.object({ text: z.string() }),
} as const

export type LastErrorCode = keyof typeof lastErrorParams
const LastErrorCode = z.enum(Object.keys(lastErrorParams) as [LastErrorCode, ...LastErrorCode[]])

/** One event for one address. */
export const Callback = z.object({
  id: z.int(),
  company_id: z.int(),
  /** The `webhook-id`, the same for each try. */
  webhook_id: z.string(),
  type: ToldType,
  /** The task's guid; the sender's number if an SMS was received; `alert-` and the id of an alert. */
  guid: z.string(),
  url: z.string(),
  state: CallbackState,
  created_at: Instant,
  /** Deliveries tried so far. */
  tries: z.int(),
  last_tried_at: z.nullable(Instant),
  /** The HTTP status of the last try … */
  last_status: z.nullable(z.int()),
  /** … or a sentence that explains why there was none. */
  last_error: z.nullable(z.string()),
  /** The same for programs, both null without `last_error`: see `lastErrorParams`. */
  last_error_code: z.nullable(LastErrorCode),
  last_error_params: z.nullable(z.record(z.string(), z.union([z.string(), z.number()]))),
  /** Only while it waits. */
  next_try_at: z.nullable(Instant),
  delivered_at: z.nullable(Instant),
})
export type Callback = z.infer<typeof Callback>

/** A callback with all that is known of it. */
export const CallbackDetail = z.extend(Callback, {
  /** The posted JSON, as it was at the time of the event; for programs behind a door, the form or the called URL. */
  body: z.string(),
  /** The earlier callback of the same task and address for which it waits; null if it waits for none. */
  behind: z.nullable(z.object({ id: z.int(), type: ToldType, next_try_at: z.nullable(Instant) })),
})
export type CallbackDetail = z.infer<typeof CallbackDetail>

/** The outcome of a test event. */
export const TestResult = z.object({
  delivered: z.boolean(),
  /** The HTTP status of the answer … */
  status: z.nullable(z.int()),
  /** … or why there was none, as in a callback. */
  last_error: z.nullable(z.string()),
  last_error_code: z.nullable(LastErrorCode),
  last_error_params: z.nullable(z.record(z.string(), z.union([z.string(), z.number()]))),
  took_ms: z.int(),
})
export type TestResult = z.infer<typeof TestResult>

/** The most callbacks that one call repeats. */
export const MAX_REPEATS = 1_000

export const CallbackSelection = z.object({
  state: z.optional(CallbackState),
  guid: z.optional(z.string().check(z.maxLength(64))),
  limit: z._default(countParam(1, 1_000), 500),
  cursor: z.optional(Cursor),
})
export type CallbackSelection = z.infer<typeof CallbackSelection>

export const listWebhooks = route('GET /api/webhooks', {
  summary: "The company's webhooks.",
  may: 'keys:manage',
  reply: z.object({ webhooks: z.array(Webhook) }),
})

export const createWebhook = route('POST /api/webhooks', {
  summary: "Adds a webhook for the company's events. Its secret is shown only once.",
  may: 'keys:manage',
  query: CompanyQuery,
  body: NewWebhook,
  reply: MadeWebhook,
  status: 201,
  errors: ['unknown_company', 'proof_required'],
})

export const rotateWebhook = route('POST /api/webhooks/:id/rotate', {
  summary:
    "Rotates a webhook's secret. The new one is shown only once; until the overlap ends, both sign callbacks.",
  may: 'keys:manage',
  params: z.object({ id: IdParam }),
  body: Rotation,
  reply: MadeWebhook,
  errors: ['unknown_webhook', 'proof_required'],
})

export const endPreviousSecret = route('DELETE /api/webhooks/:id/previous', {
  summary: 'Ends the overlap of a rotation: the previous secret no longer signs callbacks.',
  may: 'keys:manage',
  params: z.object({ id: IdParam }),
  errors: ['unknown_webhook'],
})

export const deleteWebhook = route('DELETE /api/webhooks/:id', {
  summary: 'Removes a webhook. Its waiting callbacks are given up.',
  may: 'keys:manage',
  params: z.object({ id: IdParam }),
  errors: ['unknown_webhook'],
})

export const listCallbacks = route('GET /api/callbacks', {
  summary: 'Lists the callbacks to other systems with their tries, newest first, in pages.',
  may: 'keys:manage',
  query: CallbackSelection,
  reply: z.object({ callbacks: z.array(Callback), next_cursor: z.nullable(Cursor) }),
})

export const repeatCallback = route('POST /api/callbacks/:id/repeat', {
  summary: 'Sends a callback again with the same webhook-id. A dead letter gets a new series of tries.',
  may: 'keys:manage',
  params: z.object({ id: IdParam }),
  reply: Callback,
  status: 202,
  errors: ['unknown_callback', 'unknown_webhook'],
})

export const readCallback = route('GET /api/callbacks/:id', {
  summary: 'One callback with its body, and the earlier callback for which it waits.',
  may: 'keys:manage',
  params: z.object({ id: IdParam }),
  reply: CallbackDetail,
  errors: ['unknown_callback'],
})

export const repeatDeadCallbacks = route('POST /api/callbacks/repeat', {
  summary: 'Sends dead letters again, the oldest first, 1,000 at most. `more`: there are others.',
  may: 'keys:manage',
  reply: z.object({ repeated: z.int(), more: z.boolean() }),
  status: 202,
})

export const testWebhook = route('POST /api/webhooks/:id/test', {
  summary: 'Posts one signed test event to the webhook, and answers its outcome within 15 s.',
  may: 'keys:manage',
  params: z.object({ id: IdParam }),
  reply: TestResult,
  errors: ['unknown_webhook'],
})
