import type { CallFault } from '@sdd/contract/core/client.ts'
import type { FieldCode } from '@sdd/contract/core/error-params.ts'
import type { ErrorCode } from '@sdd/contract/core/errors.ts'
import { formats } from '#console/core/formats.en.ts'
import { saidIn, sentenceOf, type Params, type Said, type Sentences } from '#console/core/said.ts'

const TRY_LATER = 'Try again in a moment.'
const GONE = 'Somebody else may have deleted it.'

export const refusals = {
  malformed: () => 'The server did not understand the request.',
  unauthorized: () => 'The session has ended: log in again.',
  bad_credentials: () => 'The username or the password is wrong.',
  second_factor_required: () => 'A code from your app is needed too.',
  bad_code: () => 'The code is wrong or was already used. Wait for the next one.',
  password_change_required: () => 'Change your password first.',
  second_factor_setup_required: () => 'Turn on the second factor first.',
  forbidden: () => 'You are not allowed to do this.',
  class_forbidden: () => 'The API key may not send messages of this class.',
  proof_required: () => 'Confirm first that it is you.',
  link_code_refused: () => 'The link code is not valid or has expired.',
  not_found: () => 'The server does not have what was requested.',
  unknown_device: () => `This device no longer exists. ${GONE}`,
  no_balance_query: () => 'First set how to ask for the balance of this SIM.',
  sim_away: () => 'No device names this SIM any more.',
  unknown_sim: () => 'No device has named this SIM.',
  unknown_user: () => `This user no longer exists. ${GONE}`,
  unknown_session: () => 'This session had already ended.',
  unknown_message: () => 'No message has this GUID.',
  unknown_company: () => 'This company does not exist.',
  unknown_task: () => 'No task has this GUID.',
  unknown_api_key: () => `This key no longer exists. ${GONE}`,
  unknown_webhook: () => `This webhook no longer exists. ${GONE}`,
  unknown_callback: () => 'This delivery no longer exists.',
  unknown_opt_out: () => `This opt-out no longer exists. ${GONE}`,
  unknown_contact: () => 'There is no such contact.',
  unknown_keyword: () => 'There is no such keyword.',
  unknown_template: () => 'There is no such template.',
  unknown_link_code: () => 'This link code no longer works.',
  unknown_conversation: () => 'There is no conversation with this number.',
  unknown_campaign: () => 'There is no such campaign.',
  unknown_alert_rule: () => 'There is no such rule.',
  unknown_alert_channel: () => 'There is no such channel.',
  channel_in_use: () => 'A rule for alerts names this channel.',
  unknown_alert: () => 'There is no such alert.',
  alert_resolved: () => 'This alert is resolved already.',
  device_disconnected: ({ device, since }) =>
    `${named(device)} ${since ? `has been disconnected since ${since}` : 'is disconnected'}. Choose another one.`,
  device_disabled: ({ device, since }) =>
    `${named(device)} ${since ? `has been disabled since ${since}` : 'is disabled'}. Enable it, or choose another one.`,
  device_in_maintenance: ({ device, until }) =>
    `${named(device)} is in maintenance${until ? ` until ${until}` : ''}. Choose another device.`,
  sending_disabled: ({ since, by }) =>
    `Sending was switched off in the settings${since ? ` at ${since}` : ''}${by ? ` by ${by}` : ''}. Switch it on to send.`,
  not_able: ({ device }) => `${named(device)} cannot do that.`,
  order_under_way: () => 'The device has not answered its last order of this kind yet.',
  uid_taken: () => 'Another device already has this UID.',
  word_taken: () => 'This word has a meaning already: choose another.',
  name_taken: () => 'Another user already has this name. Choose another one.',
  email_taken: () => 'Another user already has this e-mail address. Choose another one.',
  last_superadmin: () => 'This is the last superadmin who can log in: there must be another one first.',
  second_factor_on: () => 'The second factor is already on.',
  second_factor_off: () => 'The second factor is not on.',
  second_factor_enforced: () => 'Your company requires the second factor: it cannot be turned off.',
  guid_taken: () => 'Another task already has this GUID.',
  ambiguous_guid: () => 'Several companies have a message with this GUID.',
  task_not_discardable: ({ device }) =>
    device === undefined
      ? 'The task has already ended: it cannot be discarded.'
      : `${device} has already accepted it: it cannot be discarded.`,
  may_have_arrived: () => 'This message may have arrived. Send it again only if twice is better than never.',
  not_repeatable: () => 'This message cannot be sent again.',
  wrong_state: () => 'The campaign is in another state by now: look at it again.',
  rows_changed: ({ sendable }) =>
    `The campaign now has ${sendable ?? 'other'} rows to send: look at the preview again.`,
  upload_incomplete: () => 'The upload of the rows was interrupted: upload them again.',
  routes_changed: () => 'Somebody else has changed the routes: look at them again, and repeat your change.',
  nothing_to_send: () => 'The campaign has no row that can be sent.',
  not_answerable: () => 'Nothing can be sent to this sender: it is no phone number.',
  too_large: () => 'What was sent is too large.',
  unsupported_media_type: () => 'The server does not accept this format.',
  invalid: () => 'Some of the values are not valid: check them and try again.',
  confirm_required: () => 'Repeat the code to confirm it.',
  too_many_tags: ({ max }) => `A device can have ${max ?? 20} tags at most.`,
  opted_out: ({ number, at, by }) =>
    `${number ?? 'This number'} was opted out${at ? ` at ${at}` : ''}${by ? ` by ${by}` : ''}. Nothing is sent to it until the opt-out is removed.`,
  no_consent: ({ number }) =>
    `${number ?? 'This number'} has no recorded consent to get marketing. Record it in its contact.`,
  no_route: () => 'The routes let no device send this message.',
  destination_refused: () => 'The destinations allowed in the settings do not include this number.',
  too_many_attempts: ({ retry_after }) =>
    `Too many attempts. Wait ${waitOf(retry_after)} before trying again.`,
  plan_used: ({ device, iccid, at, valid_until }) =>
    iccid === undefined
      ? 'The plan of the SIM is used up. Choose another device, or change the plan.'
      : valid_until === undefined
        ? `The plan of the SIM ${iccid} in ${named(device)} is used up${at ? ` and renews at ${at}` : ''}. Choose another device, or change the plan.`
        : `The SIM ${iccid} in ${named(device)} was valid until ${valid_until}. Choose another device, or change its date.`,
  daily_limit: ({ device, limit, sent, parts, until }) =>
    device === undefined || limit === undefined
      ? 'The device has reached its daily limit. Choose another one, or raise its limit in the settings.'
      : `${device} may send ${limit} SMS a day and has sent ${sent ?? 0}; this one takes ${parts ?? 1}. Choose another device, raise its limit in the settings, or wait until ${until ?? 'tomorrow'}.`,
  recipient_limit: () => 'This number has already received all messages that the settings allow in a day.',
  quota_reached: () => 'The company has reached its quota.',
  internal: () => `The server failed. ${TRY_LATER}`,
  not_ready: () => `The server is not ready. ${TRY_LATER}`,
  busy: () => `The server is very busy. ${TRY_LATER}`,
  disk_full: () => 'The server has no disk space left. Tell the people who maintain it.',
} satisfies Sentences<ErrorCode>

export const fieldFaults = {
  required: () => 'This field is required.',
  too_short: ({ min }) => (min === undefined ? 'This is too short.' : `Type at least ${min} characters.`),
  too_long: ({ max }) => (max === undefined ? 'This is too long.' : `Type at most ${max} characters.`),
  out_of_range: ({ min, max }) =>
    min === undefined || max === undefined
      ? 'The value is out of range.'
      : `It must be between ${min} and ${max}.`,
  not_one_of: ({ values }) =>
    values ? `It must be one of these values: ${values}.` : 'This value is not possible.',
  number_format: () => 'Type the number with its country code (+34600111222), or a short number.',
  email_format: () => 'Type an address such as ana@example.com.',
  bad_format: () => 'The format is wrong.',
  too_many_segments: ({ segments, max }) =>
    segments === undefined || max === undefined
      ? 'The text is too long.'
      : `It takes ${segments} segments and at most ${max} are possible: shorten it.`,
  unknown_field: () => 'The server does not know this field.',
  taken: () => 'This is already taken. Choose another one.',
  common_password: () => 'This is easy to guess. Choose another one, for example of several words.',
  wrong: () => 'This is not right.',
  confirm_required: () => 'Repeat the code: it may move credit or change the plan.',
  unchanged: () => 'This is the same as the current one. Choose another one.',
  own_password: () => 'Your own password is changed in your account.',
  address_refused: () => 'The server may not call this address.',
  needs_api_key: () => 'Only an API key may set this.',
  too_many: ({ max }) =>
    max === undefined
      ? 'The company already has the maximum.'
      : `The company already has ${max}, which is the maximum.`,
  destination_refused: () => 'The destinations allowed in the settings do not include it.',
  no_consent: () => 'It has no recorded consent to get marketing.',
} satisfies Sentences<FieldCode>

export const faults = {
  refusal(fault: CallFault): string | undefined {
    const said = saidIn(fault)
    return said.code === ''
      ? undefined
      : sentenceOf(refusals, said, { ...formats, otherwise: `The server refused it (code ${said.code}).` })
  },
  fields: (fault: CallFault) =>
    Object.fromEntries(saidIn(fault).fields.map(([name, said]) => [name, fieldFault(said)])),
}

function fieldFault(said: Said): string {
  const otherwise =
    said.code === '' ? 'This value is not valid.' : `This value is not valid (code ${said.code}).`
  return sentenceOf(fieldFaults, said, { ...formats, otherwise })
}

function named(device: Params[string]): string {
  return device ? `The device ${device}` : 'The device'
}

function waitOf(secs: Params[string]): string {
  if (typeof secs !== 'number') return 'a moment'
  if (secs < 90) return secs === 1 ? '1 second' : `${secs} seconds`
  return `${Math.ceil(secs / 60)} minutes`
}
