import type { ListRules } from '@sdd/mqtt/external/dynamic-security.ts'
import { SERVER_USER } from './mosquitto.ts'

/** Each client publishes to its own `clients/<name>/status` and `inbox`, and subscribes to its own `commands`. */
export const listRules: ListRules = {
  called: { kind: 'client', field: 'name' },
  username: SERVER_USER,
  prefix: 'test',
  serverMay: [
    { acltype: 'publishClientReceive', topic: 'clients/#' },
    { acltype: 'subscribePattern', topic: 'clients/#' },
  ],
  clientMay: (name) => [
    ...['status', 'inbox'].map((part) => ({
      acltype: 'publishClientSend',
      topic: `clients/${name}/${part}`,
    })),
    { acltype: 'publishClientReceive', topic: `clients/${name}/commands` },
    { acltype: 'subscribeLiteral', topic: `clients/${name}/commands` },
  ],
  unreachable: (why) => new Error(`unreachable: ${why}`),
  nameTaken: (name) => new Error(`${name} is taken`),
}
