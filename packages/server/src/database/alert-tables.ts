import type { ChannelKind } from '@sdd/contract/outward/alert-channels.ts'
import type { AlertCondition, AlertEvent, AlertSubject, RateOf } from '@sdd/contract/outward/alerts.ts'
import type { Generated } from '@sdd/storage/tables.ts'

/** The tables about alerts, a part of schema.ts. */

/** ISO 8601 in UTC with milliseconds. */
type Instant = string
type Flag = 0 | 1

export type AlertRules = {
  id: Generated<number>
  company_id: number
  condition: AlertCondition
  value: number | null
  rate_of: RateOf | null
  rate_over: number | null
  /** JSON: sorted tags. */
  tags: string
  /** JSON: ids. */
  channels: Generated<string>
  /** JSON: when its channels are told. */
  hours: string | null
  enabled: Flag
}

/** What a rule has noticed and not forgotten: a condition that holds, or an alert that is open. */
export type AlertWatches = {
  rule_id: number
  subject_id: string
  since: Instant
  /** Checks in a row that found the condition, as far as they matter. */
  checks: number
  gone_since: Instant | null
  gone_checks: number
  /** The device is in maintenance. */
  paused: Flag
  /** The open alert; null while the time of the rule is not over. */
  alert_id: number | null
}

export type Alerts = {
  id: Generated<number>
  company_id: number
  rule_id: number
  condition: AlertCondition
  value: number | null
  subject_kind: AlertSubject['kind']
  subject_id: string
  subject_name: string | null
  since: Instant
  opened_at: Instant
  acknowledged_by: number | null
  acknowledged_name: string | null
  acknowledged_at: Instant | null
  resolved_at: Instant | null
  /** When a channel was first told. */
  said_at: Instant | null
  /** JSON: the facts of its sentence. */
  facts: string
}

/** A company without a row has the default settings. */
export type AlertSettingsRows = {
  company_id: number
  join_secs: number
  repeat_mins: number
  tell_resolved: Flag
}

export type AlertChannels = {
  id: Generated<number>
  company_id: number
  kind: ChannelKind
  name: string
  /** Empty if the kind has none. */
  url: string
  /** Of Telegram the chat, of ntfy the topic, of SMS the number; of e-mail a JSON list of addresses. */
  recipient: string | null
  token: string | null
  webhook_secret: string | null
  last_at: Instant | null
  last_delivered: Flag | null
  last_detail: string | null
}

/** A message to a channel about alerts of one rule. */
export type AlertMessages = {
  id: Generated<number>
  company_id: number
  channel_id: number
  rule_id: number
  event: AlertEvent
  /** The same for every try. */
  webhook_id: string
  state: 'waiting' | 'delivered' | 'dead'
  due_at: Instant
  /** Until then more alerts may join it. */
  joins_until: Generated<Instant>
  /** Null before its first try, and never changed after it. */
  body: string | null
  /** The SMS that the present try sends. */
  sms_guid: string | null
  tries: Generated<number>
  tried_at: Instant | null
  detail: string | null
}

/** The alerts that a message is about. */
export type AlertTellings = { message_id: number; alert_id: number }
