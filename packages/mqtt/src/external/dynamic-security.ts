import { randomUUID } from 'node:crypto'
import { openTurns } from '#mqtt/fair-queue.ts'
import type { Called } from '#mqtt/endpoint/rules.ts'

/**
 * Mosquitto's list of allowed clients, kept by its dynamic security plugin
 * (https://mosquitto.org/documentation/dynamic-security/). Each client has its own role, because version 2.0 of the
 * plugin does not support client names in a role's topics.
 */
export type DynamicSecurity = {
  /** Passes on an answer of the broker. */
  answered(payload: Buffer): void
  /** The connection ended: open requests stay unanswered. */
  lost(): void
  /** Makes the group of the clients and lets the server's user read their topics. Throws if that is not permitted. */
  prepare(): Promise<void>
  /** Lets the client connect with this secret only. Throws `nameTaken` if a user of that name is not in the group. */
  admit(name: string, secret: string): Promise<void>
  /** Forbids the client to connect, and cuts its connection. */
  expel(name: string): Promise<void>
  /** The names of all clients that may connect. */
  admitted(): Promise<string[]>
}

const CONTROL = '$CONTROL/dynamic-security/v1'
export const CONTROL_ANSWERS = `${CONTROL}/response`

const ANSWER_MS = 10_000
const NOT_FOUND = 'Client not found'

/** One permission of a role in the plugin. */
export type Acl = { acltype: string; topic: string }

export type ListRules = {
  readonly called: Called
  /** The user that the server connects as. */
  readonly username: string
  /** The prefix of the names of the server's group and roles. */
  readonly prefix: string
  readonly serverMay: readonly Acl[]
  clientMay(name: string): readonly Acl[]
  /** Errors for a caller: the broker cannot be asked now, or a user of this name is not one of the server's clients. */
  unreachable(why: string): Error
  nameTaken(name: string): Error
}

type Command = { command: string; [field: string]: unknown }
type Answer = { command: string; error?: string; data?: Record<string, unknown>; correlationData?: string }
type Client = { groups?: { groupname: string }[]; roles?: { rolename: string }[] }

/** `tell` publishes and returns false if there is no connection. */
export function openDynamicSecurity(
  rules: ListRules,
  tell: (topic: string, payload: string) => boolean,
): DynamicSecurity {
  const { username, prefix, unreachable } = rules
  const { kind } = rules.called
  const group = `${prefix}-${kind}s`
  const server_role = `${prefix}-server`
  const roleOf = (name: string) => `${prefix}-${kind}-${name}`
  const waiting = new Map<string, PromiseWithResolvers<Answer>>()
  const turns = openTurns()
  /** Runs one operation at a time, because the steps of two operations on one client must not mix. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => turns(CONTROL, work)

  async function ask(command: Command): Promise<Answer> {
    const correlationData = randomUUID()
    const answer = Promise.withResolvers<Answer>()
    const slow = setTimeout(() => answer.reject(unreachable('did not answer')), ANSWER_MS)
    waiting.set(correlationData, answer)
    try {
      // The connection may be lost while it is told: that has rejected the answer already.
      if (!tell(CONTROL, JSON.stringify({ commands: [{ ...command, correlationData }] })))
        answer.reject(unreachable('is not connected'))
      return await answer.promise
    } finally {
      clearTimeout(slow)
      waiting.delete(correlationData)
    }
  }

  /** Throws if the broker refused, except for these reasons. */
  async function demand(command: Command, ...but: string[]): Promise<Answer> {
    const answer = await ask(command)
    if (answer.error === undefined || but.includes(answer.error)) return answer
    throw new Error(`the broker refused ${command.command} (${answer.error})`)
  }

  async function clientOf(username: string): Promise<Client | undefined> {
    const { data } = await demand({ command: 'getClient', username }, NOT_FOUND)
    return data?.['client'] as Client | undefined
  }

  const isOurs = ({ groups = [] }: Client) => groups.some(({ groupname }) => groupname === group)

  async function prepare(): Promise<void> {
    const us = await clientOf(username)
    await demand({ command: 'createGroup', groupname: group }, 'Group already exists')
    await demand(roleWith(server_role, rules.serverMay), 'Role already exists')
    if (us?.roles?.some(({ rolename }) => rolename === server_role)) return
    // The broker ends the connections of a user that gets a role; the server then reconnects.
    await demand({ command: 'addClientRole', username, rolename: server_role })
  }

  async function admit(name: string, password: string): Promise<void> {
    const known = await clientOf(name)
    if (known && !isOurs(known)) throw rules.nameTaken(name)
    const [groups, roles] = [[{ groupname: group }], [{ rolename: roleOf(name) }]]
    await demand(roleWith(roleOf(name), rules.clientMay(name)), 'Role already exists')
    const client = { username: name, clientid: name, password, groups, roles }
    await demand({ command: known ? 'modifyClient' : 'createClient', ...client })
  }

  async function expel(name: string): Promise<void> {
    const known = await clientOf(name)
    if (!known || !isOurs(known)) return
    await demand({ command: 'deleteClient', username: name }, NOT_FOUND)
    await demand({ command: 'deleteRole', rolename: roleOf(name) }, 'Role not found')
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
    admit: (name, secret) => inTurn(() => admit(name, secret)),
    expel: (name) => inTurn(() => expel(name)),
    async admitted() {
      const { data } = await demand({ command: 'getGroup', groupname: group })
      const { clients = [] } = (data?.['group'] ?? {}) as { clients?: { username: string }[] }
      return clients.map(({ username }) => username)
    },
  }
}

function roleWith(rolename: string, may: readonly Acl[]): Command {
  return { command: 'createRole', rolename, acls: may.map((acl) => ({ ...acl, priority: 0, allow: true })) }
}
