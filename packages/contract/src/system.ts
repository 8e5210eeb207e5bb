import * as z from 'zod/mini'
import { route } from './route.ts'

export const readiness = route('GET /readyz', {
  summary: 'Whether the server takes work.',
  may: 'anyone',
  reply: z.object({ status: z.string() }),
  errors: ['not_ready'],
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
