import type { ChannelFault } from '@sdd/contract/outward/alert-channels.ts'
import { typedSentence } from '#console/core/said.ts'
import { callbackFault, type ChannelFaultSentences, smsFailure } from './faults.ts'

export const channelFaults = {
  why(fault: ChannelFault): string | undefined {
    return (
      typedSentence(sentences, fault.detail_code as keyof ChannelFaultSentences, fault.detail_params) ??
      callbackFault(fault)
    )
  },
}

const sentences: ChannelFaultSentences = {
  no_smtp: () => 'The server has no SMTP_URL, so it sends no e-mail.',
  no_device: () => 'No device can send an SMS now.',
  sms_late: ({ secs }) => `The device has not sent the SMS within ${secs} s.`,
  sms_ended: ({ state, ...facts }) =>
    [states[state] ?? `The SMS ended (${state}).`, smsFailure(facts)].filter(Boolean).join(' '),
  sms_removed: () => 'The SMS was removed.',
  destination_refused: ({ number, prefix }) =>
    prefix === null
      ? `${number} begins with no allowed prefix: nothing is sent to it.`
      : `${number} begins with ${prefix}, a denied prefix: nothing is sent to it.`,
  not_needed: () => 'Its alerts are acknowledged or resolved.',
  not_named: () => 'The rule no longer names this channel.',
}

const states: Record<string, string> = {
  failed: 'The SMS failed.',
  uncertain: 'It is not known whether the SMS went out.',
  expired: 'The SMS expired.',
  cancelled: 'The SMS was discarded.',
}
