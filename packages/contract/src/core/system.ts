import * as z from 'zod/mini'
import { route } from './route.ts'

/**
 * `short_of_room`: accepts reports of devices, but no new messages or tasks. `broker_unreachable`: accepts messages and
 * tasks, and keeps them until it can reach the external broker again. `detail` gives the reason.
 */
export const Readiness = z.object({
  status: z.enum(['ready', 'short_of_room', 'broker_unreachable']),
  detail: z.optional(z.string()),
})
export type Readiness = z.infer<typeof Readiness>

export const readiness = route('GET /readyz', {
  summary: 'Whether the server accepts work, and if not, why.',
  may: 'anyone',
  reply: Readiness,
  errors: ['not_ready', 'disk_full'],
})

export const liveness = route('GET /healthz', {
  summary: 'Whether the process is alive.',
  may: 'anyone',
  reply: z.object({ status: z.string() }),
})

export const openapi = route('GET /api/openapi.json', {
  summary: 'The OpenAPI description of this API, generated from its validation schemas.',
  may: 'anyone',
  reply: z.record(z.string(), z.unknown()),
})

export const asyncapi = route('GET /asyncapi.json', {
  summary: 'The AsyncAPI description of the topics of devices and browsers, generated from their schemas.',
  may: 'anyone',
  reply: z.record(z.string(), z.unknown()),
})
