import type { DeviceStatus } from '@sdd/contract/core/live.ts'
import type { Generated } from '@sdd/storage/tables.ts'

/** The tables about devices, a part of schema.ts. */

/** ISO 8601 in UTC with milliseconds. */
type Instant = string
/** SQLite has no boolean: 0 or 1. */
type Flag = 0 | 1

export type Devices = {
  id: Generated<number>
  company_id: number
  uid: string
  secret_hash: string
  name: string | null
  location: string | null
  note: string | null
  /** JSON: sorted. A row of `device_tags` for each. */
  tags: Generated<string>
  created_at: Instant
  enabled: Flag
  /** When `enabled` last changed. */
  enabled_at: Instant
  max_sms_dayly: number
  status: DeviceStatus
  /** When `status` last changed. */
  status_at: Instant
  /** The `session` of the current status message; null while disconnected. */
  session: string | null
  /** The number of the latest connection that announced a session. A later connection has a higher number. */
  connection: Generated<number>
  /** The server it is connected to. Only this server hands messages to it. Null while disconnected. */
  replica: string | null
  agent: string | null
  /** JSON: what it said that it can do. */
  abilities: string | null
  last_seen_at: Instant | null
  /** The latest snapshot, as JSON. */
  networks: string | null
  carrier: string | null
  /** From that snapshot, as JSON: the intensity of the mobile network, and the numbers and ICCIDs of the SIMs. */
  signal: string | null
  sim_ids: string | null
  /** From that snapshot; null if it does not mention the radio. */
  radio_ready: Flag | null
  radio_says: string | null
  /** The first SIM that has an ICCID, and the number of such SIMs. */
  sim_id: number | null
  sim_count: Generated<number>
  /** Its commands name the SIM, as one has a plan or a number written by hand. */
  names_sims: Generated<Flag>
  /** Messages that failed on it since its last success. */
  failures_in_row: Generated<number>
  /** Quarantines since its last success. Each lasts longer than the one before. */
  quarantines: Generated<number>
  /** It gets no tasks until then. Afterwards it gets one at a time until one succeeds. */
  quarantined_until: Instant | null
  quarantine_reason: string | null
  /** It gets no messages until then. A time in the past means nothing. */
  maintenance_until: Instant | null
  /** When it last received SMS faster than the server accepts them. */
  inbox_slowed_at: Instant | null
  /** Unlinked devices keep their row, because the history refers to it. */
  unlinked_at: Instant | null
}

/** What a device has, and what it may still be given. */
export type Capacity = {
  device_id: number
  /** Messages that wait to be handed to it. */
  queued: Generated<number>
  /** Tasks in its lane: they wait for it because it last wrote to their number. */
  sticky: Generated<number>
  /** Attempts handed to it and not finished: its window of ten. */
  unfinished: Generated<number>
  /** The day on which `sent_parts` were sent, `YYYY-MM-DD`. */
  sent_day: string | null
  sent_parts: Generated<number>
  last_given_at: Instant | null
  /** When its pacing slot opens; empty before the first hand-over. */
  next_slot_at: Generated<Instant | ''>
  /** Until then other devices come first, because no shared task fitted into its remaining daily limit. */
  aside_until: Generated<Instant | ''>
}

/** The numbers of a device's SIMs, in the stored form. */
export type DeviceSims = { device_id: number; company_id: number; number: string }

/** A SIM card that a device of the company has named. */
export type Sims = {
  id: Generated<number>
  company_id: number
  iccid: string
  /** The device that names it; null if none does. */
  device_id: number | null
  /** Its place in that device. */
  slot: Generated<number>
  operator: string | null
  /** In the stored form, as the device says it. */
  said_number: string | null
  /** The same, written by hand. */
  number: string | null
  note: string | null
  /** Its plan. Null limits are none. */
  parts_per_month: number | null
  recipients_per_month: number | null
  /** Null: it has no plan. */
  renews_on_day: number | null
  /** A day, `YYYY-MM-DD`. */
  valid_until: string | null
  /** When that day is over. */
  ends_at: Instant | null
  /** What counts against its plan in this period. Without a plan nothing is counted. */
  used_since: Instant | null
  used_until: Instant | null
  used_parts: Generated<number>
  used_recipients: Generated<number>
  /** JSON: how to ask for its balance. */
  balance_query: string | null
  /** As last read. */
  balance_amount: number | null
  balance_currency: string | null
  balance_at: Instant | null
  /** The order that asks for it. */
  balance_order: number | null
  /** When the server asks by itself. */
  balance_due_at: Instant | null
  /** When a message failed as there was no credit. Null once there is some again. */
  credit_gone_at: Instant | null
}

/** A device that a SIM has been in, and since when it last was. */
export type SimDevices = { sim_id: number; device_id: number; since: Instant }

/** How many messages went to a number through a SIM with a plan, in its period. */
export type SimRecipients = { sim_id: number; number: string; messages: number }

/** The tags of a device. */
export type DeviceTags = { device_id: number; company_id: number; tag: string }

/** A change of a device's presence: it has this status from then on. Of several at the same time, the last one counts. */
export type Presence = { device_id: number; at: Instant; status: DeviceStatus }

/**
 * Times without a running server, in which nothing could be noted. The row without an end is the next gap: its
 * beginning is when a server last said that it runs.
 */
export type PresenceGaps = { began_at: Instant; ended_at: Instant | null }

/** How many of a company's devices were connected. */
export type PresenceSamples = { company_id: number; at: Instant; connected: number; total: number }

/** The same of its devices with one carrier; '' for devices that reported none. */
export type CarrierSamples = PresenceSamples & { carrier: string }

/** The latest that a device said about itself. Null: it never said it. */
export type Telemetry = {
  device_id: number
  at: Instant
  battery: number | null
  charging: Flag | null
  temperature: number | null
  disk_free_mb: number | null
  signal_dbm: number | null
}

/** Sums and numbers of its readings in five minutes; `slot` counts them from 1970. */
export type TelemetrySlots = {
  slot: number
  device_id: number
  charging: Flag | null
  battery_sum: number
  battery_count: number
  temperature_sum: number
  temperature_count: number
  disk_free_mb_sum: number
  disk_free_mb_count: number
  signal_dbm_sum: number
  signal_dbm_count: number
}

/** What a device was asked to do, and its answer. */
export type Orders = {
  id: Generated<number>
  company_id: number
  device_id: number
  what: string
  /** JSON: its `with`. */
  details: string | null
  by_name: string | null
  at: Instant
  expires_at: Instant
  ok: Flag | null
  output: string | null
  code: string | null
  detail: string | null
  answered_at: Instant | null
}
