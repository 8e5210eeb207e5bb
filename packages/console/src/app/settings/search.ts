import type { AuditSubject } from '@sdd/contract/accounts/audit.ts'
import type { CallbackState } from '@sdd/contract/outward/callbacks.ts'
import * as z from 'zod/mini'
import { orNothing } from '#console/core/search.ts'

const word = orNothing(z.optional(z.string().check(z.minLength(1), z.maxLength(100))))
const id = z.string().check(z.regex(/^[1-9]\d*$/))
const day = orNothing(z.optional(z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/))))

const states = ['waiting', 'delivered', 'dead'] as const satisfies readonly CallbackState[]
const subjects = [
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
] as const satisfies readonly AuditSubject[]

/** The screen's address; what it does not understand it leaves out. */
export const SettingsSearch = z.object({
  tab: orNothing(
    z.optional(z.enum(['devices', 'api-keys', 'callbacks', 'opt-outs', 'destinations', 'quotas', 'audit'])),
  ),
  /** Whose global settings, destinations and quotas are shown; absent: one's own company's. */
  company: orNothing(z.optional(id)),
  /** What the tab's list is searched for: a uid, a guid, a number, a name. */
  search: word,
  /** The uid of the device whose limit is being edited. */
  edit: word,
  /** `new`, or the id of the row that is open; behind `webhook-` that of a webhook, behind `rotate-` of what is rotated. */
  open: orNothing(z.optional(z.string().check(z.regex(/^(new|(webhook-|rotate-)?[1-9]\d*)$/)))),
  /** Of callbacks. */
  state: orNothing(z.optional(z.enum(states))),
  /** Of the audit log, with the times between which it is shown, in the browser's zone. */
  subject: orNothing(z.optional(z.enum(subjects))),
  from: day,
  to: day,
})
export type SettingsSearch = z.infer<typeof SettingsSearch>
