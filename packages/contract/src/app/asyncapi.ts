import type { Topic } from '@sdd/contract/core/topic.ts'
import { type Json, jsonSchema } from './json-schema.ts'

const PARTS: Record<string, string> = {
  uid: 'The uid of the device. It is also its MQTT client id and user name.',
}

/** The AsyncAPI 3 document of these topics, from the view of the server: it receives what devices publish. */
export function asyncapiDocument(topics: readonly Topic[]): Record<string, unknown> {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'SMS Drone Dash',
      version: '1',
      description:
        'MQTT 3.1.1. A device logs in with its uid and its secret. A browser uses WebSocket at `/mqtt` and its access token.',
    },
    defaultContentType: 'application/json',
    channels: Object.fromEntries(topics.map((topic) => [nameOf(topic), channelOf(topic)])),
    operations: Object.fromEntries(
      topics.map((topic) => [
        `${topic.from === 'device' ? 'receive' : 'send'}${nameOf(topic)}`,
        {
          action: topic.from === 'device' ? 'receive' : 'send',
          channel: { $ref: `#/channels/${nameOf(topic)}` },
          summary: topic.summary,
          ...(partsOf(topic).length > 0 && { bindings: { mqtt: { qos: 1 } } }),
        },
      ]),
    ),
  }
}

function channelOf(topic: Topic): Json {
  const { pattern, summary, from, payload, batch } = topic
  const names = partsOf(topic)
  const one = jsonSchema(payload, from === 'device' ? 'input' : 'output', 'draft-07')
  return {
    address: pattern.replace(/:(\w+)/g, '{$1}'),
    description: summary,
    ...(names.length > 0 && {
      parameters: Object.fromEntries(names.map((name) => [name, { description: PARTS[name] }])),
    }),
    messages: {
      payload: {
        summary,
        payload: batch ? { oneOf: [one, { type: 'array', items: one, maxItems: batch }] } : one,
      },
    },
  }
}

function partsOf({ pattern }: Topic): string[] {
  return Array.from(pattern.matchAll(/:(\w+)/g), ([, name]) => name!)
}

/** `devices/:uid/reports` is `DevicesReports`. */
function nameOf({ pattern }: Topic): string {
  const parts = pattern.split('/').filter((part) => part !== '' && !part.startsWith(':'))
  return parts.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join('')
}
