import * as z from 'zod/mini'
import { CompanyQuery } from '@sdd/contract/core/fields.ts'
import { route } from '@sdd/contract/core/route.ts'

/** The default limits of a company. */
export const USUAL_QUOTAS = {
  devices: 10_000,
  /** Tasks that no device has yet. */
  waiting_tasks: 1_000_000,
  api_keys: 500,
  /** Including disabled users. */
  users: 1_000,
  /** Per user: above it, the least recently used session ends. */
  sessions: 200,
  /** Browser connections, per server. */
  live_connections: 500,
  /** Only codes that still work. */
  link_codes: 1_000,
  webhooks: 20,
} as const

export type QuotaName = keyof typeof USUAL_QUOTAS

export const quotaNames = Object.keys(USUAL_QUOTAS) as QuotaName[]

const Quota = z.object({
  most: z.int(),
  /** The default for `most`. */
  usual: z.int(),
  /** Null if it is counted per user or per server. */
  used: z.nullable(z.int()),
})

/** Keyed by name. */
function each<S extends z.ZodMiniType>(schema: S) {
  return {
    devices: schema,
    waiting_tasks: schema,
    api_keys: schema,
    users: schema,
    sessions: schema,
    live_connections: schema,
    link_codes: schema,
    webhooks: schema,
  }
}

export const Quotas = z.object({ company_id: z.int(), quotas: z.object(each(Quota)) })
export type Quotas = z.infer<typeof Quotas>

/** Null restores the default. An absent limit is unchanged. */
export const QuotasChange = z.strictObject(
  each(z.optional(z.nullable(z.int().check(z.gte(0), z.lte(1_000_000_000))))),
)
export type QuotasChange = z.infer<typeof QuotasChange>

export const readQuotas = route('GET /api/quotas', {
  summary: "The company's limits and current use. A superadmin may name another company.",
  may: 'quotas:read',
  query: CompanyQuery,
  reply: Quotas,
  errors: ['unknown_company'],
})

export const saveQuotas = route('POST /api/quotas', {
  summary: "Sets a company's limits. Existing items above them are kept.",
  may: 'quotas:write',
  query: CompanyQuery,
  body: QuotasChange,
  reply: Quotas,
  errors: ['unknown_company'],
})
