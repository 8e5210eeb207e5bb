import type { ChannelFault } from '@sdd/contract/outward/alert-channels.ts'
import { readSentence, sentence } from '#server/core/sentence.ts'
import { errorMsgFieldsOf } from '#server/messages/outcomes/outcomes.ts'
import { troubles } from '#server/outward/callbacks/outcome.ts'

/** Why a message to a channel did not arrive, in the words of this server, as `detail` stores it. */
export const channelFaults = {
  ...troubles,
  no_smtp: sentence('The server has no SMTP_URL, so it sends no e-mail.'),
  no_device: sentence('No device can send an SMS now.'),
  sms_late: sentence('The device has not sent the SMS in {secs} s.'),
  sms_removed: sentence('The SMS was removed.'),
  sms_ended: sentence('The SMS ended as {state}: {why}'),
  sms_only_ended: sentence('The SMS ended as {state}.'),
  denied: sentence('{number} begins with {prefix}, which is on the deny list: nothing is sent to it.'),
  not_allowed: sentence('{number} begins with no prefix of the allow list: nothing is sent to it.'),
  not_needed: sentence('Its alerts are acknowledged or resolved.'),
  not_named: sentence('The rule no longer names this channel.'),
}

/** `detail` with its code and facts. The words of the other side have none. */
export function channelFaultFieldsOf(detail: string | null): ChannelFault {
  const found = detail === null ? undefined : readSentence(channelFaults, detail)
  if (!found) return { detail }
  const { code, params } = found
  if (code === 'denied' || code === 'not_allowed')
    return { detail, detail_code: 'destination_refused', detail_params: { prefix: null, ...params } }
  if (code === 'sms_ended' || code === 'sms_only_ended') {
    const { state, why = null } = params
    const { error_msg_code, error_msg_params } = errorMsgFieldsOf(why === null ? null : String(why))
    const detail_params = { state, why, why_code: error_msg_code, why_params: error_msg_params }
    return { detail, detail_code: 'sms_ended', detail_params }
  }
  return { detail, detail_code: code, detail_params: params }
}
