import type * as worker from '@sdd/storage/worker-read.ts'
import type { Generated, Updateable } from '@sdd/storage/tables.ts'
import type * as storage from '@sdd/storage/tx.ts'
import type { Language } from '@sdd/contract/core/fields.ts'
import type { InboxRole } from '@sdd/contract/accounts/settings.ts'
import type { MessageState } from '@sdd/contract/messages/messages.ts'
import type { QuotaName } from '@sdd/contract/accounts/quotas.ts'
import type { Role } from '@sdd/contract/core/roles.ts'
import type * as alerts from './alert-tables.ts'
import type * as devices from './device-tables.ts'
import type * as people from './people-tables.ts'
import type * as tasks from './task-tables.ts'

/** ISO 8601 in UTC with milliseconds, so that texts sort like times. */
type Instant = string
/** SQLite has no boolean: 0 or 1. */
type Flag = 0 | 1

export type Companies = { id: Generated<number>; name: string; created_at: Instant }

export type Users = {
  id: Generated<number>
  companyId: number
  name: string
  /** Made by `loginKey`, for look-ups and uniqueness. */
  name_key: string
  email: string
  email_key: string
  role: Role
  enabled: Flag
  password_hash: string
  created_at: Instant
  /** Another person set the password. Until the user has changed it, they can do nothing else. */
  must_change_password: Generated<Flag>
  /** Of the console; null: the wording of the specification. */
  language: Language | null
}

/** When a user last logged in. */
export type LastLogins = { user_id: number; at: Instant }

export type Sessions = {
  id: Generated<number>
  user_id: number
  token_hash: string
  created_at: Instant
  /** Accurate to 5 minutes. */
  last_used_at: Instant
  expires_at: Instant
  /** When its user last confirmed their identity; null: never. */
  proved_at: Instant | null
  /** The IP address from which it was opened. */
  address: string
  user_agent: string
}

/** The second factor that a login needs in addition to the password. */
export type SecondFactors = {
  user_id: number
  /** Not hashed, because codes are computed from it. In base64url. */
  secret: string
  created_at: Instant
  /** Null until its first code is confirmed. */
  enabled_at: Instant | null
  /** The latest time step whose code was accepted. No code is accepted twice. */
  used_step: number
}

/** Each can replace a code once. */
export type RecoveryCodes = { user_id: number; code_hash: string }

/** Failed attempts for a name or an address: wrong passwords, wrong link codes. */
export type Failures = { id: Generated<number>; subject: string; failed_at: Instant }

export type LinkCodes = {
  id: Generated<number>
  company_id: number
  code_hash: string
  /** The code's first characters. */
  hint: string
  uses: number
  uses_left: number
  /** The code becomes invalid when its creator loses the right to create it. */
  created_by: number
  created_at: Instant
  expires_at: Instant
}

/** One row per company. */
export type Settings = {
  id: Generated<number>
  company_id: number
  spoof_time_secs: number
  send_enabled: Flag
  /** When `send_enabled` last changed. */
  send_enabled_at: Instant
  /** The same; null before the first change. */
  sending_changed_at: Instant | null
  /** The name of the user who changed it. */
  sending_changed_by: string | null
  retention_days: Generated<number>
  /** JSON: the words that opt a number out. */
  stop_words: Generated<string>
  /** The version of the company's row in `destinations`; 0 if it restricts nothing. */
  destinations: Generated<number>
  /** The version of its list of routes; 0 if that is empty. */
  routes: Generated<number>
  /** Its admins and superadmins need a second factor. */
  require_second_factor: Generated<Flag>
  /** Off: a device that joins stays disabled until an admin enables it. */
  new_devices_enabled: Generated<Flag>
  /** The least role that may read conversations. */
  inbox_role: Generated<InboxRole>
  /** Numbers without a country code are read as those of this country. */
  default_country: Generated<string>
  /** JSON: when its messages may be handed over. Null is the default. */
  sending_hours: string | null
}

/** The quotas of a company. Without a row, the default applies. */
export type Quotas = { company_id: number; name: QuotaName; most: number }

/** A message as it was submitted. It never changes: its state is in `Queue`, `InFlight` or `Outcomes`. */
export type Messages = {
  id: Generated<number>
  company_id: number
  guid: string
  message: string
  message_to: string
  /** Its number of SMS segments. */
  parts: number
  /** Lower goes first. */
  priority: number
  silent: Flag
  /**
   * 1: submitted by another system; 0: sent from the console through a connected device; 2: written in a conversation,
   * so it waits while its device is away; 3: a row of a campaign.
   */
  task: Flag | 2 | 3
  queue_timestamp: Instant
  expires_at: Instant
  /** The user who sent it from the console, or submitted it without an API key. */
  queued_by: number | null
  /** That user's name at the time. */
  queued_by_name: string | null
  /** The key that submitted it. */
  api_key_id: number | null
  callback_url: string | null
  /** For a task: the number of the requested SIM. */
  from_number: string | null
  /** The tag of the devices that may send it; null: any device. */
  via: string | null
  /** For a task: when it was sent, according to the other system. */
  sent_stamp: string | null
  /**
   * For a task: its times as requested. It may be sent from the first until just before the second. Null if it named
   * neither.
   */
  asked_times: string | null
}

/** A message that waits for a device. */
export type Queue = {
  id: number
  company_id: number
  /** The device that a user chose; null for a task. */
  device_id: number | null
  /** Lower goes first. */
  priority: number
  /** It is not handed over before this time. */
  due_at: Instant
  expires_at: Instant
  /** The number of its latest attempt; 0 before the first. */
  attempt: Generated<number>
  /** The lane in which a task waits: see dispatch/lanes/lanes.ts. */
  lane: string | null
  /** When it moves from that lane to the next. */
  lane_until: Instant | null
  /** The device on which it failed last. Another device is tried first. */
  avoid_device_id: number | null
  notes: string | null
}

/** A message that a device was given: its latest attempt. It stays here until its delivery, failure or expiry. */
export type InFlight = {
  id: number
  device_id: number
  attempt: number
  assigned_at: Instant
  expires_at: Instant
  /**
   * When the server looks at it next: to send the command again, to end it, or to stop waiting for its delivery report.
   * Reports seldom change it, because it has an index.
   */
  look_at: Instant
  /** When a `cancel` is sent or resent; null if no cancel is wanted. */
  cancel_at: Instant | null
  handed_timestamp: Instant | null
  answer_sent_timestamp: Instant | null
  /** When the server heard that it was sent. Then it only waits for the delivery report. */
  completed_at: Instant | null
  code: string | null
  detail: string | null
  sim: string | null
  /** The SIM on which it counts. */
  sim_id: number | null
  /** When its device was told to drop it, because a user discarded it. */
  discard_asked_at: Instant | null
  /** Null stands for the note of the first hand-over. */
  notes: string | null
}

/** A message that has ended. */
export type Outcomes = {
  id: number
  company_id: number
  device_id: number | null
  attempt: number
  state: MessageState
  completed_at: Instant
  assigned_at: Instant | null
  handed_timestamp: Instant | null
  answer_sent_timestamp: Instant | null
  /** Null stands for `sent`, if it was sent. */
  anwer_sent: string | null
  answer_2_timestamp: Instant | null
  /** Null stands for `delivered`, if there is a time. */
  answer_2: string | null
  answer_3_timestamp: Instant | null
  answer_3: string | null
  error: string | null
  error_msg: string | null
  error_timestamp: Instant | null
  error_block: Generated<Flag>
  /** The state of its latest attempt, whose times are above; null if that attempt has a row in `Attempts`. */
  attempt_state: AttemptState | null
  /** The SMS parts that it has taken of its device's limit; null stands for all of the message. */
  attempt_parts: number | null
  code: string | null
  detail: string | null
  sim: string | null
  sim_id: number | null
  discard_asked_at: Instant | null
  notes: string | null
}

/** `given`, or the latest effective report state of the device. */
export type AttemptState = 'given' | 'accepted' | 'sent' | 'delivered' | 'undelivered' | 'failed'

/** An attempt that was followed by another one, or that its message did not wait for. */
export type Attempts = {
  message_id: number
  attempt: number
  device_id: number
  /** SMS parts reserved in the device's limit on `day`, less the parts that were released. */
  parts: number
  day: string
  given_at: Instant
  /** When a `cancel` is sent or resent; null if no cancel is wanted. */
  cancel_at: Instant | null
  accepted_at: Instant | null
  sent_at: Instant | null
  delivered_at: Instant | null
  finished_at: Instant | null
  state: AttemptState
  code: string | null
  detail: string | null
  sim: string | null
  sim_id: number | null
}

/** SMS that devices received. `message_id` is set if the SMS answers one of our messages. */
export type Inbox = {
  id: Generated<number>
  company_id: number
  device_id: number
  /** The device's own id for it. */
  sms_id: string
  sms_from: string
  text: string
  sms_at: Instant
  received_at: Instant
  sim: string | null
  message_id: number | null
}

/** An SMS that a person typed on a device itself. */
export type TypedSms = {
  id: Generated<number>
  company_id: number
  device_id: number
  /** The device's own id for it. */
  sms_id: string
  sms_to: string
  text: string
  sms_at: Instant
  stored_at: Instant
  sim: string | null
}

/** The figures counted about messages, each with its own period and key. */
export type Figure =
  /** Period: the hour of queueing. Key: the current state. */
  | 'state'
  /**
   * Period: the hour of queueing. Key: the time until a device accepted it, as a bucket of
   * `messages/messages/moving.ts`.
   */
  | 'handover'
  /** Period: the hour of queueing. Key: the time from `sent` to the delivery report, as a bucket. */
  | 'delivery'
  /** Period: the day of completion. Key: the device's id. Counts messages that the network accepted … */
  | 'sent'
  /** … those of them that were delivered … */
  | 'delivered'
  /** … those that failed … */
  | 'failed'
  /** … and those of them whose outcome is not known. */
  | 'uncertain'
  /** Period: the day of arrival. Key: the device's id. Counts received SMS. */
  | 'received'
  /** Period: the day of completion. Key: the error code. Counts failed messages. */
  | 'failure'

/** Updated in the same transactions as the messages, so that no query has to count them. */
export type Counters = {
  figure: Figure
  company_id: number
  /** An hour of UTC, `YYYY-MM-DDTHH`, or a day of the server's zone, `YYYY-MM-DD`. */
  period: string
  key: string
  count: number
  /** When a message was last added. */
  last_at: Instant
}

export type Schema = {
  companies: Companies
  users: Users
  sessions: Sessions
  last_logins: LastLogins
  second_factors: SecondFactors
  recovery_codes: RecoveryCodes
  failures: Failures
  link_codes: LinkCodes
  settings: Settings
  quotas: Quotas
  devices: devices.Devices
  capacity: devices.Capacity
  messages: Messages
  queue: Queue
  in_flight: InFlight
  outcomes: Outcomes
  attempts: Attempts
  inbox: Inbox
  typed_sms: TypedSms
  conversations: people.Conversations
  counters: Counters
  presence: devices.Presence
  presence_gaps: devices.PresenceGaps
  orders: devices.Orders
  presence_samples: devices.PresenceSamples
  telemetry: devices.Telemetry
  telemetry_slots: devices.TelemetrySlots
  carrier_samples: devices.CarrierSamples
  api_keys: tasks.ApiKeys
  device_sims: devices.DeviceSims
  sims: devices.Sims
  sim_devices: devices.SimDevices
  sim_recipients: devices.SimRecipients
  device_tags: devices.DeviceTags
  lanes: tasks.Lanes
  recipients: tasks.Recipients
  webhooks: tasks.Webhooks
  callbacks: tasks.Callbacks
  smpp_parts: tasks.SmppParts
  smpp_deliveries: tasks.SmppDeliveries
  smpp_receivers: tasks.SmppReceivers
  opt_outs: tasks.OptOuts
  contacts: people.Contacts
  contact_lists: people.ContactLists
  templates: people.Templates
  keywords: people.Keywords
  auto_answers: people.AutoAnswers
  campaigns: people.Campaigns
  campaign_rows: people.CampaignRows
  campaign_counts: people.CampaignCounts
  alert_rules: alerts.AlertRules
  alert_settings: alerts.AlertSettingsRows
  alert_watches: alerts.AlertWatches
  alerts: alerts.Alerts
  alert_channels: alerts.AlertChannels
  alert_messages: alerts.AlertMessages
  alert_tellings: alerts.AlertTellings
  audit_log: tasks.AuditLog
  audit_bursts: tasks.AuditBursts
  destinations: tasks.DestinationRows
  recipient_counts: tasks.RecipientCounts
  route_lists: tasks.RouteLists
}

/** The handle a store is made from: for reading or, inside a write, the transaction. */
export type Tx = storage.Tx<Schema>

/** A unit of several reads (see `Database.runInWorker`). */
export type WorkerRead<Given, Answer> = worker.WorkerRead<Schema, Given, Answer>

/** Columns to change, with their new values. */
export type Change<Row> = Updateable<Row>

/**
 * The order in which a commit writes its accumulated totals. Devices come first, because work that hands messages over
 * has locked their rows from the beginning.
 */
export const TOTALS_ORDER = { devices: 0, counters: 1, lanes: 2, conversations: 3, campaigns: 4 } as const
