import { AnyInstant, CallbackUrl } from '@sdd/contract/core/fields.ts'
import { randomUUID } from 'node:crypto'
import { instant } from '#server/core/clock.ts'
import { DoorFault } from '#server/outward/doors/refusals.ts'
import type { DoorSms } from '#server/outward/doors/submitting.ts'
import { writeTarget } from '#server/tasks/report-target.ts'
import { refusalFault, TwilioFault } from './answers.ts'

/** What Twilio's form for a new message asks. */
type Asked = {
  to: string
  /** The number that the message must be sent from; `undefined`: any device. */
  from: string | undefined
  service: string | null
  sms: DoorSms
}

/** Reads the form for a new message. `account`: as it was asked. Throws `DoorFault` or `TwilioFault`. */
export function readNewMessage(form: URLSearchParams, account: string, now_ms: number): Asked {
  const [to, body] = [form.get('To') ?? '', form.get('Body') ?? '']
  if (to === '') throw new DoorFault('no_recipient')
  if (form.has('MediaUrl')) throw new TwilioFault(400, 21620, 'Media cannot be sent: only SMS can.')
  if (body === '') throw new DoorFault('no_text')
  const [from, service] = [form.get('From') || undefined, form.get('MessagingServiceSid') || null]
  if (from === undefined && service === null)
    throw new TwilioFault(400, 21603, "A 'From' number or a 'MessagingServiceSid' is required.")
  return {
    to,
    from,
    service,
    sms: { text: body, ...readTimes(form, now_ms), ...readCallback(form, account) },
  }
}

/** A guid for a new message, in the form of a SID of Twilio's. */
export function newSid(): string {
  return `SM${randomUUID().replaceAll('-', '')}`
}

/** Whether a task was created here, by its guid. */
export function isSid(guid: string): boolean {
  return /^SM[0-9a-f]{32}$/.test(guid)
}

function readTimes(form: URLSearchParams, now_ms: number): Pick<DoorSms, 'not_before' | 'expires_at'> {
  const [type, send_at, period] = ['ScheduleType', 'SendAt', 'ValidityPeriod'].map(
    (name) => form.get(name) || null,
  )
  if ((type === null) !== (send_at === null) || (type !== null && type !== 'fixed'))
    throw new TwilioFault(400, 35111, "'SendAt' and 'ScheduleType=fixed' go together.")
  if (send_at && !AnyInstant.safeParse(send_at).success) throw refusalFault('bad_times')
  if (period && !/^[1-9]\d{0,8}$/.test(period)) throw refusalFault('bad_times')
  const from_ms = Math.max(now_ms, send_at ? Date.parse(send_at) : 0)
  return {
    ...(send_at && { not_before: send_at }),
    ...(period && { expires_at: instant(from_ms + Number(period) * 1_000) }),
  }
}

function readCallback(form: URLSearchParams, account: string): Pick<DoorSms, 'callback_url'> {
  const url = form.get('StatusCallback') || null
  if (url === null) return {}
  if (!CallbackUrl.safeParse(url).success) throw new DoorFault('bad_address')
  return { callback_url: writeTarget({ format: 'twilio', argument: encodeURIComponent(account), url }) }
}
