import type { AuditSubject } from '@sdd/contract/accounts/audit.ts'
import type { CallbackState, CallbackType } from '@sdd/contract/outward/callbacks.ts'
import type { Generated } from '@sdd/storage/tables.ts'

/** The tables around tasks: a part of the schema's page. */

/** ISO 8601 in UTC with milliseconds. */
type Instant = string

export type ApiKeys = {
  id: Generated<number>
  company_id: number
  name: string
  key_hash: string
  /** The key's first characters. */
  hint: string
  /** JSON: the permissions it holds. */
  may: string
  /** As it is: callbacks are signed with it. */
  webhook_secret: string
  created_at: Instant
  created_by: number | null
  last_used_at: Instant | null
  expires_at: Instant | null
  revoked_at: Instant | null
  /** Of before the last rotation, until `previous_until`: null, all three, where there is nothing left of it. */
  previous_key_hash: string | null
  previous_webhook_secret: string | null
  previous_until: Instant | null
}

/** The numbers of a device's SIMs, as `numberKey` has them. */
export type DeviceSims = { device_id: number; company_id: number; number: string }

/** How many tasks wait in a lane that no single device serves: see dispatch/lanes/lanes.ts. */
export type Lanes = { company_id: number; lane: string; waiting: number }

/** Which device last wrote to a number: it does so again while it can. */
export type Recipients = { company_id: number; number: string; device_id: number; last_at: Instant }

export type Webhooks = {
  id: Generated<number>
  company_id: number
  url: string
  /** JSON: what it hears of. */
  types: string
  secret: string
  created_at: Instant
  created_by: number | null
  removed_at: Instant | null
  /** Of before the last rotation, as in `ApiKeys`. */
  previous_secret: string | null
  previous_until: Instant | null
}

export type Callbacks = {
  id: Generated<number>
  company_id: number
  /** The header of that name: the same at each try. */
  webhook_id: string
  type: CallbackType
  guid: string
  url: string
  /** Of the url, with its port: one that is slow shall not hold up the others. */
  host: string
  /** What is posted, as it was when it was told. */
  body: string
  /** Whose secret signs it: the key that handed the task in, or the company's webhook. */
  api_key_id: number | null
  webhook: number | null
  state: CallbackState
  created_at: Instant
  tries: Generated<number>
  /** Tries since it was last begun anew: which delay comes next. */
  round: Generated<number>
  /** When it is tried; null while it waits for an earlier one, and once it is over. */
  due_at: Instant | null
  last_tried_at: Instant | null
  last_status: number | null
  last_error: string | null
  delivered_at: Instant | null
}

export type OptOuts = {
  id: Generated<number>
  company_id: number
  number: string
  /** What of it tells numbers apart, however they are written. */
  number_key: string
  text: string | null
  device_uid: string | null
  created_by: number | null
  created_at: Instant
}

/** Where a company's messages may go, one record a company. */
export type DestinationRows = {
  company_id: number
  /** Random, new at each change: no two contents have the same. */
  version: number
  /** JSON: prefixes of numbers. */
  allow: string
  deny: string
  max_per_recipient_dayly: number | null
  /** Since when there is a cap. */
  capped_at: Instant | null
}

/** How many messages a number was sent on its latest day, in a company with a cap. */
export type RecipientCounts = { company_id: number; number: string; day: string; count: number }

export type AuditLog = {
  id: Generated<number>
  /** Null where it concerns no company: for superadmins only. */
  company_id: number | null
  at: Instant
  /** Null where no user did it: a stranger, or an API key, which has a name. */
  user_id: number | null
  by_name: string | null
  /** The IP address it was done from; null where that is not known. */
  address: string | null
  action: string
  subject: AuditSubject
  name: string | null
  /** JSON: `{from, to}` by field. */
  changes: string
}

/** Entries of the audit log that were written within the last minute and gather repetitions: see accounts/audit/bursts.ts. */
export type AuditBursts = {
  /** What is limited: failed logins from an address, calls of a session that were refused. */
  burst: string
  /** Of its entries, the one that gathers this. */
  what: string
  entry_id: number
  at: Instant
  /** How many the entry stands for. */
  times: number
}
