import * as z from 'zod/mini'
import { IdParam } from './fields.ts'
import { Role } from './roles.ts'
import { route } from './route.ts'

export const User = z.object({
  id: z.int(),
  name: z.string(),
  email: z.string(),
  role: Role,
  enabled: z.boolean(),
  companyId: z.int(),
  company: z.string(),
})
export type User = z.infer<typeof User>

export const readUser = route('GET /api/user/:id', {
  summary: 'One user of a company that the caller sees.',
  params: z.object({ id: IdParam }),
  reply: User,
  errors: ['unknown_user'],
})
