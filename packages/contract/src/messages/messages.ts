import * as z from 'zod/mini'
import { Guid, PhoneNumber, SmsText } from '@sdd/contract/core/fields.ts'
import { route } from '@sdd/contract/core/route.ts'

/** The state of a message. All states except `queued` and `handed` can be final. */
export const messageStates = [
  'queued',
  'handed',
  'sent',
  'delivered',
  'replied',
  'failed',
  'uncertain',
  'expired',
  'cancelled',
] as const

export const MessageState = z.enum(messageStates)
export type MessageState = z.infer<typeof MessageState>

/** The console shows this text as success (the spec's own text). */
export const SENT_VIA_MQTT = 'SMS enviado vía MQTT'

/** The most segments of one message. */
export const MAX_SEGMENTS = 10

export const NewSms = z.object({
  device_uid: z.string().check(z.minLength(1, 'is required'), z.maxLength(64)),
  telefono_to: PhoneNumber,
  mensaje_sms: SmsText,
})
export type NewSms = z.infer<typeof NewSms>

export const SmsAccepted = z.object({ status: z.string(), guid: Guid })
export type SmsAccepted = z.infer<typeof SmsAccepted>

export const sendSms = route('POST /api/device-send-sms', {
  summary: 'Queues an SMS for one connected device. Answered once the message is durably stored.',
  may: 'messages:send',
  body: NewSms,
  reply: SmsAccepted,
  errors: [
    'unknown_device',
    'device_disconnected',
    'device_disabled',
    'device_in_maintenance',
    'sending_disabled',
    'opted_out',
    'destination_refused',
    'daily_limit',
    'plan_used',
    'recipient_limit',
    'disk_full',
  ],
  errorsCarryStatus: true,
})
