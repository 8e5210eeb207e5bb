import * as z from 'zod/mini'
import { Networks } from './devices.ts'
import { Ability } from './orders.ts'
import { SaidTelemetry } from './telemetry.ts'
import { AnyInstant, cutText, Guid, Instant } from '@sdd/contract/core/fields.ts'
import { topic } from '@sdd/contract/core/topic.ts'

/** The most bytes of one payload. */
export const MAX_PAYLOAD_BYTES = 64 * 1024

/** The most characters kept of a received SMS. */
const MAX_INBOX_TEXT = 10_000

/** A text that is cut to this many characters. */
function shortText(most: number) {
  return z.string().check(z.overwrite((text) => cutText(text, most)))
}

/** Cuts a longer text to the limit, and appends its original length. */
function markCut(text: string): string {
  if (text.length <= MAX_INBOX_TEXT) return text
  const mark = ` […] [cut, it had ${text.length} characters]`
  return cutText(text, MAX_INBOX_TEXT - mark.length) + mark
}

/** Presence. The will is the same message with `disconnected`. */
export const Presence = z.object({
  status: z.enum(['connected', 'disconnected']),
  /** Random, new at each connect: a `disconnected` of an earlier session is stale. */
  session: z.string().check(z.minLength(1), z.maxLength(128)),
  agent: z.optional(z.nullable(z.string().check(z.maxLength(200)))),
  /** Its abilities (`Ability`), as an array. Anything else is dropped, so that it does not keep the device away. */
  abilities: z.optional(z.unknown()),
})
export type Presence = z.infer<typeof Presence>

export const ReportState = z.enum(['accepted', 'sent', 'delivered', 'undelivered', 'failed'])
export type ReportState = z.infer<typeof ReportState>

export const Report = z.object({
  guid: Guid,
  attempt: z._default(z.int().check(z.gte(1), z.lte(1_000_000)), 1),
  state: ReportState,
  /** For display only, never for ordering. A time in the future counts as now. */
  at: AnyInstant,
  /** Long texts are cut instead of refused, so that the outcome is never lost. */
  code: z.optional(z.nullable(shortText(64))),
  detail: z.optional(z.nullable(shortText(1_000))),
  /** A retry will not help (barred SIM, invalid destination). */
  block: z.optional(z.nullable(z.boolean())),
  /** SMS parts that were transmitted. */
  parts: z.optional(
    z.nullable(
      z.int().check(
        z.gte(0),
        z.overwrite((parts) => Math.min(parts, 255)),
      ),
    ),
  ),
  sim: z.optional(z.nullable(z.union([shortText(64), z.number()]))),
})
export type Report = z.infer<typeof Report>

/** The most reports in one payload. */
export const MAX_REPORTS = 100

const smsFields = {
  /** Makes repeats harmless. */
  id: z.string().check(z.minLength(1), z.maxLength(128)),
  text: z.string().check(z.overwrite(markCut)),
  at: AnyInstant,
  sim: z.optional(z.nullable(z.union([shortText(64), z.number()]))),
}

const otherSide = z.string().check(
  z.minLength(1),
  z.overwrite((number) => cutText(number, 64)),
)

/** An SMS that the device received. */
export const InboxSms = z.object({
  ...smsFields,
  from: otherSide,
})
export type InboxSms = z.infer<typeof InboxSms>

/** An SMS that a person typed on the device itself. It is never one of a `send` command. */
export const TypedSms = z.object({
  ...smsFields,
  to: otherSide,
})
export type TypedSms = z.infer<typeof TypedSms>

/** The answer to an order. */
export const Answer = z.object({
  order: z.int(),
  ok: z.boolean(),
  /** The server keeps 16 KiB. */
  output: z.optional(z.nullable(z.string())),
  code: z.optional(z.nullable(shortText(64))),
  detail: z.optional(z.nullable(shortText(1_000))),
})
export type Answer = z.infer<typeof Answer>

/** Something that a device said it can do. It is sent once. */
export const OrderCommand = z.object({
  type: z.literal('order'),
  order: z.int(),
  what: Ability,
  with: z.optional(z.record(z.string(), z.unknown())),
  expires_at: Instant,
})
export type OrderCommand = z.infer<typeof OrderCommand>

export const SendCommand = z.object({
  type: z.literal('send'),
  guid: Guid,
  attempt: z.int(),
  to: z.string(),
  text: z.string(),
  from: z.optional(z.string()),
  /** The SIM to send it with. */
  iccid: z.optional(z.string()),
  silent: z.optional(z.boolean()),
  expires_at: z.optional(Instant),
})
export type SendCommand = z.infer<typeof SendCommand>

export const Command = z.discriminatedUnion('type', [
  SendCommand,
  z.object({ type: z.literal('cancel'), guid: Guid }),
  z.object({ type: z.literal('networks') }),
  OrderCommand,
  z.object({ type: z.literal('ack'), guid: Guid, attempt: z.int(), state: ReportState }),
  z.object({ type: z.literal('ack_inbox'), id: z.string() }),
])
export type Command = z.infer<typeof Command>

/** The error of a message that failed after some parts were transmitted: it is never handed over again. */
export const PARTLY_SENT = 'partly_sent'

/** The device died, or the modem gave no result, between "sending" and the outcome: it is never sent again. */
export const UNKNOWN_OUTCOME = 'unknown_outcome'

export const deviceStatus = topic('devices/:uid/status', {
  summary: "The device's presence, sent after it subscribed to its commands; also its will.",
  from: 'device',
  payload: Presence,
})

export const deviceNetworks = topic('devices/:uid/networks', {
  summary: "A snapshot of the device's networks, sent on connect, on change, and at least every 15 min.",
  from: 'device',
  payload: Networks,
})

export const deviceReports = topic('devices/:uid/reports', {
  summary: 'The progress or outcome of a message: one report, or an array of up to 100.',
  from: 'device',
  payload: Report,
  batch: MAX_REPORTS,
})

export const deviceInbox = topic('devices/:uid/inbox', {
  summary: 'An SMS that the device received (`from`), or that a person typed on the device itself (`to`).',
  from: 'device',
  payload: z.union([InboxSms, TypedSms]),
})

export const deviceTelemetry = topic('devices/:uid/telemetry', {
  summary: 'Battery, temperature, free space and signal of the device, at most once a minute.',
  from: 'device',
  payload: SaidTelemetry,
})

export const deviceAnswers = topic('devices/:uid/answers', {
  summary: 'The answer of the device to an order.',
  from: 'device',
  payload: Answer,
})

export const deviceCommands = topic('devices/:uid/commands', {
  summary: 'A command to the device.',
  from: 'server',
  payload: Command,
})
