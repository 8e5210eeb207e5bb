import type { MessageRow } from '#server/messages/messages/store.ts'
import { receivedSid, TWILIO_API } from '#server/outward/callbacks/formats/twilio.ts'
import { type DoorRefusal, doorRefusals } from '#server/outward/doors/refusals.ts'
import { twilioErrorOf } from '#server/outward/doors/reporting.ts'
import { doorStateOf, doorStates } from '#server/outward/doors/states.ts'
import type { ReceivedSms } from '@sdd/contract/people/conversations.ts'
import { measureText } from '@sdd/sms/segments.ts'

/** A message as Twilio's API answers it. */
export type TwilioMessage = ReturnType<typeof fieldsOf>

/** A task. `from`: the number of its SIM. `sid` is the account as it was asked. */
export function sentMessage(sid: string, row: MessageRow, from: string | null, now: string): TwilioMessage {
  const state = doorStateOf(row)
  const scheduled = state === 'queued' && row.due_at !== null && row.due_at > now && row.attempt === 0
  const error_code = twilioErrorOf(row)
  return fieldsOf(sid, {
    sid: row.guid,
    body: row.message,
    to: row.message_to,
    from,
    num_segments: row.parts,
    status: scheduled ? 'scheduled' : doorStates[state].twilio,
    direction: 'outbound-api',
    created_at: row.queue_timestamp,
    sent_at: row.answer_sent_timestamp,
    updated_at: row.answer_2_timestamp ?? row.completed_at ?? row.handed_timestamp ?? row.queue_timestamp,
    error_code,
    error_message: error_code === null ? null : row.error_msg,
  })
}

/** A received SMS. `to`: the number of the SIM that received it. */
export function receivedMessage(
  sid: string,
  company_id: number,
  sms: ReceivedSms,
  to: string | null,
): TwilioMessage {
  return fieldsOf(sid, {
    sid: receivedSid(company_id, sms.id),
    body: sms.text,
    to,
    from: sms.number,
    num_segments: Math.max(1, measureText(sms.text).segments),
    status: 'received',
    direction: 'inbound',
    created_at: sms.received_at,
    sent_at: sms.received_at,
    updated_at: sms.received_at,
    error_code: null,
    error_message: null,
  })
}

type Facts = {
  sid: string
  body: string
  to: string | null
  from: string | null
  num_segments: number
  status: string
  direction: 'outbound-api' | 'inbound'
  created_at: string
  sent_at: string | null
  updated_at: string
  error_code: number | null
  error_message: string | null
}

function fieldsOf(account_sid: string, { created_at, sent_at, updated_at, num_segments, ...facts }: Facts) {
  const uri = `${accountPath(account_sid)}/Messages/${facts.sid}.json`
  return {
    account_sid,
    api_version: TWILIO_API,
    date_created: rfc2822(created_at),
    date_sent: sent_at === null ? null : rfc2822(sent_at),
    date_updated: rfc2822(updated_at),
    messaging_service_sid: null as string | null,
    num_media: '0',
    num_segments: String(num_segments),
    price: null,
    price_unit: null,
    subresource_uris: { media: uri.replace('.json', '/Media.json') },
    uri,
    ...facts,
  }
}

/** The path of an account, which may have any characters. */
export function accountPath(account: string): string {
  return `/${TWILIO_API}/Accounts/${encodeURIComponent(account)}`
}

/** `Thu, 24 Aug 2023 05:01:45 +0000` */
function rfc2822(time: string): string {
  return new Date(time).toUTCString().replace('GMT', '+0000')
}

/** An answer of Twilio's API. */
export type TwilioAnswer = { status: number; headers?: Record<string, string>; type: string; body: string }

export function jsonAnswer(status: number, body: unknown): TwilioAnswer {
  return { status, type: 'application/json; charset=utf-8', body: JSON.stringify(body) }
}

/** An error of Twilio's API that is not one of all doors. */
export class TwilioFault extends Error {
  override readonly name = 'TwilioFault'
  readonly status: number
  readonly code: number

  constructor(status: number, code: number, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

export function errorAnswer({ status, code, message }: Pick<TwilioFault, 'status' | 'code' | 'message'>) {
  const answer = jsonAnswer(status, {
    code,
    message,
    more_info: `https://www.twilio.com/docs/errors/${code}`,
    status,
  })
  if (status !== 401) return answer
  return { ...answer, headers: { 'WWW-Authenticate': 'Basic realm="Twilio API"' } }
}

export function refusalFault(refused: DoorRefusal): TwilioFault {
  const [status, code, message] = doorRefusals[refused].twilio
  return new TwilioFault(status, code, message)
}
