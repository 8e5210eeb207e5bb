import * as z from 'zod/mini'

/** Every error of the API, with its HTTP status. The rules use only the code. */
export const errorStatus = {
  malformed: 400,
  unauthorized: 401,
  bad_credentials: 401,
  second_factor_required: 401,
  bad_code: 401,
  password_change_required: 403,
  second_factor_setup_required: 403,
  forbidden: 403,
  class_forbidden: 403,
  proof_required: 403,
  link_code_refused: 403,
  not_found: 404,
  unknown_device: 404,
  unknown_sim: 404,
  unknown_user: 404,
  unknown_session: 404,
  unknown_message: 404,
  unknown_company: 404,
  unknown_task: 404,
  unknown_api_key: 404,
  unknown_webhook: 404,
  unknown_callback: 404,
  unknown_opt_out: 404,
  unknown_link_code: 404,
  unknown_contact: 404,
  unknown_template: 404,
  unknown_keyword: 404,
  unknown_conversation: 404,
  unknown_campaign: 404,
  unknown_alert_rule: 404,
  unknown_alert: 404,
  unknown_alert_channel: 404,
  device_disconnected: 409,
  device_disabled: 409,
  device_in_maintenance: 409,
  sending_disabled: 409,
  not_able: 409,
  order_under_way: 409,
  no_balance_query: 409,
  sim_away: 409,
  uid_taken: 409,
  name_taken: 409,
  word_taken: 409,
  email_taken: 409,
  last_superadmin: 409,
  second_factor_on: 409,
  second_factor_off: 409,
  second_factor_enforced: 409,
  guid_taken: 409,
  ambiguous_guid: 409,
  task_not_discardable: 409,
  may_have_arrived: 409,
  not_repeatable: 409,
  wrong_state: 409,
  rows_changed: 409,
  upload_incomplete: 409,
  nothing_to_send: 409,
  alert_resolved: 409,
  channel_in_use: 409,
  routes_changed: 409,
  too_large: 413,
  unsupported_media_type: 415,
  invalid: 422,
  too_many_tags: 422,
  confirm_required: 422,
  opted_out: 422,
  not_answerable: 422,
  destination_refused: 422,
  no_consent: 422,
  no_route: 422,
  too_many_attempts: 429,
  daily_limit: 429,
  plan_used: 429,
  recipient_limit: 429,
  quota_reached: 429,
  internal: 500,
  not_ready: 503,
  busy: 503,
  disk_full: 507,
} as const

export type ErrorCode = keyof typeof errorStatus

/** Facts of a sentence, by name. Times are ISO 8601; a device is named by its uid. */
const Params = z.record(z.string(), z.unknown())

/** `field_codes`: the fault of one field, whose `params` are those of `fieldParams`. */
export const FieldError = z.object({ code: z.string(), params: Params })
export type FieldError = z.infer<typeof FieldError>

/** `fields` names the invalid fields, each with a sentence, and `field_codes` says the same for programs. */
export const fieldErrors = {
  fields: z.optional(z.record(z.string(), z.string())),
  field_codes: z.optional(z.record(z.string(), FieldError)),
}

/**
 * The body of every refusal. `params` are those of `errorParams`: with them and the code, a program can say `detail` in
 * another language. `status` repeats `detail` for routes where the spec requires it. `companies` comes with
 * `ambiguous_guid` and lists those that have the guid, `state` of the campaign with `wrong_state`, and the number of
 * `sendable` rows with `rows_changed`.
 */
export const ApiError = z.object({
  detail: z.string(),
  code: z.string(),
  /** Always sent; an answer without it came from another program on the way. */
  params: z._default(Params, () => ({})),
  ...fieldErrors,
  status: z.optional(z.string()),
  companies: z.optional(z.array(z.int())),
  state: z.optional(z.string()),
  sendable: z.optional(z.int()),
})
export type ApiError = z.infer<typeof ApiError>
