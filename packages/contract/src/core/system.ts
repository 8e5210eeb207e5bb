import * as z from 'zod/mini'
import { route } from './route.ts'

/**
 * `short_of_room`: it takes what devices report, and no new messages or tasks. `broker_unreachable`: it takes those, and
 * they wait until it reaches the broker of the devices again. `detail` says why.
 */
export const Readiness = z.object({
  status: z.enum(['ready', 'short_of_room', 'broker_unreachable']),
  detail: z.optional(z.string()),
})
export type Readiness = z.infer<typeof Readiness>

export const readiness = route('GET /readyz', {
  summary: 'Whether the server takes work, and why not where it does not.',
  may: 'anyone',
  reply: Readiness,
  errors: ['not_ready', 'disk_full'],
})

export const liveness = route('GET /healthz', {
  summary: 'Whether the process answers at all.',
  may: 'anyone',
  reply: z.object({ status: z.string() }),
})

export const openapi = route('GET /api/openapi.json', {
  summary: "The API's own description, made from the schemas that validate it.",
  may: 'anyone',
  reply: z.record(z.string(), z.unknown()),
})
