import { createHash } from 'node:crypto'
import type { ReceivedSms } from '@sdd/contract/people/conversations.ts'
import { measureText } from '@sdd/sms/segments.ts'

/** The version of Twilio's API whose names these are. */
export const TWILIO_API = '2010-04-01'

/** Twilio's code for an unknown outcome. */
export const UNKNOWN_ERROR = 30008

/** The form that tells the status of a task. `sid` is the account as it was asked. */
export function statusForm(
  sid: string,
  status: string,
  task: { guid: string; to: string; from: string | null; error_code: number | null },
): string {
  const { guid, to, from, error_code } = task
  return new URLSearchParams({
    SmsSid: guid,
    SmsStatus: status,
    MessageStatus: status,
    To: to,
    From: from ?? '',
    MessageSid: guid,
    AccountSid: sid,
    ApiVersion: TWILIO_API,
    ...(error_code !== null && { ErrorCode: String(error_code) }),
  }).toString()
}

/** The form that tells of a received SMS. `to` is the number of the SIM, empty if it is not known. */
export function receivedForm(company_id: number, sms: ReceivedSms, to: string): string {
  const sid = receivedSid(company_id, sms.id)
  return new URLSearchParams({
    MessageSid: sid,
    SmsSid: sid,
    SmsMessageSid: sid,
    AccountSid: accountSid(company_id),
    From: sms.number,
    To: to,
    Body: sms.text,
    NumMedia: '0',
    NumSegments: String(Math.max(1, measureText(sms.text).segments)),
    SmsStatus: 'received',
    ApiVersion: TWILIO_API,
  }).toString()
}

/** The account of a company if no program has named one. */
export function accountSid(company_id: number): string {
  return `AC${digest(`company ${company_id}`)}`
}

const ID_DIGITS = 16

/** The SID of a received SMS. Its last digits hold the id, and the others keep it apart from those of tasks. */
export function receivedSid(company_id: number, id: string): string {
  const number = Number(id.slice(1)).toString(16).padStart(ID_DIGITS, '0')
  return `SM${digest(`received ${company_id} ${number}`).slice(0, ID_DIGITS)}${number}`
}

/** The number behind the id of the received SMS with this SID. */
export function receivedIdOf(company_id: number, sid: string): number | undefined {
  const number = Number.parseInt(sid.slice(-ID_DIGITS), 16)
  return Number.isSafeInteger(number) && receivedSid(company_id, `r${number}`) === sid ? number : undefined
}

function digest(text: string): string {
  return createHash('md5').update(text).digest('hex')
}
