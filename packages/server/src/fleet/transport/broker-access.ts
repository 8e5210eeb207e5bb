import type { Acl, ListRules } from '@sdd/mqtt/external/dynamic-security.ts'
import { topicOf } from '@sdd/contract/core/topic.ts'
import { Refusal } from '#server/core/refusal.ts'
import { commandsOf, PUBLISHED } from './device-topics.ts'

/** The prefix of our groups, roles, client ids and shared subscriptions at the external broker. */
export const PREFIX = 'sms-drone-dash'

export const DEVICES = { kind: 'device', field: 'uid' } as const

/** The entries of Mosquitto's client list for devices, and for the user that this server connects as. */
export function listRules(username: string): ListRules {
  return {
    called: DEVICES,
    username,
    prefix: PREFIX,
    serverMay: SERVER_MAY,
    clientMay: deviceMay,
    unreachable: (why) => new Refusal('not_ready', `The broker ${why}. Try again soon.`),
    nameTaken: (uid) =>
      new Refusal('uid_taken', `The broker has a user ${uid} that is not a device. Choose another uid.`),
  }
}

export function notConnected(): Refusal {
  return new Refusal('not_ready', 'The broker of the devices cannot be reached. Try again soon.')
}

const SERVER_MAY: Acl[] = [
  { acltype: 'publishClientSend', topic: 'devices/+/commands' },
  { acltype: 'publishClientReceive', topic: 'devices/#' },
  { acltype: 'subscribePattern', topic: 'devices/#' },
  { acltype: 'subscribePattern', topic: `$share/${PREFIX}/devices/#` },
]

function deviceMay(uid: string): Acl[] {
  const commands = commandsOf(uid)
  return [
    ...PUBLISHED.map((topic) => ({ acltype: 'publishClientSend', topic: topicOf(topic, { uid }) })),
    { acltype: 'publishClientReceive', topic: commands },
    { acltype: 'subscribeLiteral', topic: commands },
  ]
}
