import type { AuditSubject } from '@sdd/contract/accounts/audit.ts'
import type { CallbackFormat, CallbackState, ToldType } from '@sdd/contract/outward/callbacks.ts'
import type { Generated } from '@sdd/storage/tables.ts'

/** The tables around tasks, a part of schema.ts. */

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
  /** JSON: the classes of messages that it may send; null: all. */
  classes: string | null
  /** Not hashed, because callbacks are signed with it. */
  webhook_secret: string
  created_at: Instant
  created_by: number | null
  last_used_at: Instant | null
  /** The caller's address then. */
  last_used_from: string | null
  expires_at: Instant | null
  revoked_at: Instant | null
  /** Its short login at the door for SMPP, and the Argon2id hash of that; null: there is none. */
  smpp_system_id: string | null
  smpp_password_hash: string | null
  /** From before the last rotation, valid until `previous_until`. All three are null when nothing of it is left. */
  previous_key_hash: string | null
  previous_webhook_secret: string | null
  previous_until: Instant | null
}

/** How many tasks wait in a lane that no single device serves: see dispatch/lanes/lanes.ts. */
export type Lanes = { company_id: number; lane: string; waiting: number }

/** The device that last wrote to a number. It is preferred for the next message. */
export type Recipients = { company_id: number; number: string; device_id: number; last_at: Instant }

export type Webhooks = {
  id: Generated<number>
  company_id: number
  url: string
  /** JSON: the callback types that it receives. */
  types: string
  secret: string
  created_at: Instant
  created_by: number | null
  removed_at: Instant | null
  /** The form in which it receives SMS; null: JSON. */
  format: CallbackFormat | null
  /** With the format `twilio`: the key whose secret signs, and that sends what the webhook answers. */
  api_key_id: number | null
  /** From before the last rotation, as in `ApiKeys`. */
  previous_secret: string | null
  previous_until: Instant | null
  /** Tries that failed since the last callback that was delivered. */
  failures_in_row: Generated<number>
}

export type Callbacks = {
  id: Generated<number>
  company_id: number
  /** The `webhook-id` header, the same for every try. */
  webhook_id: string
  type: ToldType
  /** The form of the request; null: JSON. */
  format: CallbackFormat | null
  guid: string
  url: string
  /** The host of the URL, with its port. A slow host must not delay callbacks to other hosts. */
  host: string
  /** The posted body, as it was at the time of the event. */
  body: string
  /** The key that submitted the task, or the company's webhook. Its secret signs the callback. */
  api_key_id: number | null
  webhook: number | null
  state: CallbackState
  created_at: Instant
  tries: Generated<number>
  /** Tries since the last restart of the delivery. It determines the next delay. */
  round: Generated<number>
  /** When it is tried next; null while it waits for an earlier callback, and once it is finished. */
  due_at: Instant | null
  last_tried_at: Instant | null
  last_status: number | null
  last_error: string | null
  delivered_at: Instant | null
}

/** A part of a long SMS that a program submitted over SMPP, until all parts are there. */
export type SmppParts = {
  id: Generated<number>
  company_id: number
  api_key_id: number
  /** JSON: sender, recipient, and the reference that the parts share. */
  reference: string
  /** The guid of the task that the SMS becomes. */
  guid: string
  /** The number of the part, from 1. */
  n: number
  data_coding: number
  /** The text in hex, in the alphabet of `data_coding`. */
  octets: string
  /** Whether the program wants a receipt: 0, 1, or 2 for failures only. */
  registered: number
  /** When the first part arrived. */
  began_at: Instant
}

/** A receipt or a received SMS that waits until a program takes it over SMPP. */
export type SmppDeliveries = {
  id: Generated<number>
  company_id: number
  api_key_id: number
  /** Those with the same name are delivered in order. */
  name: string
  /** The body of the `deliver_sm`, in hex. */
  body: string
  created_at: Instant
  /** Until then, a server waits for the answer of a program, or after a refusal. */
  due_at: Instant
}

/** When a key last bound as a receiver of SMS. */
export type SmppReceivers = { api_key_id: number; bound_at: Instant }

export type OptOuts = {
  id: Generated<number>
  company_id: number
  number: string
  text: string | null
  device_uid: string | null
  created_by: number | null
  created_at: Instant
}

/** The allowed destinations of a company's messages, one row per company. */
export type DestinationRows = {
  company_id: number
  /** Random, and new at each change, so that different contents never share a version. */
  version: number
  /** JSON: prefixes of numbers. */
  allow: string
  deny: string
  max_per_recipient_dayly: number | null
  /** When the cap was introduced. */
  capped_at: Instant | null
}

/** The routes of a company, one row per company. */
export type RouteLists = {
  company_id: number
  /** As in `DestinationRows`. */
  version: number
  /** JSON: the routes in order. */
  routes: string
  /** The highest id that any of its routes ever had. */
  last_id: number
  /** Messages with a higher id were stored after the list was saved. */
  since_message: number
  saved_at: Instant
  saved_by: string
}

/** The number of messages sent to a number on its latest day, in a company with a cap. */
export type RecipientCounts = { company_id: number; number: string; day: string; count: number }

export type AuditLog = {
  id: Generated<number>
  /** Null if the entry concerns no company. Only superadmins see it then. */
  company_id: number | null
  at: Instant
  /** Null if no user did it, but a stranger or an API key. A key has a name. */
  user_id: number | null
  by_name: string | null
  /** The IP address from which it was done; null if that is unknown. */
  address: string | null
  action: string
  subject: AuditSubject
  name: string | null
  /** JSON: `{from, to}` by field. */
  changes: string
}

/** Entries of the audit log from the last minute that gather repetitions: see accounts/audit/bursts.ts. */
export type AuditBursts = {
  /** The limited event: failed logins from an address, or refused calls of a session. */
  burst: string
  /** The key of the repetitions that the entry gathers. */
  what: string
  entry_id: number
  at: Instant
  /** How many events the entry represents. */
  times: number
}
