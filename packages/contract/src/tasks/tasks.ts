import * as z from 'zod/mini'
import {
  AnyInstant,
  CallbackUrl,
  CompanyQuery,
  countParam,
  Cursor,
  Guid,
  Instant,
  PhoneNumber,
  SmsText,
} from '@sdd/contract/core/fields.ts'
import { route } from '@sdd/contract/core/route.ts'

/** `received`: it waits; `started`: a device has it and has not finished; `completed`: it has ended; `all` adds those discarded. */
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

/** An SMS that another system handed in. */
export const Task = z.object({
  company_id: z.int(),
  guid: z.string(),
  /** The SIM that it asked for. */
  from_number: z.nullable(z.string()),
  to_number: z.string(),
  text: z.string(),
  /** When the other system says that it sent it. */
  sent_stamp: z.nullable(z.string()),
  silent: z.boolean(),
  created_at: Instant,
  device_guid_assigned: z.nullable(z.string()),
  assigned_at: z.nullable(Instant),
  completed_at: z.nullable(Instant),
  discarded_at: z.nullable(Instant),
  state: TaskState,
  expires_at: Instant,
  attempts: z.int(),
  error_msg: z.nullable(z.string()),
  /** When the network said that it arrived, or that it did not. */
  delivery_at: z.nullable(Instant),
  /** What the recipient answered, and when. */
  reply: z.nullable(z.string()),
  reply_at: z.nullable(Instant),
  waiting_for: z.nullable(z.string()),
})
export type Task = z.infer<typeof Task>

export const TaskSelection = z.object({
  status: z._default(TaskFilter, 'all'),
  limit: z._default(countParam(1, 1_000), 500),
  cursor: z.optional(Cursor),
})
export type TaskSelection = z.infer<typeof TaskSelection>

export const TaskPage = z.object({ tasks: z.array(Task), next_cursor: z.nullable(Cursor) })
export type TaskPage = z.infer<typeof TaskPage>

/** The most tasks of one request. */
export const MAX_TASKS = 1_000

/** A task as another system hands it in. A field that is not named here is refused: it would be ignored. */
export const NewTask = z.strictObject({
  to_number: PhoneNumber,
  text: SmsText,
  /** Its name in the other system, unique in the company: the same task twice is one. Made here where absent. */
  guid: z.optional(z.nullable(Guid)),
  /** Send it from the SIM of this number. */
  from_number: z.optional(z.nullable(PhoneNumber)),
  /** Without a delivery report, and without callbacks. */
  silent: z._default(z.boolean(), false),
  /** When the other system says that it sent it. */
  sent_stamp: z.optional(z.nullable(AnyInstant)),
  /** Hand it to no device before. */
  not_before: z.optional(z.nullable(AnyInstant)),
  /** Hand it to no device from then on; 24 h after it was stored (or after `not_before`) where absent. */
  expires_at: z.optional(z.nullable(AnyInstant)),
  /** Where to post what becomes of it. */
  callback_url: z.optional(z.nullable(CallbackUrl)),
})
export type NewTask = z.infer<typeof NewTask>

/** `repeated`: it was there already, with the same content. */
export const TaskReceipt = z.object({ guid: Guid, status: z.enum(['received', 'repeated']) })
export type TaskReceipt = z.infer<typeof TaskReceipt>

/** What became of one task of a batch. */
export const TaskResult = z.object({
  /** As given; null where a refused one had none that can be told. */
  guid: z.nullable(z.string()),
  status: z.enum(['received', 'repeated', 'refused']),
  code: z.optional(z.string()),
  detail: z.optional(z.string()),
  fields: z.optional(z.record(z.string(), z.string())),
})
export type TaskResult = z.infer<typeof TaskResult>

/** What became of each task, in the order in which they were given. */
export const TaskResults = z.object({ results: z.array(TaskResult) })
export type TaskResults = z.infer<typeof TaskResults>

const OneOfMany = z.unknown().register(z.globalRegistry, {
  description: 'A task as it is handed in alone; each is taken or refused by itself.',
})

/** One task, or up to 1,000: of those the good ones are taken, and each bad one is refused by itself. */
export const HandedIn = z.union([
  NewTask,
  z.strictObject({ tasks: z.array(OneOfMany).check(z.minLength(1), z.maxLength(MAX_TASKS)) }),
])

const byGuid = z.object({ guid: z.string() })

export const createTasks = route('POST /api/external-tasks', {
  summary:
    'Hands in one task, or up to 1,000. Answered once they are durably stored; 200 where one was there already.',
  may: 'tasks:write',
  body: HandedIn,
  reply: z.union([TaskReceipt, TaskResults]),
  status: 202,
  otherStatus: 200,
  errors: ['guid_taken', 'opted_out', 'destination_refused', 'recipient_limit', 'quota_reached', 'disk_full'],
})

export const readTask = route('GET /api/external-tasks/:guid', {
  summary: 'One task, with why it waits. A superadmin names the company where several have the guid.',
  may: 'tasks:read',
  params: byGuid,
  query: CompanyQuery,
  reply: Task,
  errors: ['unknown_task', 'ambiguous_guid'],
})

export const discardTask = route('DELETE /api/external-tasks/:guid', {
  summary:
    'Discards a task. 200: no device has it; 202: a device was given it and is told to drop it, and its report will tell.',
  may: 'tasks:write',
  params: byGuid,
  query: CompanyQuery,
  reply: Task,
  otherStatus: 202,
  errors: ['unknown_task', 'ambiguous_guid', 'task_not_discardable'],
})

export const listTasks = route('GET /api/external-tasks', {
  summary: 'The tasks that other systems handed in, newest first, in pages.',
  may: 'tasks:read',
  query: TaskSelection,
  reply: TaskPage,
})
