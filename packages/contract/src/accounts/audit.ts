import * as z from 'zod/mini'
import { AnyInstant, countParam, Cursor, Instant } from '@sdd/contract/core/fields.ts'
import { CsvFile, route } from '@sdd/contract/core/route.ts'

/** The kind of thing that was changed. */
export const AuditSubject = z.enum([
  'user',
  'device',
  'sim',
  'settings',
  'api_key',
  'webhook',
  'opt_out',
  'link_code',
  'task',
  'callback',
  'log',
  'destinations',
  'routes',
  'consent',
  'campaign',
  'alert',
  'call',
])
export type AuditSubject = z.infer<typeof AuditSubject>

/**
 * An action of an entry: the subject, and the change to it. Logins are about users. This is only a type, because a
 * newer server may have other actions.
 */
export type AuditAction =
  | `user.${'created' | 'edited'}`
  | `user.second_factor_${'enabled' | 'disabled' | 'removed'}`
  | `user.${'recovery_codes_renewed' | 'session_ended' | 'sessions_ended'}`
  | `login.${'succeeded' | 'failed' | 'locked'}`
  | `device.${'linked' | 'enabled' | 'disabled' | 'changed' | 'limit_saved' | 'secret_renewed' | 'unlinked'}`
  | 'order.given'
  | 'sim.changed'
  | `link_code.${'created' | 'revoked'}`
  | `settings.${'saved' | 'quotas_changed'}`
  | 'destinations.changed'
  | 'routes.saved'
  | `api_key.${'created' | 'rotated' | 'previous_ended' | 'revoked'}`
  | `webhook.${'created' | 'rotated' | 'previous_ended' | 'removed'}`
  | `task.${'discarded' | 'exported'}`
  | 'callback.repeated'
  | `opt_out.${'added' | 'lifted'}`
  | `consent.${'recorded' | 'withdrawn'}`
  | `campaign.${'created' | 'changed' | 'started' | 'paused' | 'resumed' | 'stopped' | 'removed'}`
  | `alert_rule.${'saved' | 'deleted'}`
  | `alert_channel.${'saved' | 'deleted'}`
  | 'alert_settings.saved'
  | 'alert.acknowledged'
  | 'log.exported'
  | 'call.refused'

/** Who did what. It never contains secrets or passwords. */
export const AuditEntry = z.object({
  id: z.int(),
  /** Null if it concerns no company: visible only to superadmins. */
  company_id: z.nullable(z.int()),
  at: Instant,
  /** The name of the user or API key that did it; null if unknown. */
  by: z.nullable(z.string()),
  /** Null if it was not done by a user. */
  user_id: z.nullable(z.int()),
  /** The IP address of the caller; null if unknown. */
  address: z.nullable(z.string()),
  /** An `AuditAction`. */
  action: z.string(),
  subject: AuditSubject,
  /** The thing's name: a uid, a user's name, a number. Null if nothing has that name. */
  name: z.nullable(z.string()),
  /** Old and new values, by field. */
  changes: z.record(z.string(), z.object({ from: z.unknown(), to: z.unknown() })),
})
export type AuditEntry = z.infer<typeof AuditEntry>

export const AuditSelection = z.object({
  subject: z.optional(AuditSubject),
  /** An action, such as `login.failed`, or all with this beginning, such as `login`. */
  action: z.optional(z.string().check(z.regex(/^[a-z_]{1,40}(\.[a-z_]{1,40})?$/, 'must be an action'))),
  /** Only entries that changed this field, such as `send_enabled`. */
  changed: z.optional(z.string().check(z.regex(/^[a-z_]{1,40}$/, 'must be the name of a field'))),
  /** Part of the name of the actor or of the changed thing. */
  search: z.optional(z.string().check(z.maxLength(100))),
  from: z.optional(AnyInstant),
  to: z.optional(AnyInstant),
  limit: z._default(countParam(1, 1_000), 500),
  cursor: z.optional(Cursor),
})
export type AuditSelection = z.infer<typeof AuditSelection>

export const listAudit = route('GET /api/audit-log', {
  summary: 'Lists the audit log, newest first, in pages.',
  may: 'audit:read',
  query: AuditSelection,
  reply: z.object({ entries: z.array(AuditEntry), next_cursor: z.nullable(Cursor) }),
})

/** The filter of an export, which has no pages. */
export const AuditExport = z.omit(AuditSelection, { limit: true, cursor: true })
export type AuditExport = z.infer<typeof AuditExport>

export const exportAudit = route('GET /api/audit-log.csv', {
  summary:
    'Exports all matching audit entries as CSV (UTF-8, RFC 4180), newest first. The audit log records it.',
  may: 'audit:read',
  query: AuditExport,
  reply: CsvFile,
})
