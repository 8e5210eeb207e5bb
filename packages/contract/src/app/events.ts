import * as z from 'zod/mini'
import type { Schema } from '@sdd/contract/core/route.ts'
import { AlertBody, AlertEventBody } from '@sdd/contract/outward/alerts.ts'
import { CallbackBody, ReceivedBody, TestBody } from '@sdd/contract/outward/callbacks.ts'
import { type Json, jsonSchema } from './json-schema.ts'

type Event = { type: string; summary: string; body: Schema }

const taskEvent = (type: string, summary: string): Event => ({
  type,
  summary,
  body: z.extend(CallbackBody, { type: z.literal(type) }),
})

const toChannel = (type: AlertBody['type']) => z.extend(AlertBody, { type: z.literal(type) })

/** Channels get the alerts of a rule together, and webhooks of the company get each alert. */
const alertEvent = (type: AlertEventBody['type'], summary: string): Event => ({
  type,
  summary,
  body: z.union([toChannel(type), z.extend(AlertEventBody, { type: z.literal(type) })]),
})

/** Every event that the server posts to other programs. */
export const events: readonly Event[] = [
  taskEvent('task.sent', 'The network took every part of the SMS.'),
  taskEvent('task.delivered', 'The phone of the recipient has the SMS.'),
  taskEvent('task.replied', 'The recipient answered; `task.reply` has the text.'),
  taskEvent('task.failed', 'The SMS was not sent, or not delivered.'),
  taskEvent('task.uncertain', 'The device cannot tell whether the SMS went out. It is not sent again.'),
  taskEvent('task.expired', 'No device could send the SMS in time.'),
  { type: 'sms.received', summary: 'A device received an SMS.', body: ReceivedBody },
  { type: 'webhook.test', summary: 'A test of a webhook, which a person asked for.', body: TestBody },
  alertEvent('alert.opened', 'Alerts of a rule opened.'),
  alertEvent('alert.resolved', 'Alerts of a rule are resolved.'),
  {
    type: 'alert.repeated',
    summary: 'Alerts of a rule are still open, and not acknowledged.',
    body: toChannel('alert.repeated'),
  },
  {
    type: 'alert.test',
    summary: 'A test of a channel, which a person asked for.',
    body: toChannel('alert.test'),
  },
]

const header = (name: string, description: string, schema: Json) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema,
})

/** The headers of Standard Webhooks. */
const HEADERS = [
  header('webhook-id', 'The same at each attempt.', { type: 'string' }),
  header('webhook-timestamp', 'Seconds since 1970, of this attempt.', { type: 'string', pattern: '^\\d+$' }),
  header('webhook-signature', '`v1,` and the signature; there may be several, separated by blanks.', {
    type: 'string',
  }),
]

/** The `webhooks` of the OpenAPI document. */
export function eventDescriptions(): Json {
  return Object.fromEntries(
    events.map(({ type, summary, body }) => [
      type,
      {
        post: {
          operationId: `on${type.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
          tags: ['events'],
          summary,
          parameters: HEADERS,
          requestBody: {
            required: true,
            content: { 'application/json': { schema: jsonSchema(body, 'output') } },
          },
          responses: {
            '2XX': { description: 'The event has arrived.' },
            '410': { description: 'The receiver wants no such events. They are not tried again.' },
            default: { description: 'The event is tried again later.' },
          },
        },
      },
    ]),
  )
}
