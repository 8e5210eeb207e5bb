import { randomUUID } from 'node:crypto'
import * as topics from '@sdd/contract/fleet/device-protocol.ts'
import { topicOf } from '@sdd/contract/core/topic.ts'
import { Refusal } from '#server/core/refusal.ts'

/**
 * Mosquitto's own list of who may connect, kept by its plugin of dynamic security
 * (https://mosquitto.org/documentation/dynamic-security/): each device is a client of it, with a role of its own, as its
 * version 2.0 knows no names of clients in the topics of a role.
 */
export type DynamicSecurity = {
  /** What the broker answered. */
  answered(payload: Buffer): void
  /** The connection has ended: what was asked stays without an answer. */
  lost(): void
  /** Makes the group of the devices, and lets our own user read what they say; throws where we may not. */
  prepare(): Promise<void>
  /** The device may connect with this secret alone. `uid_taken` where a user of that name is not a device. */
  admit(uid: string, secret: string): Promise<void>
  /** It may not any more, and is cut. */
  expel(uid: string): Promise<void>
  /** Every device that may. */
  admitted(): Promise<string[]>
}

export const CONTROL = '$CONTROL/dynamic-security/v1'
export const CONTROL_ANSWERS = `${CONTROL}/response`

const GROUP = 'sms-drone-dash-devices'
const SERVER_ROLE = 'sms-drone-dash-server'
const roleOf = (uid: string) => `sms-drone-dash-device-${uid}`

const PATIENCE_MS = 10_000
const NOT_FOUND = 'Client not found'

type Command = { command: string; [field: string]: unknown }
type Answer = { command: string; error?: string; data?: Record<string, unknown>; correlationData?: string }
type Acl = { acltype: string; topic: string }
type Client = { groups?: { groupname: string }[]; roles?: { rolename: string }[] }

export function openDynamicSecurity(needs: {
  /** The user that the server connects as. */
  username: string
  /** Publishes; false while there is no connection. */
  tell: (topic: string, payload: string) => boolean
}): DynamicSecurity {
  const waiting = new Map<string, PromiseWithResolvers<Answer>>()
  let last: Promise<unknown> = Promise.resolve()

  /** One at a time, as what several of them do to a client must not be mixed. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = last.then(work, work)
    last = turn
    return turn
  }

  async function ask(command: Command): Promise<Answer> {
    const correlationData = randomUUID()
    const answer = Promise.withResolvers<Answer>()
    const slow = setTimeout(() => answer.reject(unreachable('did not answer')), PATIENCE_MS)
    waiting.set(correlationData, answer)
    try {
      if (!needs.tell(CONTROL, JSON.stringify({ commands: [{ ...command, correlationData }] })))
        throw unreachable('is not connected')
      return await answer.promise
    } finally {
      clearTimeout(slow)
      waiting.delete(correlationData)
    }
  }

  /** Throws where the broker refused, but for these reasons. */
  async function demand(command: Command, ...but: string[]): Promise<Answer> {
    const answer = await ask(command)
    if (answer.error === undefined || but.includes(answer.error)) return answer
    throw new Error(`the broker refused ${command.command} (${answer.error})`)
  }

  async function clientOf(username: string): Promise<Client | undefined> {
    const { data } = await demand({ command: 'getClient', username }, NOT_FOUND)
    return data?.['client'] as Client | undefined
  }

  const isDevice = ({ groups = [] }: Client) => groups.some(({ groupname }) => groupname === GROUP)

  async function prepare(): Promise<void> {
    const { username } = needs
    const us = await clientOf(username)
    await demand({ command: 'createGroup', groupname: GROUP }, 'Group already exists')
    await demand(roleWith(SERVER_ROLE, SERVER_MAY), 'Role already exists')
    if (us?.roles?.some(({ rolename }) => rolename === SERVER_ROLE)) return
    // The broker ends the connections of who is given a role; they come again.
    await demand({ command: 'addClientRole', username, rolename: SERVER_ROLE })
  }

  async function admit(uid: string, password: string): Promise<void> {
    const known = await clientOf(uid)
    if (known && !isDevice(known)) {
      throw new Refusal('uid_taken', `The broker has a user ${uid} that is not a device. Choose another uid.`)
    }
    const [groups, roles] = [[{ groupname: GROUP }], [{ rolename: roleOf(uid) }]]
    await demand(roleWith(roleOf(uid), deviceMay(uid)), 'Role already exists')
    const client = { username: uid, clientid: uid, password, groups, roles }
    await demand({ command: known ? 'modifyClient' : 'createClient', ...client })
  }

  async function expel(uid: string): Promise<void> {
    const known = await clientOf(uid)
    if (!known || !isDevice(known)) return
    await demand({ command: 'deleteClient', username: uid }, NOT_FOUND)
    await demand({ command: 'deleteRole', rolename: roleOf(uid) }, 'Role not found')
  }

  return {
    answered(payload) {
      const { responses } = JSON.parse(payload.toString()) as { responses: Answer[] }
      for (const answer of responses) waiting.get(answer.correlationData ?? '')?.resolve(answer)
    },
    lost() {
      for (const { reject } of waiting.values()) reject(unreachable('ended the connection'))
    },
    prepare: () => inTurn(prepare),
    admit: (uid, secret) => inTurn(() => admit(uid, secret)),
    expel: (uid) => inTurn(() => expel(uid)),
    async admitted() {
      const { data } = await demand({ command: 'getGroup', groupname: GROUP })
      const { clients = [] } = (data?.['group'] ?? {}) as { clients?: { username: string }[] }
      return clients.map(({ username }) => username)
    },
  }
}

const SERVER_MAY: Acl[] = [
  { acltype: 'publishClientSend', topic: 'devices/+/commands' },
  { acltype: 'publishClientReceive', topic: 'devices/#' },
  { acltype: 'subscribePattern', topic: 'devices/#' },
  { acltype: 'subscribePattern', topic: '$share/sms-drone-dash/devices/#' },
]

function deviceMay(uid: string): Acl[] {
  const commands = topicOf(topics.deviceCommands, { uid })
  const said = [topics.deviceStatus, topics.deviceNetworks, topics.deviceReports, topics.deviceInbox]
  return [
    ...said.map((topic) => ({ acltype: 'publishClientSend', topic: topicOf(topic, { uid }) })),
    { acltype: 'publishClientReceive', topic: commands },
    { acltype: 'subscribeLiteral', topic: commands },
  ]
}

function roleWith(rolename: string, may: Acl[]): Command {
  return { command: 'createRole', rolename, acls: may.map((acl) => ({ ...acl, priority: 0, allow: true })) }
}

function unreachable(why: string): Refusal {
  return new Refusal('not_ready', `The broker ${why}. Try again soon.`)
}
