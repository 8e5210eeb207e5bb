import type { AuditSubject } from '@sdd/contract/accounts/audit.ts'
import type { CallbackState } from '@sdd/contract/outward/callbacks.ts'
import * as z from 'zod/mini'
import { orUndefined } from '#console/core/search.ts'
import { limitSorts } from '#console/fleet/limits/search.ts'

const word = orUndefined(z.optional(z.string().check(z.minLength(1), z.maxLength(100))))
const id = z.string().check(z.regex(/^[1-9]\d*$/))
const day = orUndefined(z.optional(z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/))))

const states = ['waiting', 'delivered', 'dead'] as const satisfies readonly CallbackState[]
const subjects = [
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
] as const satisfies readonly AuditSubject[]

/** The screen's search parameters. Invalid ones are ignored. */
export const SettingsSearch = z.object({
  tab: orUndefined(
    z.optional(
      z.enum([
        'devices',
        'api-keys',
        'callbacks',
        'opt-outs',
        'keywords',
        'alerts',
        'destinations',
        'quotas',
        'audit',
      ]),
    ),
  ),
  /** The company whose settings, destinations and quotas are shown; absent for the user's own. */
  company: orUndefined(z.optional(id)),
  /** The search of the tab's list: a uid, guid, number or name. */
  search: word,
  /** The uid of the device whose limit is being edited. */
  edit: word,
  /** The order of the devices' limits. */
  sort: orUndefined(z.optional(z.enum(limitSorts))),
  desc: orUndefined(z.optional(z.literal('true'))),
  /** `new` or `new-channel`, the id of the open row, or an id after a word such as `webhook-`, `test-` or `remove-`. */
  open: orUndefined(z.optional(z.string().check(z.regex(/^(new(-channel)?|([a-z]+-)?[1-9]\d*)$/)))),
  state: orUndefined(z.optional(z.enum(states))),
  /** The subject filter and time range of the audit log, in the browser's zone. */
  subject: orUndefined(z.optional(z.enum(subjects))),
  kind: orUndefined(z.optional(z.enum(['logins', 'failed', 'sending']))),
  from: day,
  to: day,
})
export type SettingsSearch = z.infer<typeof SettingsSearch>
