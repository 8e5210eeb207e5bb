import * as z from 'zod/mini'
import {
  AnyInstant,
  CallbackUrl,
  CompanyQuery,
  countParam,
  Cursor,
  Guid,
  Instant,
  listParam,
  MessageClass,
  OwnGuid,
  PhoneNumber,
  SmsText,
} from '@sdd/contract/core/fields.ts'
import { fieldErrors } from '@sdd/contract/core/errors.ts'
import { waitingFields } from '@sdd/contract/dispatch/waiting.ts'
import { errorMsgFields } from '@sdd/contract/messages/outcomes.ts'
import { CsvFile, route } from '@sdd/contract/core/route.ts'

/**
 * `received`: waiting. `started`: a device has it and has not finished. `completed`: ended. `all` also includes
 * discarded ones.
 */
export const TaskFilter = z.enum(['all', 'received', 'started', 'completed'])
export type TaskFilter = z.infer<typeof TaskFilter>

export const TaskState = z.enum([
  'received',
  'started',
  'completed',
  'failed',
  'uncertain',
  'expired',
  'discarded',
])
export type TaskState = z.infer<typeof TaskState>

/** An SMS that another system submitted. */
export const Task = z.object({
  company_id: z.int(),
  guid: z.string(),
  /** The number of the requested SIM. */
  from_number: z.nullable(z.string()),
  to_number: z.string(),
  text: z.string(),
  /** When it was sent, according to the other system. */
  sent_stamp: z.nullable(z.string()),
  silent: z.boolean(),
  class: MessageClass,
  created_at: Instant,
  device_guid_assigned: z.nullable(z.string()),
  assigned_at: z.nullable(Instant),
  completed_at: z.nullable(Instant),
  discarded_at: z.nullable(Instant),
  state: TaskState,
  expires_at: Instant,
  attempts: z.int(),
  ...errorMsgFields,
  /** When the network reported that it was delivered or not. */
  delivery_at: z.nullable(Instant),
  /** The recipient's answer, and when it came. */
  reply: z.nullable(z.string()),
  reply_at: z.nullable(Instant),
  ...waitingFields,
})
export type Task = z.infer<typeof Task>

export const TaskSelection = z.object({
  status: z._default(TaskFilter, 'all'),
  /** Narrows `status` down to these states. */
  state: z.optional(listParam(TaskState.options as [TaskState, ...TaskState[]])),
  /** The beginning of a guid, part of a number or of the text. Case and accents do not matter. */
  search: z.optional(z.string().check(z.maxLength(200))),
  from: z.optional(AnyInstant),
  to: z.optional(AnyInstant),
  limit: z._default(countParam(1, 1_000), 500),
  cursor: z.optional(Cursor),
})
export type TaskSelection = z.infer<typeof TaskSelection>

/** The filter of an export, which has no pages. */
export const TaskExport = z.omit(TaskSelection, { limit: true, cursor: true })
export type TaskExport = z.infer<typeof TaskExport>

export const TaskPage = z.object({ tasks: z.array(Task), next_cursor: z.nullable(Cursor) })
export type TaskPage = z.infer<typeof TaskPage>

/** The most tasks of one request. */
const MAX_TASKS = 1_000

/** A task as another system submits it. Unknown fields are refused, because they would otherwise be ignored. */
export const NewTask = z.strictObject({
  to_number: PhoneNumber,
  text: SmsText,
  /** Its id in the other system, unique in the company; submitting it twice makes one task. Generated if absent. */
  guid: z.optional(z.nullable(OwnGuid)),
  /** The number of the SIM to send it from. */
  from_number: z.optional(z.nullable(PhoneNumber)),
  /** No delivery report and no callbacks. */
  silent: z._default(z.boolean(), false),
  /** Default: the only one that the API key may send, otherwise `transactional`. */
  class: z.optional(z.nullable(MessageClass)),
  /** When it was sent, according to the other system. */
  sent_stamp: z.optional(z.nullable(AnyInstant)),
  /** The earliest time to hand it to a device. */
  not_before: z.optional(z.nullable(AnyInstant)),
  /**
   * The latest time to hand it to a device. Default: 24 h after it was stored, or after `not_before`; 10 minutes for the
   * class `code`.
   */
  expires_at: z.optional(z.nullable(AnyInstant)),
  /** The address to which its events are posted. */
  callback_url: z.optional(z.nullable(CallbackUrl)),
})
export type NewTask = z.infer<typeof NewTask>

/** `repeated`: the same task was already stored. */
export const TaskReceipt = z.object({ guid: Guid, status: z.enum(['received', 'repeated']) })
export type TaskReceipt = z.infer<typeof TaskReceipt>

/** The outcome of one task of a batch. */
export const TaskResult = z.object({
  /** As submitted; null if a refused task had no usable guid. */
  guid: z.nullable(z.string()),
  status: z.enum(['received', 'repeated', 'refused']),
  code: z.optional(z.string()),
  detail: z.optional(z.string()),
  /** As in an error: of a refused task only. */
  params: z.optional(z.record(z.string(), z.unknown())),
  ...fieldErrors,
})
export type TaskResult = z.infer<typeof TaskResult>

/** The outcome of each task, in the order of the request. */
export const TaskResults = z.object({ results: z.array(TaskResult) })
export type TaskResults = z.infer<typeof TaskResults>

const OneOfMany = z.unknown().register(z.globalRegistry, {
  description: 'Like a single task. Each task is accepted or refused separately.',
})

/** One task, or up to 1,000. Each is accepted or refused separately. */
export const SubmittedTasks = z.union([
  NewTask,
  z.strictObject({ tasks: z.array(OneOfMany).check(z.minLength(1), z.maxLength(MAX_TASKS)) }),
])

const byGuid = z.object({ guid: z.string() })

export const createTasks = route('POST /api/external-tasks', {
  summary:
    'Submits one task, or up to 1,000. Answered once they are durably stored; 200 if a single task was already stored.',
  may: 'tasks:write',
  body: SubmittedTasks,
  reply: z.union([TaskReceipt, TaskResults]),
  status: 202,
  otherStatus: 200,
  errors: [
    'class_forbidden',
    'guid_taken',
    'opted_out',
    'no_consent',
    'no_route',
    'destination_refused',
    'recipient_limit',
    'quota_reached',
    'disk_full',
  ],
})

export const readTask = route('GET /api/external-tasks/:guid', {
  summary:
    'One task, with the reason if it waits. If several companies have the guid, a superadmin must name the company.',
  may: 'tasks:read',
  params: byGuid,
  query: CompanyQuery,
  reply: Task,
  errors: ['unknown_task', 'ambiguous_guid'],
})

export const discardTask = route('DELETE /api/external-tasks/:guid', {
  summary:
    'Discards a task. 200: it was not handed to a device. 202: its device was told to drop it, and will report the result.',
  may: 'tasks:write',
  params: byGuid,
  query: CompanyQuery,
  reply: Task,
  otherStatus: 202,
  errors: ['unknown_task', 'ambiguous_guid', 'task_not_discardable'],
})

export const listTasks = route('GET /api/external-tasks', {
  summary:
    'Lists the submitted tasks, newest first, in pages. With `state`, `search`, `from` or `to`, a page may be short or empty before the last one.',
  may: 'tasks:read',
  query: TaskSelection,
  reply: TaskPage,
})

export const exportTasks = route('GET /api/external-tasks.csv', {
  summary: 'Exports all matching tasks as CSV (UTF-8, RFC 4180), newest first.',
  may: 'tasks:read',
  query: TaskExport,
  reply: CsvFile,
})
