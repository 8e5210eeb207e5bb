import * as topics from '@sdd/contract/fleet/device-protocol.ts'
import { type PayloadOf, type Topic, topicOf } from '@sdd/contract/core/topic.ts'
import type { Logger } from 'pino'
import type { Counter } from '#server/core/metrics.ts'
import { openThrottledLog } from '@sdd/mqtt/log.ts'
import type { ConnectedDevice } from '#server/fleet/presence/presence.ts'

const UID = ':uid'
const PREFIX = topics.deviceStatus.pattern.slice(0, topics.deviceStatus.pattern.indexOf(UID))

/** The topics that a device may publish to. */
export const PUBLISHED = [
  topics.deviceStatus,
  topics.deviceNetworks,
  topics.deviceReports,
  topics.deviceInbox,
  topics.deviceTelemetry,
  topics.deviceAnswers,
] as const

/** The same, by the part of the name that follows the device's uid. */
const BY_ENDING: ReadonlyMap<string, Topic> = new Map(
  PUBLISHED.map((topic) => [topic.pattern.slice(PREFIX.length + UID.length), topic]),
)

/** The topic of this name; `undefined` if the device may not publish to it. */
export function publishedTopic(uid: string, name: string): Topic | undefined {
  if (!name.startsWith(PREFIX) || !name.startsWith(uid, PREFIX.length)) return undefined
  return BY_ENDING.get(name.slice(PREFIX.length + uid.length))
}

/** The one topic that a device subscribes to. */
export function commandsOf(uid: string): string {
  return topicOf(topics.deviceCommands, { uid })
}

/** The filter for this topic of all devices. */
export function everyDevice({ pattern }: Topic): string {
  return pattern.replace(UID, '+')
}

/** Sets the function for a topic's payloads. The PUBACK is sent once it resolves, which must be after the commit. */
export type ServeTopic = <T extends Topic>(
  topic: T,
  receive: (from: ConnectedDevice, payloads: PayloadOf<T>[]) => Promise<void>,
) => void

export type Topics = {
  serve: ServeTopic
  /** Handles one packet of a device. Drops, counts and logs an unreadable payload: a repetition would not help. */
  received(from: ConnectedDevice, topic: Topic, payload: Uint8Array): Promise<void>
}

export function openTopics({ log, dropped }: { log: Logger; dropped: Counter<'topic' | 'reason'> }): Topics {
  const receivers = new Map<Topic, (from: ConnectedDevice, payloads: never[]) => Promise<void>>()

  const throttled = openThrottledLog()

  function drop(from: ConnectedDevice, topic: Topic, reason: string): void {
    dropped.inc({ topic: topic.pattern, reason })
    const { level, unsaid } = throttled(`${topic.pattern} ${reason}`)
    const details = { uid: from.uid, topic: topic.pattern, reason, unsaid }
    log[level === 'info' ? 'warn' : 'debug'](details, 'Dropped a payload of a device')
  }

  return {
    serve: (topic, receive) => void receivers.set(topic, receive),
    async received(from, topic, payload) {
      const receive = receivers.get(topic)
      if (receive === undefined) throw new Error(`No function receives ${topic.pattern}`)
      const json = parseJson(payload)
      if (json === undefined) return drop(from, topic, 'not JSON')
      const items = topic.batch !== undefined && Array.isArray(json) ? json : [json]
      if (topic.batch !== undefined && items.length > topic.batch) return drop(from, topic, 'too many')
      const payloads: never[] = []
      for (const item of items) {
        const parsed = topic.payload.safeParse(item)
        if (parsed.success) payloads.push(parsed.data as never)
        else drop(from, topic, `invalid ${nameField(parsed.error.issues[0]?.path)}`.trim())
      }
      if (payloads.length > 0) await receive(from, payloads)
    },
  }
}

/** Leaves out list indexes: a metric must have few labels, whatever a device sends. */
function nameField(path: readonly PropertyKey[] = []): string {
  return path.filter((part) => typeof part === 'string').join('.')
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parseJson(payload: Uint8Array): unknown {
  try {
    const json = utf8.decode(payload)
    return JSON.parse(json, SURROGATE.test(json) ? repairText : undefined) as unknown
  } catch {
    return undefined
  }
}

/** Only an escape can hold half a surrogate pair. It is repaired here, because no URL can hold it. */
const SURROGATE = /\\u[Dd][89A-Fa-f]/

function repairText(_: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value
}
