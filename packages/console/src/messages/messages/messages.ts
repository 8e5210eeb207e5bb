import { CallFault, textOf } from '@sdd/contract/core/client.ts'
import { sendSms, SENT_VIA_MQTT, type NewSms } from '@sdd/contract/messages/messages.ts'
import { callApi } from '#console/core/api.ts'
import { text } from '#console/core/text.ts'
import { send as words } from './text.ts'

/** `guid` is the message's, if the server names it. */
export type SendOutcome =
  | { sent: boolean; status?: string | undefined; guid?: string | undefined }
  | { sent: false; why: unknown }

/** Sends once. */
export async function sendMessage(sms: NewSms): Promise<SendOutcome> {
  try {
    const [status, guid] = await callApi(sendSms, { body: sms }, (body) => [
      textOf(body, 'status'),
      textOf(body, 'guid'),
    ])
    return { sent: status === undefined || status === SENT_VIA_MQTT, status, guid }
  } catch (why) {
    return { sent: false, why }
  }
}

/** The sentence to show: the server's own words if it has any, or in a chosen language one about its code. */
export function outcomeText(outcome: SendOutcome): string {
  if ('why' in outcome) return faultSentence(outcome.why)
  const { sent, status } = outcome
  return sent || status === undefined ? words.accepted(status) : words.answered(status)
}

function faultSentence(fault: unknown): string {
  if (!(fault instanceof CallFault) || fault.status === 0) return text.noReply
  return words.refusal(fault) ?? words.refused(fault.status, fault.statusText)
}
