import { CallFault, textOf } from '@sdd/contract/core/client.ts'
import { sendSms, SENT_VIA_MQTT, type NewSms } from '@sdd/contract/messages/messages.ts'
import { callApi } from '#console/core/api.ts'
import { text } from '#console/core/text.ts'
import { send as words } from './text.ts'

/** A message that was typed but not sent. */
export type UnsentMessage = { to: string; message: string }

export type SendOutcome = { sent: boolean; said: string }

/** Sends once, and returns the sentence to show: the server's own words if it has any. */
export async function sendMessage(sms: NewSms): Promise<SendOutcome> {
  try {
    const status = await callApi(sendSms, { body: sms }, (body) => textOf(body, 'status'))
    const sent = status === undefined || status === SENT_VIA_MQTT
    return { sent, said: status ?? words.sent }
  } catch (fault) {
    if (!(fault instanceof CallFault) || fault.status === 0) return { sent: false, said: text.noReply }
    const why = fault.cause instanceof SyntaxError ? words.unreadable : fault.statusText
    const said = textOf(fault.body, 'status') ?? words.refused(fault.status, why)
    return { sent: false, said }
  }
}
