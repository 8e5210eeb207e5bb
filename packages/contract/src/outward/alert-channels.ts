import * as z from 'zod/mini'
import { lastErrorParams, type LastErrorCode } from '@sdd/contract/outward/callbacks.ts'
import { CallbackUrl, CompanyQuery, IdParam, Instant, Name, PhoneNumber } from '@sdd/contract/core/fields.ts'
import { route } from '@sdd/contract/core/route.ts'

export const ChannelKind = z.enum(['email', 'webhook', 'telegram', 'ntfy', 'sms'])
export type ChannelKind = z.infer<typeof ChannelKind>

/** The fields of each kind. `token_set`: there is a token, which is never read. */
export const ChannelSettings = z.object({
  /** Of `email` a list, of `sms` a number. */
  to: z.optional(z.union([z.array(z.string()), z.string()])),
  url: z.optional(z.string()),
  chat_id: z.optional(z.string()),
  topic: z.optional(z.string()),
  token_set: z.optional(z.boolean()),
})
export type ChannelSettings = z.infer<typeof ChannelSettings>

const none = z.object({})

/** The facts behind a `detail` in the words of this server, by its `detail_code`. The first are those of callbacks. */
export const channelFaultParams = {
  ...lastErrorParams,
  /** The server has no mail server (`SMTP_URL`). */
  no_smtp: none,
  /** No device can send an SMS now. */
  no_device: none,
  /** The device has not sent the SMS of a test in time. */
  sms_late: z.object({ secs: z.number() }),
  /** The SMS ended in this state. `why` is the sentence of its failure with its code and params, as in `error_msg`. */
  sms_ended: z.object({
    state: z.string(),
    why: z.nullable(z.string()),
    why_code: z.nullable(z.string()),
    why_params: z.nullable(z.record(z.string(), z.unknown())),
  }),
  sms_removed: none,
  /** The `prefix` on the deny list; null if the number has none of the allow list. */
  destination_refused: z.object({ number: z.string(), prefix: z.nullable(z.string()) }),
  /** Its alerts are acknowledged or resolved. */
  not_needed: none,
  /** The rule no longer names the channel. */
  not_named: none,
} as const

export type ChannelFaultCode = keyof typeof channelFaultParams
const ChannelFaultCode = z.enum(
  Object.keys(channelFaultParams) as [LastErrorCode | ChannelFaultCode, ...ChannelFaultCode[]],
)

/** Why a message to a channel did not arrive. */
export const channelFaultFields = {
  detail: z.nullable(z.string()),
  /** The same for programs, if `detail` is in the words of this server. The other side's words have neither. */
  detail_code: z.optional(ChannelFaultCode),
  detail_params: z.optional(z.record(z.string(), z.unknown())),
}
export const ChannelFault = z.object(channelFaultFields)
export type ChannelFault = z.infer<typeof ChannelFault>

export const AlertChannel = z.object({
  id: z.int(),
  company_id: z.int(),
  kind: ChannelKind,
  name: z.string(),
  settings: ChannelSettings,
  /** Its last message; null before the first. */
  last: z.nullable(z.object({ at: Instant, delivered: z.boolean(), ...channelFaultFields })),
  /** Signs the messages to a webhook. Only the answer that makes the channel has it. */
  webhook_secret: z.optional(z.string()),
})
export type AlertChannel = z.infer<typeof AlertChannel>

const Address = z
  .string()
  .check(z.maxLength(200), z.regex(/^[^\s@<>,;"]+@[^\s@<>,;"]+$/, 'must be an e-mail address'))

export const AlertChannelChange = z.strictObject({
  /** Absent: a new one. */
  id: z.optional(z.nullable(z.int())),
  /** Required for a new one. It never changes. */
  kind: z.optional(ChannelKind),
  name: z.optional(Name),
  /** Absent fields stay. */
  settings: z.optional(
    z.strictObject({
      to: z.optional(z.union([z.array(Address).check(z.minLength(1), z.maxLength(10)), PhoneNumber])),
      url: z.optional(CallbackUrl),
      /** Of `telegram`. */
      chat_id: z.optional(
        z.string().check(z.regex(/^(-?\d{1,20}|@\w{1,64})$/, 'must be a number, or @ and a name')),
      ),
      /** Of `ntfy`. */
      topic: z.optional(
        z
          .string()
          .check(z.regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 of the characters A-Z a-z 0-9 _ -')),
      ),
      /** Of `telegram` and `ntfy`; null removes that of `ntfy`. */
      token: z.optional(
        z.nullable(
          z.string().check(z.regex(/^[\w:.=+~-]{1,200}$/, 'must be 1 to 200 of the characters of a token')),
        ),
      ),
    }),
  ),
})
export type AlertChannelChange = z.infer<typeof AlertChannelChange>

export const ChannelTest = z.object({ delivered: z.boolean(), ...channelFaultFields })
export type ChannelTest = z.infer<typeof ChannelTest>

export const listAlertChannels = route('GET /api/alert-channels', {
  summary: 'The channels that are told about alerts.',
  may: 'alerts:manage',
  reply: z.object({ alert_channels: z.array(AlertChannel) }),
})

export const saveAlertChannel = route('POST /api/alert-channels', {
  summary: 'Creates a channel for alerts, or changes the one with this id.',
  may: 'alerts:manage',
  query: CompanyQuery,
  body: AlertChannelChange,
  reply: AlertChannel,
  status: 201,
  otherStatus: 200,
  errors: ['unknown_company', 'unknown_alert_channel', 'proof_required'],
})

export const deleteAlertChannel = route('DELETE /api/alert-channels/:id', {
  summary: 'Removes a channel that no rule names.',
  may: 'alerts:manage',
  params: z.object({ id: IdParam }),
  errors: ['unknown_alert_channel', 'channel_in_use'],
})

export const testAlertChannel = route('POST /api/alert-channels/:id/test', {
  summary: 'Sends one message that says that it is a test, and answers what became of it.',
  may: 'alerts:manage',
  params: z.object({ id: IdParam }),
  reply: ChannelTest,
  errors: ['unknown_alert_channel', 'too_many_attempts', 'not_ready'],
})
