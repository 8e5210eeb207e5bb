import * as z from 'zod/mini'
import { Hours } from '@sdd/contract/accounts/sending-hours.ts'
import { CompanyQuery, countParam, Cursor, IdParam, Instant } from '@sdd/contract/core/fields.ts'
import { route } from '@sdd/contract/core/route.ts'
import { channelFaultFields } from '@sdd/contract/outward/alert-channels.ts'
import { Tags } from '@sdd/contract/fleet/tags.ts'

/** The most rules of a company. */
export const MAX_ALERT_RULES = 100
/** The most channels of a company. */
export const MAX_ALERT_CHANNELS = 50

/**
 * The `value` of each condition, from the least to the most; null: it has none. The last three are about the whole
 * installation, and only superadmins see them.
 */
export const conditionValues = {
  /** Minutes. */
  device_away: [0, 10_080],
  /** Minutes. */
  radio_not_ready: [0, 1_440],
  device_quarantined: null,
  /** Percent. */
  failure_rate: [1, 100],
  /** Minutes. */
  queue_age: [1, 1_440],
  /** Percent. */
  daily_limit_used: [1, 100],
  /** Percent. */
  plan_used: [1, 100],
  /** Days. */
  sim_expires: [0, 365],
  /** An amount in the currency of the balance, with decimals. */
  balance_low: [0, 1_000_000_000],
  /** Deliveries in a row. */
  webhook_failing: [1, 100],
  /** Hours. */
  backup_age: [1, 720],
  /** MiB. */
  disk_short: [1, 10_000_000],
  /** Days. */
  certificate_expires: [1, 90],
} as const satisfies Record<string, readonly [least: number, most: number] | null>

export type AlertCondition = keyof typeof conditionValues
export const alertConditions = Object.keys(conditionValues) as [AlertCondition, ...AlertCondition[]]
export const AlertCondition = z.enum(alertConditions)

/** Conditions whose subjects are devices, so that tags can choose among them. */
export const deviceConditions: readonly AlertCondition[] = [
  'device_away',
  'radio_not_ready',
  'device_quarantined',
  'daily_limit_used',
]

/** Conditions whose subjects are SIM cards. Tags choose those in devices that have one of them. */
export const simConditions: readonly AlertCondition[] = ['plan_used', 'sim_expires', 'balance_low']

export const installationConditions: readonly AlertCondition[] = [
  'backup_age',
  'disk_short',
  'certificate_expires',
]

/** What a failure rate is computed for. */
export const RateOf = z.enum(['device', 'company'])
export type RateOf = z.infer<typeof RateOf>

export const AlertRule = z.object({
  id: z.int(),
  company_id: z.int(),
  condition: AlertCondition,
  /** Null if the condition has none. */
  value: z.nullable(z.number()),
  /** Only of `failure_rate`; otherwise null, as is `over`. */
  by: z.nullable(RateOf),
  over: z.nullable(z.int()),
  /** Only devices that have one of them; empty: all. */
  tags: z.array(z.string()),
  /** The ids of the channels that are told. */
  channels: z.array(z.int()),
  /** When its channels are told; null: at any time. */
  hours: z.nullable(Hours),
  enabled: z.boolean(),
})
export type AlertRule = z.infer<typeof AlertRule>

/** Not in the zone of a recipient, because a channel has none. */
const DutyHours = Hours.check(
  z.refine(({ zone }) => zone !== 'recipient', {
    path: ['zone'],
    error: 'must be the name of a zone such as Europe/Madrid',
  }),
)

export const AlertRuleChange = z.strictObject({
  /** Absent: a new one. */
  id: z.optional(z.nullable(z.int())),
  /** Required for a new one. It never changes. */
  condition: z.optional(AlertCondition),
  value: z.optional(z.nullable(z.number())),
  by: z.optional(RateOf),
  over: z.optional(z.int().check(z.gte(5), z.lte(1_000))),
  tags: z.optional(Tags),
  channels: z.optional(z.array(z.int()).check(z.maxLength(MAX_ALERT_CHANNELS))),
  hours: z.optional(z.nullable(DutyHours)),
  enabled: z.optional(z.boolean()),
})
export type AlertRuleChange = z.infer<typeof AlertRuleChange>

export const AlertSubject = z.object({
  kind: z.enum(['device', 'sim', 'webhook', 'company', 'installation']),
  /** A uid, an ICCID, or an id as text. */
  id: z.string(),
  /** The name of a device or company, the number of a SIM, or the address of a webhook. */
  name: z.nullable(z.string()),
})
export type AlertSubject = z.infer<typeof AlertSubject>

/** `repeated`: the alert is still open, and no user has acknowledged it. */
export const AlertEvent = z.enum(['opened', 'resolved', 'repeated'])
export type AlertEvent = z.infer<typeof AlertEvent>

/** A message to a channel. `delivered` is null while it waits for its time or for another try. */
export const AlertTold = z.object({
  /** The id of the channel. */
  channel: z.int(),
  event: AlertEvent,
  /** When it was tried last; null: not yet. */
  at: z.nullable(Instant),
  delivered: z.nullable(z.boolean()),
  tries: z.int(),
  /** Why the last try failed. */
  ...channelFaultFields,
})
export type AlertTold = z.infer<typeof AlertTold>

export const Alert = z.object({
  id: z.int(),
  company_id: z.int(),
  /** As it was when the alert opened. */
  rule: z.object({ id: z.int(), condition: AlertCondition, value: z.nullable(z.number()) }),
  subject: AlertSubject,
  /** When the condition began. */
  since: Instant,
  opened_at: Instant,
  /** When a channel was first told; null: not yet. */
  said_at: z.nullable(Instant),
  acknowledged_by: z.nullable(z.object({ id: z.int(), name: z.string() })),
  acknowledged_at: z.nullable(Instant),
  /** Null while it is open. */
  resolved_at: z.nullable(Instant),
  /** An English sentence; `detail_params` has its facts. */
  detail: z.string(),
  detail_params: z.record(z.string(), z.unknown()),
  /** What each channel was told, oldest first. Empty for users who may not manage alerts. */
  told: z.array(AlertTold),
})
export type Alert = z.infer<typeof Alert>

/** The JSON posted to a channel of the kind `webhook`. */
export const AlertBody = z.object({
  type: z.enum(['alert.opened', 'alert.resolved', 'alert.repeated', 'alert.test']),
  at: Instant,
  /** An English sentence. */
  text: z.string(),
  /** How many alerts it is about. */
  count: z.int(),
  /** Null in a test. */
  rule: z.nullable(z.object({ id: z.int(), condition: AlertCondition, value: z.nullable(z.number()) })),
  /** The first five of them. */
  alerts: z.array(z.omit(Alert, { told: true })),
})
export type AlertBody = z.infer<typeof AlertBody>

export const AlertSelection = z.object({
  /** `false`: only those that are resolved. Absent: all. */
  open: z.optional(z.enum(['true', 'false'])),
  limit: z._default(countParam(1, 1_000), 100),
  cursor: z.optional(Cursor),
})
export type AlertSelection = z.infer<typeof AlertSelection>

/** The JSON posted to the webhooks of a company that name this event. */
export const AlertEventBody = z.object({
  type: z.enum(['alert.opened', 'alert.resolved']),
  at: Instant,
  alert: z.omit(Alert, { told: true }),
})
export type AlertEventBody = z.infer<typeof AlertEventBody>

/** How the channels of a company are told. */
export const AlertSettings = z.object({
  /** Alerts of one rule that open, or are resolved, within this time of the first are one message. */
  join_secs: z.int().check(z.gte(0), z.lte(600)),
  /** An open alert is told again this often until somebody acknowledges it; 0: never. */
  repeat_mins: z.int().check(z.gte(0), z.lte(1_440)),
  /** Whether channels are told of the end as well. */
  tell_resolved: z.boolean(),
})
export type AlertSettings = z.infer<typeof AlertSettings>

/** The settings of a company that has set none. */
export const DEFAULT_ALERT_SETTINGS: AlertSettings = { join_secs: 10, repeat_mins: 0, tell_resolved: true }

/** Absent fields stay. */
export const AlertSettingsChange = z.strictObject({
  join_secs: z.optional(AlertSettings.shape.join_secs),
  repeat_mins: z.optional(AlertSettings.shape.repeat_mins),
  tell_resolved: z.optional(AlertSettings.shape.tell_resolved),
})
export type AlertSettingsChange = z.infer<typeof AlertSettingsChange>

export const readAlertSettings = route('GET /api/alert-settings', {
  summary: 'How the channels of the company are told about alerts.',
  query: CompanyQuery,
  reply: AlertSettings,
  errors: ['unknown_company'],
})

export const saveAlertSettings = route('POST /api/alert-settings', {
  summary: 'Changes how the channels of the company are told about alerts.',
  may: 'alerts:manage',
  query: CompanyQuery,
  body: AlertSettingsChange,
  reply: AlertSettings,
  errors: ['unknown_company'],
})

export const listAlertRules = route('GET /api/alert-rules', {
  summary: 'The rules that open alerts.',
  may: 'alerts:manage',
  reply: z.object({ alert_rules: z.array(AlertRule) }),
})

export const saveAlertRule = route('POST /api/alert-rules', {
  summary: 'Creates a rule for alerts, or changes the one with this id.',
  may: 'alerts:manage',
  query: CompanyQuery,
  body: AlertRuleChange,
  reply: AlertRule,
  status: 201,
  otherStatus: 200,
  errors: ['unknown_company', 'unknown_alert_rule'],
})

export const deleteAlertRule = route('DELETE /api/alert-rules/:id', {
  summary: 'Removes a rule and closes its open alerts.',
  may: 'alerts:manage',
  params: z.object({ id: IdParam }),
  errors: ['unknown_alert_rule'],
})

export const listAlerts = route('GET /api/alerts', {
  summary: 'Alerts, newest first, in pages.',
  query: AlertSelection,
  reply: z.object({ alerts: z.array(Alert), next_cursor: z.nullable(Cursor) }),
})

export const acknowledgeAlert = route('POST /api/alerts/:id/acknowledge', {
  summary: 'Notes that somebody takes care of an open alert.',
  params: z.object({ id: IdParam }),
  reply: Alert,
  errors: ['unknown_alert', 'alert_resolved'],
})
