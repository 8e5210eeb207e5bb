import * as z from 'zod/mini'
import { CompanyQuery } from '@sdd/contract/core/fields.ts'
import { route } from '@sdd/contract/core/route.ts'

/** What a company may have at once, and how much of it where nobody has said otherwise. */
export const USUAL_QUOTAS = {
  devices: 10_000,
  /** Tasks that no device has yet. */
  waiting_tasks: 1_000_000,
  api_keys: 500,
  /** Those who are disabled included. */
  users: 1_000,
  /** Of one user: past it, the session that was not used for longest ends. */
  sessions: 200,
  /** Of browsers, at each server. */
  live_connections: 500,
  /** Those that still work. */
  link_codes: 1_000,
  webhooks: 20,
} as const

export type QuotaName = keyof typeof USUAL_QUOTAS

export const quotaNames = Object.keys(USUAL_QUOTAS) as QuotaName[]

const Quota = z.object({
  most: z.int(),
  /** What `most` is where nobody has said otherwise. */
  usual: z.int(),
  /** Null where it is counted by user or by server. */
  used: z.nullable(z.int()),
})

/** By name. */
function each<S extends z.ZodMiniType>(schema: S) {
  return z.object({
    devices: schema,
    waiting_tasks: schema,
    api_keys: schema,
    users: schema,
    sessions: schema,
    live_connections: schema,
    link_codes: schema,
    webhooks: schema,
  })
}

export const Quotas = z.object({ company_id: z.int(), quotas: each(Quota) })
export type Quotas = z.infer<typeof Quotas>

/** Null: the usual one again. What is absent stays. */
export const QuotasChange = each(z.optional(z.nullable(z.int().check(z.gte(0), z.lte(1_000_000_000)))))
export type QuotasChange = z.infer<typeof QuotasChange>

export const readQuotas = route('GET /api/quotas', {
  summary: 'How much the company may have at once, and how much it has; of another company for a superadmin.',
  may: 'quotas:read',
  query: CompanyQuery,
  reply: Quotas,
  errors: ['unknown_company'],
})

export const saveQuotas = route('POST /api/quotas', {
  summary: 'Sets how much a company may have at once. What it has already stays.',
  may: 'quotas:write',
  query: CompanyQuery,
  body: QuotasChange,
  reply: Quotas,
  errors: ['unknown_company'],
})
