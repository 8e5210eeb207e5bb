import type { Callback, CallbackState, LastErrorCode, ToldType } from '@sdd/contract/outward/callbacks.ts'
import { formats } from '#console/core/formats.en.ts'
import { paramsIn, sentenceOf, type Sentences } from '#console/core/said.ts'

type LastTry = Pick<Callback, 'last_error' | 'last_error_code' | 'last_error_params'>

export const callbacks = {
  webhooks: 'Webhooks',
  webhooksAbout: 'Addresses that receive signed events about each task (Standard Webhooks).',
  noWebhooks: 'There are no webhooks yet. A task may also have its own callback_url.',
  webhooksFailed: 'The webhooks could not be loaded.',
  allTypes: 'all events',
  format: { kannel: 'in the form of Kannel', twilio: 'in the form of Twilio' },
  madeBy: (name: string | null) => `Created by ${name ?? 'a deleted user'},`,
  dead: (n: number) => `${n} given up in 7 days`,

  add: 'Add webhook',
  test: 'Test',
  testNamed: (url: string) => `Test ${url}`,
  rotateNamed: (url: string) => `Rotate the secret of ${url}`,
  previous: 'The previous secret also signs until',
  remove: 'Remove',
  removeNamed: (url: string) => `Remove ${url}`,

  log: 'Deliveries',
  list: 'Deliveries to other systems',
  filter: 'State',
  all: 'All',
  search: 'GUID of the task',
  columns: {
    created_at: 'Date',
    type: 'Event',
    guid: 'GUID',
    url: 'URL',
    state: 'State',
    tries: 'Tries',
    last: 'Last result',
    next_try_at: 'Next try',
    actions: 'Actions',
  },
  states: {
    waiting: 'Waiting',
    delivered: 'Delivered',
    dead: 'Given up',
  } satisfies Record<CallbackState, string>,
  typeOf: (type: ToldType) => types[type],
  status: (status: number) => `HTTP ${status}`,
  lastError: ({ last_error, last_error_code: code, last_error_params }: LastTry) =>
    code || last_error
      ? sentenceOf(
          lastErrors,
          { code: code ?? '', params: paramsIn(last_error_params) },
          { ...formats, otherwise: code ? `It did not arrive (code ${code}).` : 'It did not arrive.' },
        )
      : undefined,
  loadFailed: 'The deliveries could not be loaded.',
  empty: 'Nothing has been sent yet.',
  emptyHint: 'Each delivery to a callback_url or a webhook is listed here, with its tries.',
  emptyFiltered: 'No delivery matches the filters.',
  copied: 'GUID copied',
  repeat: 'Send again',
  repeatNamed: (guid: string) => `Send ${guid} again`,
  repeated: (guid: string) => `${guid} is sent again`,
  repeatFailed: 'It could not be sent again.',
  see: (guid: string) => `Show ${guid}`,
}

const types: Record<ToldType, string> = {
  'task.sent': 'Sent',
  'task.delivered': 'Delivered',
  'task.replied': 'Replied',
  'task.failed': 'Failed',
  'task.uncertain': 'Uncertain',
  'task.expired': 'Expired',
  'sms.received': 'SMS received',
  'alert.opened': 'Alert opened',
  'alert.resolved': 'Alert resolved',
  'task.handed': 'Accepted by a device',
  'task.cancelled': 'Discarded',
}

const lastErrors = {
  gone: () => 'It answered 410: it wants no more.',
  redirect: ({ status }) =>
    `It answered ${status}, a redirect: those are not followed, so enter the final address.`,
  refused: () => 'It refused the connection.',
  closed: () => 'It closed the connection before it answered.',
  bad_certificate: ({ reason }) => `Its certificate is not trusted (${reason}).`,
  bad_tls: ({ reason }) => `The encrypted TLS connection failed (${reason}).`,
  not_http: ({ reason }) => `Its answer is not HTTP (${reason}).`,
  unreachable: ({ reason }) => `It could not be reached (${reason}).`,
  late: ({ secs }) => `It did not answer within ${secs} s.`,
  not_public: ({ host }) =>
    `${host} leads to an address that is not public, and this server calls none of those (CALLBACK_ADDRESSES).`,
  not_listed: ({ host }) => `${host} is none of the addresses that this server calls (CALLBACK_HOSTS).`,
  no_address: ({ host, reason }) => `${host} has no address now (${reason}).`,
  slow_name: ({ host }) => `The address of ${host} took too long to find.`,
  webhook_removed: () => 'The webhook was removed.',
  no_secret: () => 'No API key handed in the task, so there is no secret to sign with.',
  answer_not_sent: () => 'Its answer could not be sent as an SMS at that moment.',
  not_tried: () => 'The server could not try it.',
  other: ({ text }) => `It did not arrive: “${text}”`,
} satisfies Sentences<LastErrorCode>
