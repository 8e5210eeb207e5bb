import * as z from 'zod/mini'
import { countParam, Cursor, Instant } from './fields.ts'
import { route } from './route.ts'

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

export const listTasks = route('GET /api/external-tasks', {
  summary: 'The tasks that other systems handed in, newest first, in pages.',
  query: TaskSelection,
  reply: TaskPage,
})
