import * as z from 'zod/mini'
import { Country } from '@sdd/contract/core/countries.ts'
import { SendingHours } from '@sdd/contract/accounts/sending-hours.ts'
import { CompanyQuery, Instant, wholeFields } from '@sdd/contract/core/fields.ts'
import { route } from '@sdd/contract/core/route.ts'

export const InboxRole = z.enum(['user', 'admin'])
export type InboxRole = z.infer<typeof InboxRole>

export const GlobalSettings = z.object({
  id: z.int(),
  company_id: z.int(),
  /** The least time between two messages handed to one device. */
  spoof_time_secs: z.int(),
  /** Off: no device of the company gets messages. */
  send_enabled: z.boolean(),
  /** When `send_enabled` last changed; null before the first change. */
  sending_changed_at: z.nullable(Instant),
  /** The name of the user who changed it; null if no user did. */
  sending_changed_by: z.nullable(z.string()),
  /** Messages that devices have not finished. With sending off, it falls to 0. */
  held: z.int(),
  /** How long finished messages are kept. */
  retention_days: z.int(),
  /** An SMS that consists of one of these words blocks its sender. */
  stop_words: z.array(z.string()),
  /** Off: a new device gets nothing until an admin enables it. */
  new_devices_enabled: z.boolean(),
  /** On: admins and superadmins of the company must set up a second factor before anything else. */
  require_second_factor: z.boolean(),
  /** Numbers without a country code are read as those of this country. */
  default_country: Country,
  /** When marketing and transactional messages may be handed over. */
  sending_hours: SendingHours,
  /** The least role that may read conversations and received SMS. */
  inbox_role: InboxRole,
})
export type GlobalSettings = z.infer<typeof GlobalSettings>

export const GlobalSettingsChange = z.object({
  id: z.optional(z.nullable(z.int())),
  spoof_time_secs: z.int().check(z.gte(0), z.lte(86_400)),
  send_enabled: z.boolean(),
  /** Unchanged if absent. */
  retention_days: z.optional(z.int().check(z.gte(1), z.lte(3_650))),
  stop_words: z.optional(
    z
      .array(
        z
          .string()
          .check(z.trim(), z.maxLength(40), z.regex(/[\p{L}\p{N}]/u, 'must have a letter or a digit')),
      )
      .check(z.maxLength(50)),
  ),
  new_devices_enabled: z.optional(z.boolean()),
  require_second_factor: z.optional(z.boolean()),
  /** Changes how numbers are read from now on. Stored numbers stay as they are. */
  default_country: z.optional(Country),
  sending_hours: z.optional(SendingHours).register(wholeFields, { whole: true }),
  inbox_role: z.optional(InboxRole),
})
export type GlobalSettingsChange = z.infer<typeof GlobalSettingsChange>

export const readGlobalSettings = route('GET /api/global-settings', {
  summary: 'The settings, one record per company.',
  reply: z.object({ settings: z.array(GlobalSettings) }),
})

export const saveGlobalSettings = route('POST /api/global-settings', {
  summary: "Saves the company's settings.",
  may: 'settings:write',
  query: CompanyQuery,
  body: GlobalSettingsChange,
  reply: GlobalSettings,
  errors: ['unknown_company'],
})
