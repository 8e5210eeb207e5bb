import type { CallbackType } from '@sdd/contract/outward/callbacks.ts'

export const callbackDialogs = {
  url: 'URL',
  urlHint: 'https://… Private addresses are refused, unless the people who maintain the server allow them.',
  urlWrong: 'Type an http:// or https:// address without a username.',
  types: 'Which events it receives',
  typeWords: {
    'task.sent': 'The network accepted the SMS',
    'task.delivered': 'The SMS reached the recipient',
    'task.replied': 'The recipient replied',
    'task.failed': 'It could not be sent',
    'task.uncertain': 'It is not known whether it went out',
    'task.expired': 'It expired unsent',
    'sms.received': 'An SMS was received',
    'alert.opened': 'An alert opened',
    'alert.resolved': 'An alert is resolved',
  } satisfies Record<CallbackType, string>,
  format: 'Format',
  formats: { json: 'Signed JSON', kannel: 'Like Kannel', twilio: 'Like Twilio' },
  formatHints: {
    json: 'A POST for each event, signed (Standard Webhooks).',
    kannel: 'A GET for each received SMS. The URL has %p (sender), %P (its SIM), %a (text) and %t (time).',
    twilio: 'A POST for each received SMS. A TwiML answer is sent to the sender.',
  },
  key: 'API key',
  keyHint: 'Its callback secret signs each request, and it sends the answers.',
  noKey: 'No key may read received SMS: create one with that permission first.',
  chooseKey: 'Choose a key',
  keyMissing: 'Choose the key that signs.',
  noType: 'Choose at least one event.',
  addFailed: 'The webhook could not be added.',
  made: 'Webhook added',
  secret: 'Secret',
  secretHint: 'It verifies the webhook-signature header of each delivery.',
  copySecret: 'Copy secret',

  rotateTitle: 'Rotate the secret of this webhook?',
  rotateMeans: 'A new secret is created and shown only once. The address and the events stay the same.',
  overlap: 'Does the current secret still sign after the rotation?',
  rotateFailed: 'The secret could not be rotated.',
  rotated: 'New secret',
  previousLasts: (until: string) =>
    `The previous secret signs until ${until}. If you rotate again, it stops signing.`,
  previousGoesOn: (until: string) => `Until ${until}, each delivery has both signatures.`,
  previousDead: 'The previous secret no longer signs.',
  endTitle: 'End the previous secret?',
  endMeans:
    'From now on, deliveries have only the signature of the new secret. This cannot be undone. If the receiver still verifies the previous one, it will refuse them.',
  endFailed: 'The previous secret could not be ended.',
  ended: 'Previous secret ended',

  removeTitle: 'Remove this webhook?',
  removeMeans: 'It receives nothing from now on, and the deliveries that still wait for it are given up.',
  removeFailed: 'The webhook could not be removed.',
  removed: 'Webhook removed',
  webhookGone: 'This webhook no longer exists.',

  behind: (type: string, until: string | null) =>
    `It waits for an earlier delivery of the same task and address (${type})${until ? `, which is tried again at ${until}` : ''}. They are sent in order.`,
  body: 'Body',

  test: 'Send a test',
  testAgain: 'Send another test',
  testing: 'Sending…',
  testTitle: 'Test the webhook',
  testMeans:
    'One event of type webhook.test is sent, signed like the others. It is neither stored nor repeated.',
  testFailed: 'The test could not be sent.',
  testArrived: 'It arrived',
  testRefused: 'It did not arrive',

  repeatAll: 'Send everything given up again',
  repeatAllFailed: 'It could not be sent again.',
  repeatedAll: (count: number, more: boolean) =>
    `${count === 1 ? '1 delivery is' : `${count} deliveries are`} sent again${more ? '; there are more' : ''}`,

  details: 'Details of the delivery',
  unknown: 'This delivery is not in the list.',
  deadMeans:
    'It was tried for more than a day and given up. If you send it again, the tries start over, with the same webhook-id.',
  toTask: 'Show the task',
  fields: {
    webhook_id: 'webhook-id',
    type: 'Event',
    guid: 'GUID',
    url: 'URL',
    created_at: 'Created',
    tries: 'Tries',
    last_tried_at: 'Last try',
    last_status: 'Last HTTP status',
    last_error: 'Last error',
    next_try_at: 'Next try',
    delivered_at: 'Delivered',
  },
}
