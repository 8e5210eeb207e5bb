import * as topics from '@sdd/contract/fleet/device-protocol.ts'
import { type Topic, topicOf } from '@sdd/contract/core/topic.ts'

const UID = ':uid'
const PREFIX = topics.deviceStatus.pattern.slice(0, topics.deviceStatus.pattern.indexOf(UID))

/** What a device may publish to. */
export const PUBLISHED = [
  topics.deviceStatus,
  topics.deviceNetworks,
  topics.deviceReports,
  topics.deviceInbox,
] as const

/** The same by what follows the device's uid. */
const BY_ENDING: ReadonlyMap<string, Topic> = new Map(
  PUBLISHED.map((topic) => [topic.pattern.slice(PREFIX.length + UID.length), topic]),
)

/** The topic that the device publishes to, `undefined` for any that is not its own. */
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
