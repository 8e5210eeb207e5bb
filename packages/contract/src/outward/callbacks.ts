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
import { Task } from '@sdd/contract/tasks/tasks.ts'

/** What of a task is told. */
export const CallbackType = z.enum([
  'task.sent',
  'task.delivered',
  'task.replied',
  'task.failed',
  'task.uncertain',
  'task.expired',
])
export type CallbackType = z.infer<typeof CallbackType>

/** What is posted to a `callback_url` and to a company's webhooks, signed as Standard Webhooks does. */
export const CallbackBody = z.object({ type: CallbackType, at: Instant, task: Task })
export type CallbackBody = z.infer<typeof CallbackBody>

/** How long the receiver has, and how much of its answer is read. */
export const CALLBACK_TIMEOUT_MS = 15_000
export const CALLBACK_REPLY_BYTES = 64 * 1024

/** How long after a failed delivery the next is tried; after the last it is a dead letter. */
export const CALLBACK_DELAYS_MS = [
  5_000,
  30_000,
  2 * 60_000,
  10 * 60_000,
  3_600_000,
  6 * 3_600_000,
  24 * 3_600_000,
] as const

/** An address that hears of every task of a company. */
export const Webhook = z.object({
  id: z.int(),
  company_id: z.int(),
  url: z.string(),
  /** What it hears of. */
  types: z.array(CallbackType),
  created_at: Instant,
  /** Who made it, by name; null where that user is gone. */
  by: z.nullable(z.string()),
  /** Deliveries that were given up in the last 7 days. */
  dead: z.int(),
  /** After a rotation: until then the secret from before it signs as well. Null: there is none. */
  previous_until: z.nullable(Instant),
})
export type Webhook = z.infer<typeof Webhook>

export const NewWebhook = z.object({
  url: CallbackUrl,
  types: z._default(
    z.array(CallbackType).check(z.minLength(1, 'names at least one type'), z.maxLength(6)),
    () => [...CallbackType.options],
  ),
})
export type NewWebhook = z.infer<typeof NewWebhook>

export const MadeWebhook = z.extend(Webhook, {
  /** `whsec_…`, shown this once. */
  webhook_secret: z.string(),
})
export type MadeWebhook = z.infer<typeof MadeWebhook>

/** `waiting`: it is tried, or tried again; `dead`: given up. */
export const CallbackState = z.enum(['waiting', 'delivered', 'dead'])
export type CallbackState = z.infer<typeof CallbackState>

/** One thing told to one address. */
export const Callback = z.object({
  id: z.int(),
  company_id: z.int(),
  /** The stable `webhook-id`: the same at each try. */
  webhook_id: z.string(),
  type: CallbackType,
  guid: z.string(),
  url: z.string(),
  state: CallbackState,
  created_at: Instant,
  /** Deliveries tried so far. */
  tries: z.int(),
  last_tried_at: z.nullable(Instant),
  /** Of the last try: the HTTP status … */
  last_status: z.nullable(z.int()),
  /** … or one sentence why there was none. */
  last_error: z.nullable(z.string()),
  /** While it waits. */
  next_try_at: z.nullable(Instant),
  delivered_at: z.nullable(Instant),
})
export type Callback = z.infer<typeof Callback>

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
  summary: 'Adds an address that hears of every task of the company. Its secret is shown this once.',
  may: 'keys:manage',
  query: CompanyQuery,
  body: NewWebhook,
  reply: MadeWebhook,
  status: 201,
  errors: ['unknown_company', 'proof_required'],
})

export const rotateWebhook = route('POST /api/webhooks/:id/rotate', {
  summary:
    'Gives a webhook a new secret, shown this once. Until the overlap ends, callbacks are signed with both.',
  may: 'keys:manage',
  params: z.object({ id: IdParam }),
  body: Rotation,
  reply: MadeWebhook,
  errors: ['unknown_webhook', 'proof_required'],
})

export const endPreviousSecret = route('DELETE /api/webhooks/:id/previous', {
  summary: 'Ends the overlap of a rotation: the secret from before it signs nothing from now on.',
  may: 'keys:manage',
  params: z.object({ id: IdParam }),
  errors: ['unknown_webhook'],
})

export const deleteWebhook = route('DELETE /api/webhooks/:id', {
  summary: 'Removes a webhook; what still waits for it is given up.',
  may: 'keys:manage',
  params: z.object({ id: IdParam }),
  errors: ['unknown_webhook'],
})

export const listCallbacks = route('GET /api/callbacks', {
  summary: 'What was told to other systems, newest first, in pages: each with its tries.',
  may: 'keys:manage',
  query: CallbackSelection,
  reply: z.object({ callbacks: z.array(Callback), next_cursor: z.nullable(Cursor) }),
})

export const repeatCallback = route('POST /api/callbacks/:id/repeat', {
  summary: 'Sends a callback again, with the same webhook-id; a dead letter begins anew.',
  may: 'keys:manage',
  params: z.object({ id: IdParam }),
  reply: Callback,
  status: 202,
  errors: ['unknown_callback', 'unknown_webhook'],
})
