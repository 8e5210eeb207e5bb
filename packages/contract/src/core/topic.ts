import type * as z from 'zod/mini'
import type { Schema } from './route.ts'

export type Topic<Payload extends Schema = Schema> = {
  /** With named parts: `devices/:uid/reports`. */
  pattern: string
  summary: string
  /** The publisher. */
  from: 'device' | 'server'
  payload: Payload
  /** If set, one packet may carry an array of up to this many independent payloads. */
  batch?: number
}

export type PayloadOf<T extends Topic> = z.output<T['payload']>

/** Declares a topic once, for the server, the devices and the browsers. */
export function topic<Payload extends Schema>(
  pattern: string,
  spec: Omit<Topic<Payload>, 'pattern'>,
): Topic<Payload> {
  return { pattern, ...spec }
}

/** The topic with its named parts filled in. A part never contains `/`, `+` or `#`. */
export function topicOf(topic: Topic, params: Readonly<Record<string, string>> = {}): string {
  return topic.pattern.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name]
    if (!value || /[/+#\0]/.test(value)) throw new TypeError(`${topic.pattern} needs a ${name} without / + #`)
    return value
  })
}
