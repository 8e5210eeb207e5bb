import * as z from 'zod/mini'
import { CompanyQuery, countParam, Cursor, IdParam, Instant, PhoneNumber } from '@sdd/contract/core/fields.ts'
import { route } from '@sdd/contract/core/route.ts'

/** A number to which the company sends nothing. */
export const OptOut = z.object({
  id: z.int(),
  company_id: z.int(),
  number: z.string(),
  /** The SMS that asked for it, if any. */
  text: z.nullable(z.string()),
  /** The device that received that SMS. */
  device_uid: z.nullable(z.string()),
  /** The person who added it, if any. */
  created_by: z.nullable(z.string()),
  created_at: Instant,
})
export type OptOut = z.infer<typeof OptOut>

export const OptOutSelection = z.object({
  /** Part of the number. */
  search: z.optional(z.string().check(z.maxLength(40))),
  limit: z._default(countParam(1, 1_000), 500),
  cursor: z.optional(Cursor),
})
export type OptOutSelection = z.infer<typeof OptOutSelection>

export const listOptOuts = route('GET /api/opt-outs', {
  summary: 'Lists the blocked numbers, newest first, in pages.',
  may: 'opt-outs:manage',
  query: OptOutSelection,
  reply: z.object({ opt_outs: z.array(OptOut), next_cursor: z.nullable(Cursor) }),
})

export const addOptOut = route('POST /api/opt-outs', {
  summary: 'Blocks a number for the company. Messages waiting for it fail.',
  may: 'opt-outs:manage',
  query: CompanyQuery,
  body: z.strictObject({ number: PhoneNumber }),
  reply: OptOut,
  status: 201,
  errors: ['unknown_company'],
})

export const liftOptOut = route('DELETE /api/opt-outs/:id', {
  summary: 'Unblocks a number. The audit log records the caller.',
  may: 'opt-outs:manage',
  params: z.object({ id: IdParam }),
  errors: ['unknown_opt_out'],
})
