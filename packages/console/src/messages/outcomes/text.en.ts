import type { AttemptDetail } from '@sdd/contract/messages/outcomes.ts'
import { typedSentence } from '#console/core/said.ts'
import type { FailureFields, FailureSentences, NotesFields, NoteSentences } from './outcomes.ts'

/** Failures without facts. */
const simple = {
  unknown_outcome: () =>
    'The device cannot tell whether it went out, so it is not sent again. A delivery report would settle it.',
  cancelled: () => 'It was cancelled on the device before it went out.',
  expired: () => 'It expired on the device before it went out.',
  no_network: () => 'The device had no network.',
  modem_error: () => 'The modem refused it.',
  timeout: () => 'The modem did not answer in time.',
}

const BLOCKED = 'Nothing is sent to it until the opt-out is removed in the settings.'

export const failures: FailureSentences = {
  ...simple,
  discarded: ({ by }) => `${by} discarded it before it reached a device.`,
  unlinked_before: ({ device }) => `${device} was unlinked before it was given the message.`,
  unlinked_after: ({ device }) => `${device} was unlinked before it reported the outcome.`,
  not_handed_over: ({ expires_at }) => `It expired at ${expires_at} and never reached a device.`,
  no_report: ({ device }) =>
    `${device} accepted it and has not reported the outcome. It is not sent again; a later report would settle it.`,
  blocked: ({ number, by, at }) =>
    `${number} has been opted out since ${at}${by === null ? '' : `, by ${by}`}. ${BLOCKED}`,
  opted_out: ({ number, text, device, at }) =>
    `${number} opted out with the SMS “${text}”, which ${device} received at ${at}. ${BLOCKED}`,
  no_consent: ({ number }) => `${number} no longer has a recorded consent to get marketing.`,
  failed: ({ code }) => `The device could not send it (code ${code}).`,
  undelivered: ({ reason }) => `The network did not deliver it: “${reason}”.`,
  partly_sent: ({ parts, why, why_code }) =>
    `${parts === 1 ? '1 part' : `${parts} parts`} had already gone out, so it is not sent again. Then: ${typedSentence(simple, why_code as keyof typeof simple, {}) ?? `“${why}”`}`,
  device_said: ({ text }) => `“${text}”`,
}

export const notes: NoteSentences = {
  given: ({ attempt, device }) => `Attempt ${attempt}: given to ${device}`,
  failed: ({ attempt, code, device }) =>
    `Attempt ${attempt}: failed on ${device} (${inSentence(cause(code))})`,
  retry: ({ at }) => `It is tried again at ${at}`,
  late: ({ attempt, state, device }) => `Attempt ${attempt}: ${state} on ${device}, reported late`,
  discarding: ({ attempt, by, device }) =>
    `Attempt ${attempt}: ${by} discarded it; ${device} is told not to send it`,
  blocked: ({ attempt, device }) =>
    `Attempt ${attempt}: the number is opted out; ${device} is told not to send it`,
  unconsented: ({ attempt, device }) =>
    `Attempt ${attempt}: the consent was withdrawn; ${device} is told not to send it`,
  ended: ({ error }) => `It ended: ${inSentence(cause(error))}`,
}

const causes: Record<string, string> = {
  no_network: 'No network',
  modem_error: 'Modem error',
  timeout: 'The modem did not answer',
  unknown_outcome: 'Unknown outcome',
  partly_sent: 'Only a part went out',
  no_report: 'The device did not report',
  expired: 'Expired',
  no_sim: 'No SIM',
  sim_barred: 'SIM barred',
  no_credit: 'No credit on the SIM',
  invalid_destination: 'Invalid destination',
  invalid_number: 'Invalid number',
  invalid_text: 'Invalid text',
  absent_subscriber: 'Recipient switched off or out of coverage',
  cancelled: 'Cancelled',
  device_unlinked: 'Device unlinked',
  opted_out: 'Number opted out',
  no_consent: 'No consent',
}

export const outcomes = {
  errorMsg,
  failure(fields: FailureFields): string | undefined {
    const { error, error_msg_code: code } = fields
    const implied = code && code !== 'device_said' && code !== 'undelivered'
    return [error && !implied ? cause(error) : '', errorMsg(fields)].filter(Boolean).join(' · ') || undefined
  },
  notes: ({ notes: text, notes_codes }: NotesFields): string | undefined =>
    notes_codes
      ?.map(({ at, code, params }) => `${at} ${typedSentence(notes, code, params) ?? code}`)
      .join('\n') || (text ? `“${text}”` : undefined),
  attempt: (said: string, facts?: AttemptDetail): string => (facts ? attemptOf(facts) : `“${said}”`),
  errorCode: cause,
  cause,
  quoted: (words: string): string => `“${words}”`,
}

function errorMsg({ error_msg, error_msg_code, error_msg_params }: FailureFields): string | undefined {
  return (
    typedSentence(failures, error_msg_code, error_msg_params) ?? (error_msg ? `“${error_msg}”` : undefined)
  )
}

function cause(code: string): string {
  if (code === '') return 'No code'
  return Object.hasOwn(causes, code) ? causes[code]! : `Code ${code}`
}

function attemptOf({ device, sim, accepted_at, sent_at, delivered_at, state, code, detail }: AttemptDetail) {
  return [
    device,
    sim && `SIM ${sim}`,
    accepted_at && `accepted at ${accepted_at}`,
    sent_at && `sent at ${sent_at}`,
    delivered_at && `${state === 'undelivered' ? 'not delivered, reported' : 'delivered'} at ${delivered_at}`,
    ((state === 'undelivered' && !delivered_at) || state === 'failed') &&
      (state === 'failed' ? 'failed' : 'not delivered'),
    code && inSentence(cause(code)),
    detail && `“${detail}”`,
  ]
    .filter(Boolean)
    .join(' · ')
}

/** With a small first letter, unless the word is an abbreviation. */
function inSentence(words: string): string {
  return /^\p{Lu}{2}/u.test(words) ? words : words.charAt(0).toLowerCase() + words.slice(1)
}
