import * as z from 'zod/mini'
import { Instant } from './fields.ts'
import type { ErrorCode } from './errors.ts'

const none = z.object({})
const device = z.string()
const number = z.string()

/** `forbidden`: what would have to be different. */
export const ForbiddenReason = z.enum([
  /** The caller's `role` lacks the permission. */
  'role',
  'api_key',
  /** The request comes from a page of another origin. */
  'foreign_page',
  /** The caller's access changed during the call. */
  'access_changed',
  /** The other user, `name`, has a higher `role`. */
  'higher_user',
  /** The caller cannot give this `role`. */
  'higher_role',
  'other_company',
  'sessions_of_others',
  /** One's own second factor is turned off with the password and a code. */
  'own_second_factor',
  'broker_secret',
])
export type ForbiddenReason = z.infer<typeof ForbiddenReason>

/** The `params` of each error. Those of most errors are empty, as their code says everything. */
export const errorParams = {
  malformed: none,
  unauthorized: none,
  bad_credentials: none,
  second_factor_required: none,
  bad_code: none,
  password_change_required: none,
  second_factor_setup_required: none,
  forbidden: z.object({
    reason: ForbiddenReason,
    role: z.optional(z.string()),
    name: z.optional(z.string()),
  }),
  /** Those that the API key may send. */
  class_forbidden: z.object({ class: z.string(), classes: z.array(z.string()) }),
  proof_required: none,
  link_code_refused: none,
  not_found: none,
  unknown_device: none,
  unknown_sim: none,
  unknown_user: none,
  unknown_session: none,
  unknown_message: none,
  unknown_company: none,
  unknown_task: none,
  unknown_api_key: none,
  unknown_webhook: none,
  unknown_callback: none,
  unknown_opt_out: none,
  unknown_link_code: none,
  unknown_contact: none,
  unknown_template: none,
  unknown_keyword: none,
  unknown_conversation: none,
  unknown_campaign: none,
  unknown_alert_rule: none,
  unknown_alert: none,
  unknown_alert_channel: none,
  device_disconnected: z.object({ device, since: Instant }),
  device_disabled: z.object({ device, since: Instant }),
  device_in_maintenance: z.object({ device, until: Instant }),
  /** `by` is null if no person switched it off. */
  sending_disabled: z.object({ since: Instant, by: z.nullable(z.string()) }),
  /** Not among the abilities of the device. */
  not_able: z.object({ device, what: z.string() }),
  order_under_way: z.object({ order: z.int() }),
  no_balance_query: none,
  sim_away: none,
  uid_taken: none,
  name_taken: none,
  word_taken: none,
  email_taken: none,
  last_superadmin: z.object({ name: z.string() }),
  second_factor_on: none,
  second_factor_off: none,
  second_factor_enforced: none,
  guid_taken: none,
  ambiguous_guid: none,
  /** `device` has accepted it at that time; or it ended in `state`, and `device` is null. */
  task_not_discardable: z.object({ device: z.nullable(device), state: z.string(), at: z.nullable(Instant) }),
  may_have_arrived: none,
  not_repeatable: none,
  /** Of a campaign. */
  wrong_state: z.object({ state: z.string() }),
  /** The rows of the campaign that can be sent now. */
  rows_changed: z.object({ sendable: z.int() }),
  upload_incomplete: none,
  nothing_to_send: none,
  alert_resolved: none,
  channel_in_use: none,
  /** The present version of the list. */
  routes_changed: z.object({ version: z.int() }),
  too_large: none,
  unsupported_media_type: none,
  invalid: none,
  /** `max`: the most tags of a device. */
  too_many_tags: z.object({ max: z.int() }),
  confirm_required: none,
  /** `by` is null if the number asked for it by SMS. */
  opted_out: z.object({ number, at: Instant, by: z.nullable(z.string()) }),
  no_consent: z.object({ number }),
  /** The id of the route that refuses it, and its tag; null: it refuses all. */
  no_route: z.object({ route: z.int(), tag: z.nullable(z.string()) }),
  not_answerable: none,
  /** The `prefix` on the deny list; null if the number has none of the allow list. */
  destination_refused: z.object({ number, prefix: z.nullable(z.string()) }),
  /** In seconds. */
  too_many_attempts: z.object({ retry_after: z.int() }),
  daily_limit: z.object({ device, limit: z.int(), sent: z.int(), parts: z.int(), until: Instant }),
  /** The plan that renews first. `valid_until` is the last day of its SIM, if that is over; then `at` is past. */
  plan_used: z.object({ device, iccid: z.string(), at: Instant, valid_until: z.optional(z.string()) }),
  recipient_limit: z.object({ number, limit: z.int(), until: Instant }),
  quota_reached: z.object({ quota: z.string() }),
  internal: none,
  not_ready: none,
  busy: none,
  disk_full: none,
} as const satisfies Record<ErrorCode, z.ZodMiniType>

export type ErrorParams<Code extends ErrorCode> = z.infer<(typeof errorParams)[Code]>

/** The errors whose `params` are never empty. */
export type TellingCode = {
  [Code in ErrorCode]: typeof none extends (typeof errorParams)[Code] ? never : Code
}[ErrorCode]

const bound = z.nullable(z.union([z.number(), Instant]))

/** The `params` of each code in `field_codes`. */
export const fieldParams = {
  required: none,
  too_short: z.object({ min: z.number() }),
  /** Of a text, or of a list. */
  too_long: z.object({ max: z.number() }),
  /** Of a number, or of a time. Null: no bound. */
  out_of_range: z.object({ min: bound, max: bound }),
  not_one_of: z.object({ values: z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])) }),
  number_format: none,
  email_format: none,
  bad_format: none,
  too_many_segments: z.object({ segments: z.int(), max: z.int() }),
  unknown_field: none,
  taken: none,
  /** Or nearly the user's name, their e-mail, or the product's name. */
  common_password: none,
  /** A password or code that is not right. */
  wrong: none,
  /** A code that may move money or change the plan is not written twice. */
  confirm_required: none,
  /** The new password is the old one. */
  unchanged: none,
  /** One's own password has a call of its own. */
  own_password: none,
  /** Callbacks may not go to this address. */
  address_refused: none,
  /** Only an API key may set it. */
  needs_api_key: none,
  /** A quota of the company is used up; `max` is its size. */
  too_many: z.object({ max: z.int() }),
  destination_refused: z.object({ prefix: z.nullable(z.string()) }),
  /** Marketing to a contact without a recorded consent. */
  no_consent: none,
} as const

export type FieldCode = keyof typeof fieldParams

/** The fault of a field: its code, and the facts of its sentence. */
export type FieldFault = {
  [Code in FieldCode]: { code: Code; params: z.infer<(typeof fieldParams)[Code]> }
}[FieldCode]
