import { PARTLY_SENT, UNKNOWN_OUTCOME } from '@sdd/contract/fleet/device-protocol.ts'
import type { ErrorMsgCode, Note } from '@sdd/contract/messages/outcomes.ts'
import { readSentence, sentence } from '#server/core/sentence.ts'

const NO_MORE = 'Nothing is sent to it unless an admin lifts the block in Settings.'

/** Why a message ended, as `error_msg` stores it. A device may use words of its own instead. */
export const failures = {
  discarded: sentence('It was discarded by {by} before it was handed over.'),
  unlinked_before: sentence('The device {device} was unlinked before it was handed over.'),
  unlinked_after: sentence('The device {device} was unlinked before it said what became of it.'),
  not_handed_over: sentence('It was not handed over by {expires_at}.'),
  no_report: sentence(
    '{device} accepted it and has not said what became of it. It is not sent again; a report would settle it.',
  ),
  blocked: sentence(`{number} was blocked by {by} at {at}. ${NO_MORE}`),
  opted_out: sentence(
    `{number} asked not to be written to, by the SMS {text} that {device} received at {at}. ${NO_MORE}`,
  ),
  no_consent: sentence('{number} has no recorded consent to get marketing any more.'),
  [UNKNOWN_OUTCOME]: sentence(
    'The device cannot tell whether it went out, so it is not sent again. A delivery report would settle it.',
  ),
  cancelled: sentence('It was cancelled before it went out.'),
  expired: sentence('It expired on the device before it went out.'),
  no_network: sentence('The device had no network.'),
  modem_error: sentence('The modem refused it.'),
  timeout: sentence('The modem did not answer in time.'),
  failed: sentence('The device could not send it ({code}).'),
  undelivered: sentence('The network did not deliver it: {reason}'),
  one_part_sent: sentence('1 part of it went on air, so it is not sent again. Then: {why}'),
  parts_sent: sentence('{parts} parts of it went on air, so it is not sent again. Then: {why}'),
}

type Said = { code: ErrorMsgCode; params: Record<string, string | number | null> }

/** The code and the facts of an `error_msg`. */
export function readFailure(text: string): Said {
  const found = readSentence(failures, text)
  if (found === undefined) return { code: 'device_said', params: { text } }
  const { code, params } = found
  if (code === 'one_part_sent' || code === 'parts_sent') {
    const { parts = 1, why = '' } = params
    return { code: PARTLY_SENT, params: { parts, why, why_code: readFailure(String(why)).code } }
  }
  if (code === 'blocked')
    return { code, params: { ...params, by: params['by'] === ADMIN ? null : params['by']! } }
  if (code === 'opted_out') return { code, params: { ...params, text: unquoted(params['text']) } }
  return { code, params }
}

/** Stands for a person without a name. */
export const ADMIN = 'an admin'

function unquoted(text: unknown): string {
  try {
    return String(JSON.parse(String(text)))
  } catch {
    return String(text)
  }
}

/** The fields that say why a message failed. */
export function errorMsgFieldsOf(error_msg: string | null) {
  if (error_msg === null) return { error_msg, error_msg_code: null, error_msg_params: null }
  const { code, params } = readFailure(error_msg)
  return { error_msg, error_msg_code: code, error_msg_params: params }
}

/** The lines of `notes`, without their times. */
export const notes = {
  given: sentence('{attempt}: given to {device}'),
  discarding: sentence('{attempt}: discarded by {by}, {device} is told to drop it'),
  blocked: sentence('{attempt}: the number is blocked, {device} is told to drop it'),
  unconsented: sentence('{attempt}: the consent was withdrawn, {device} is told to drop it'),
  late: sentence('{attempt}: {state} on {device}, said late'),
  failed: sentence('{attempt}: {code} on {device}'),
  retry: sentence('it is tried again at {at}'),
  ended: sentence('{error}'),
}

/** The lines of a message's notes, each with its time. A failure code with line breaks has several. */
export function readNotes(text: string | null): Note[] {
  return (text?.split('\n') ?? []).map((line) => {
    const [, at = '', what = line] = /^(\S+) ([^]*)$/.exec(line) ?? []
    return { at, ...readSentence(notes, what)! }
  })
}
