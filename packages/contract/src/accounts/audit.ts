import * as z from 'zod/mini'
import { AnyInstant, countParam, Cursor, Instant } from '@sdd/contract/core/fields.ts'
import { route } from '@sdd/contract/core/route.ts'

/** What kind of thing it was done to. */
export const AuditSubject = z.enum([
  'user',
  'device',
  'settings',
  'api_key',
  'webhook',
  'opt_out',
  'link_code',
  'task',
  'callback',
  'log',
  'destinations',
  'call',
])
export type AuditSubject = z.infer<typeof AuditSubject>

/** Who did what. Secrets and passwords are never in it. */
export const AuditEntry = z.object({
  id: z.int(),
  /** Null where it concerns no company: for superadmins only. */
  company_id: z.nullable(z.int()),
  at: Instant,
  /** The user who did it, or the API key, by name; null where nobody is known. */
  by: z.nullable(z.string()),
  /** Null where no user did it. */
  user_id: z.nullable(z.int()),
  /** The IP address it was done from; null where that is not known. */
  address: z.nullable(z.string()),
  /** `user.created`, `device.disabled`, `settings.saved`, `api_key.revoked`, `opt_out.lifted`, … */
  action: z.string(),
  subject: AuditSubject,
  /** Which one, as people name it: a uid, a user's name, a number. Null for a name that nobody has. */
  name: z.nullable(z.string()),
  /** What it was and what it is, by field. */
  changes: z.record(z.string(), z.object({ from: z.unknown(), to: z.unknown() })),
})
export type AuditEntry = z.infer<typeof AuditEntry>

export const AuditSelection = z.object({
  subject: z.optional(AuditSubject),
  /** A part of the name of who did it or of what was changed. */
  search: z.optional(z.string().check(z.maxLength(100))),
  from: z.optional(AnyInstant),
  to: z.optional(AnyInstant),
  limit: z._default(countParam(1, 1_000), 500),
  cursor: z.optional(Cursor),
})
export type AuditSelection = z.infer<typeof AuditSelection>

export const listAudit = route('GET /api/audit-log', {
  summary: 'Who changed what, newest first, in pages.',
  may: 'audit:read',
  query: AuditSelection,
  reply: z.object({ entries: z.array(AuditEntry), next_cursor: z.nullable(Cursor) }),
})
