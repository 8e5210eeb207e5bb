import type { Acl, ListRules } from '@sdd/mqtt/external/dynamic-security.ts'
import { topicOf } from '@sdd/contract/core/topic.ts'
import { Refusal } from '#server/core/refusal.ts'
import { commandsOf, PUBLISHED } from './device-topics.ts'

/** The prefix of our groups, roles, client ids and shared subscriptions at the external broker. */
export const PREFIX = 'sms-drone-dash'

/** The session of the only server. After a restart the server finds the messages that arrived while it was away. */
export const SINGLE_SESSION = PREFIX

/** The session of the server that receives presence. */
export const PRESENCE_SESSION = `${PREFIX}-presence`

/** The client ids that servers have at each start. Each of several servers also has random ones. */
export const SERVER_IDS: readonly string[] = [SINGLE_SESSION, `${SINGLE_SESSION}-control`, PRESENCE_SESSION]

const UUID = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const RANDOM_ID = new RegExp(`^${SINGLE_SESSION}-${UUID}(-control)?$`)

/** Whether this is a client id of a server. A device with that uid would take over the server's session. */
export function isServerId(uid: string): boolean {
  return SERVER_IDS.includes(uid) || RANDOM_ID.test(uid)
}

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

export function uidOfServer(uid: string): Refusal {
  return new Refusal('uid_taken', `The servers connect to the broker as ${uid}. Choose another uid.`)
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
