import type * as aside from '@sdd/storage/aside.ts'
import type { Generated, Updateable } from '@sdd/storage/tables.ts'
import type * as storage from '@sdd/storage/tx.ts'
import type { DeviceStatus } from '@sdd/contract/core/live.ts'
import type { MessageState } from '@sdd/contract/messages/messages.ts'
import type { QuotaName } from '@sdd/contract/accounts/quotas.ts'
import type { Role } from '@sdd/contract/core/roles.ts'
import type * as tasks from './task-tables.ts'

/** ISO 8601 in UTC with milliseconds, so that texts sort as times do. */
type Instant = string
/** SQLite knows no boolean: 0 or 1. */
type Flag = 0 | 1

export type Companies = { id: Generated<number>; name: string; created_at: Instant }

export type Users = {
  id: Generated<number>
  companyId: number
  name: string
  /** As `loginKey` makes it, for look-ups and uniqueness. */
  name_key: string
  email: string
  email_key: string
  role: Role
  enabled: Flag
  password_hash: string
  created_at: Instant
  /** Somebody else set the password: nothing else is open to the user until they have changed it. */
  must_change_password: Generated<Flag>
}

export type Sessions = {
  id: Generated<number>
  user_id: number
  token_hash: string
  created_at: Instant
  /** To 5 minutes. */
  last_used_at: Instant
  expires_at: Instant
  /** When it last proved who holds it; null: never. */
  proved_at: Instant | null
  /** From where it was opened. */
  address: string
  user_agent: string
}

/** What logging in asks for beside the password. */
export type SecondFactors = {
  user_id: number
  /** As it is (codes are made of it), in base64url. */
  secret: string
  created_at: Instant
  /** Null while its first code was not confirmed. */
  enabled_at: Instant | null
  /** The latest step whose code was taken: no code is taken twice. */
  used_step: number
}

/** Each may stand in for a code once. */
export type RecoveryCodes = { user_id: number; code_hash: string }

/** What went wrong for a name or an address: wrong passwords, wrong link codes. */
export type Failures = { id: Generated<number>; subject: string; failed_at: Instant }

export type LinkCodes = {
  id: Generated<number>
  company_id: number
  code_hash: string
  /** The code's first characters. */
  hint: string
  uses: number
  uses_left: number
  /** The code dies with its maker's right to make it. */
  created_by: number
  created_at: Instant
  expires_at: Instant
}

/** One record a company. */
export type Settings = {
  id: Generated<number>
  company_id: number
  spoof_time_secs: number
  send_enabled: Flag
  /** Since when `send_enabled` is as it is. */
  send_enabled_at: Instant
  retention_days: Generated<number>
  /** JSON: the words that opt a number out. */
  stop_words: Generated<string>
  /** The version of the company's row of `destinations`; 0 where it restricts nothing. */
  destinations: Generated<number>
  /** Its admins and superadmins need a second factor. */
  require_second_factor: Generated<Flag>
  /** Off: a device that joins stays disabled until an admin enables it. */
  new_devices_enabled: Generated<Flag>
}

/** How much a company may have at once; the usual where there is no row. */
export type Quotas = { company_id: number; name: QuotaName; most: number }

export type Devices = {
  id: Generated<number>
  company_id: number
  uid: string
  secret_hash: string
  location: string | null
  created_at: Instant
  enabled: Flag
  /** Since when `enabled` is as it is. */
  enabled_at: Instant
  max_sms_dayly: number
  status: DeviceStatus
  /** Since when `status` is as it is. */
  status_at: Instant
  /** The `session` of the status message that counts; null while disconnected. */
  session: string | null
  /** The number of the latest connection that a session came over: a later one has a higher number. */
  connection: Generated<number>
  /** The server at which it is connected, and which alone gives it anything; null while disconnected. */
  replica: string | null
  agent: string | null
  last_seen_at: Instant | null
  /** The last snapshot, JSON. */
  networks: string | null
  carrier: string | null
  /** Of that snapshot; null where it says nothing of its radio. */
  radio_ready: Flag | null
  radio_says: string | null
  /** Messages that wait to be given to it. */
  queued: Generated<number>
  /** Attempts it was given and has not finished: its window of ten. */
  unfinished: Generated<number>
  /** The day that `sent_parts` counts, `YYYY-MM-DD`. */
  sent_day: string | null
  sent_parts: Generated<number>
  last_given_at: Instant | null
  /** When its pacing slot opens; empty before the first hand-over. */
  next_slot_at: Generated<Instant | ''>
  /** Messages that failed on it since one went well. */
  failures_in_row: Generated<number>
  /** How often it was quarantined since a message went well: the next lasts longer. */
  quarantines: Generated<number>
  /** It is given no tasks before; afterwards one at a time until one goes well. */
  quarantined_until: Instant | null
  quarantine_reason: string | null
  /** Tasks that wait for it because it wrote to their number last: those in its lane. */
  sticky: Generated<number>
  /** No task that any device may take fitted into its day: others come first until then. */
  aside_until: Generated<Instant | ''>
  /** When it last received SMS faster than they are taken. */
  inbox_slowed_at: Instant | null
  /** Unlinked devices keep their row, for the history that names it. */
  unlinked_at: Instant | null
}

/** Where a message stands in the hand-over, apart from what the log shows of it. */
export type Step = 'waiting' | 'given' | 'finished'

export type Messages = {
  id: Generated<number>
  company_id: number
  guid: string
  device_id: number | null
  device_guid: string | null
  message: string
  message_to: string
  /** SMS segments it takes. */
  parts: number
  /** Lower goes first. */
  priority: number
  silent: Flag
  /** The user who sent it from the console, or handed it in without an API key. */
  queued_by: number | null
  /** The name of that user, as it was then. */
  queued_by_name: string | null
  queue_timestamp: Instant
  handed_timestamp: Instant | null
  answer_sent_timestamp: Instant | null
  anwer_sent: string | null
  answer_2_timestamp: Instant | null
  answer_2: string | null
  notes: string | null
  answer_3: string | null
  answer_3_timestamp: Instant | null
  error: string | null
  error_msg: string | null
  error_timestamp: Instant | null
  error_block: Flag
  state: MessageState
  step: Step
  /** The number of its latest attempt; 0 before the first. */
  attempt: number
  /** Not to be given before. */
  due_at: Instant
  expires_at: Instant
  completed_at: Instant | null
  /** 1: handed in by another system; 0: sent from the console. */
  task: Generated<Flag>
  /** A task's: the SIM that it asks for. */
  from_number: string | null
  /** A task's: when the other system says that it sent it. */
  sent_stamp: string | null
  /** When it was given to its device, the last time where there were several. */
  assigned_at: Instant | null
  /** Where a task without a device waits for one: see dispatch/lanes/lanes.ts. */
  lane: string | null
  /** When it leaves that lane for the next. */
  lane_until: Instant | null
  /** The device on which it failed last: another one is tried first. */
  avoid_device_id: number | null
  /** A task's, as it was handed in: not before the first, not from the second on. Null where it named neither. */
  asked_times: string | null
  callback_url: string | null
  /** The key that handed it in. */
  api_key_id: number | null
  /** When a device that had it was told to drop it, as somebody discarded it. */
  discard_asked_at: Instant | null
}

/** One hand-over of a message to a device. */
export type Attempts = {
  id: Generated<number>
  message_id: number
  attempt: number
  device_id: number
  device_uid: string
  /** SMS parts reserved against the device's limit on `day`; less what was given back. */
  parts: number
  day: string
  given_at: Instant
  /** When the command goes out again unless a report came. */
  resend_at: Instant
  /** When a `cancel` goes out (again); null where nobody wants it dropped. */
  cancel_at: Instant | null
  accepted_at: Instant | null
  sent_at: Instant | null
  delivered_at: Instant | null
  finished_at: Instant | null
  /** `given`, or the last of the device's report states that counted. */
  state: 'given' | 'accepted' | 'sent' | 'delivered' | 'undelivered' | 'failed'
  code: string | null
  detail: string | null
  sim: string | null
}

/** SMS that devices received; `message_id` where one of ours is answered by it. */
export type Inbox = {
  id: Generated<number>
  company_id: number
  device_id: number
  /** The device's own id of it. */
  sms_id: string
  sms_from: string
  text: string
  sms_at: Instant
  received_at: Instant
  sim: string | null
  message_id: number | null
}

/** What of the messages is counted, each by a period and a key of its own. */
export type Figure =
  /** By the hour in which they were queued: the state in which they are. */
  | 'state'
  /** By the hour in which they were queued: how long until a device accepted them, as a bucket of `messages/messages/moving.ts`. */
  | 'handover'
  /** The same: how long from `sent` to the delivery report. */
  | 'delivery'
  /** By the day in which they ended: the device's id, of those that the network took … */
  | 'sent'
  /** … of those of them that arrived … */
  | 'delivered'
  /** … and of those that failed. */
  | 'failed'
  /** By the day in which they ended: the error's code, of those that failed. */
  | 'failure'

/** Moves with the messages, in the same transactions, so that nobody has to count them. */
export type Counters = {
  figure: Figure
  company_id: number
  /** An hour of UTC, `YYYY-MM-DDTHH`, or a day of the server's zone, `YYYY-MM-DD`. */
  period: string
  key: string
  count: number
  /** When a message last joined. */
  last_at: Instant
}

/** How many of a company's devices were connected. */
export type PresenceSamples = { company_id: number; at: Instant; connected: number; total: number }

export type Schema = {
  companies: Companies
  users: Users
  sessions: Sessions
  second_factors: SecondFactors
  recovery_codes: RecoveryCodes
  failures: Failures
  link_codes: LinkCodes
  settings: Settings
  quotas: Quotas
  devices: Devices
  messages: Messages
  attempts: Attempts
  inbox: Inbox
  counters: Counters
  presence_samples: PresenceSamples
  api_keys: tasks.ApiKeys
  device_sims: tasks.DeviceSims
  lanes: tasks.Lanes
  recipients: tasks.Recipients
  webhooks: tasks.Webhooks
  callbacks: tasks.Callbacks
  opt_outs: tasks.OptOuts
  audit_log: tasks.AuditLog
  audit_bursts: tasks.AuditBursts
  destinations: tasks.DestinationRows
  recipient_counts: tasks.RecipientCounts
}

/** What a store is made from: the reading handle, or inside a write the transaction. */
export type Tx = storage.Tx<Schema>

/** Reads of several statements (see `Database.runAside`). */
export type Aside<Given, Answer> = aside.Aside<Schema, Given, Answer>

/** Columns to change, with their new values. */
export type Change<Row> = Updateable<Row>

/**
 * The order in which a commit writes what its works added up: whoever hands something to devices has their rows locked
 * from the beginning.
 */
export const TOTALS_ORDER = { devices: 0, counters: 1, lanes: 2 } as const
