import * as devices from '@sdd/contract/fleet/devices.ts'
import type { DeviceStatus } from '@sdd/contract/core/live.ts'
import type { Command } from '@sdd/contract/fleet/device-protocol.ts'
import * as messages from '@sdd/contract/messages/messages.ts'
import { listLogs } from '@sdd/contract/insight/log.ts'
import { connectDevice, eventually, linkTestDevice } from './device.ts'
import type { TestBroker } from '@sdd/mqtt/test/mosquitto.ts'
import { enter } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

/** A server whose devices connect to that external broker, with helpers for tests. */
export async function startAt(broker: TestBroker, needs: Parameters<typeof startServer>[0] = {}) {
  const server = await startServer({ ...needs, settings: { MQTT_URL: broker.url, ...needs.settings } })
  const { token } = await enter(server, ADMIN.username, ADMIN.password)
  return { server, token, ...actsOf(server, token) }
}

export function actsOf(server: Pick<TestServer, 'url'>, token: string) {
  const device = async (uid: string) => {
    const { body } = await call(server, devices.listDevices, { token })
    return body.devices.find((device) => device.uid === uid)
  }
  return {
    link: (uid: string) => linkTestDevice(server, token, uid),
    device,
    status: (uid: string, status: DeviceStatus, within_ms?: number) =>
      eventually(async () => (await device(uid))?.status === status, within_ms),
    send: (uid: string) =>
      call(server, messages.sendSms, {
        token,
        body: { device_uid: uid, telefono_to: '+34600111222', mensaje_sms: 'hola' },
      }),
    entry: async (guid: string) => {
      const { body } = await call(server, listLogs, { token, query: { search: guid } })
      return body.logs[0]!
    },
  }
}

/** A device at the broker. It reports nothing on its own, but answers requests for its networks. */
export async function connectAt(linked: devices.LinkedDevice) {
  const device = await connectDevice(linked)
  const commands = () => device.commands as Command[]
  device.client.on('message', (_, payload) => {
    const { type } = JSON.parse(payload.toString()) as Command
    if (type === 'networks' && device.client.connected) void publishNetworks()
  })
  const publishNetworks = () => device.publish('networks', { wifi: null, mobile: null }).catch(() => {}) // it has left meanwhile
  const sends = () => commands().filter((command) => command.type === 'send')
  const acks = () =>
    commands().flatMap((command) => {
      if (command.type === 'ack') return [`${command.guid} ${command.state}`]
      return command.type === 'ack_inbox' ? [`sms ${command.id}`] : []
    })
  return {
    ...device,
    sends,
    acks,
    publishNetworks,
    /** The command to send this message. A command that was lost as the broker stopped is repeated after 30 s. */
    given: async (guid: string) =>
      (await eventually(() => sends().find((command) => command.guid === guid), 40_000))!,
    acked: (guid: string, state: string) => eventually(() => acks().includes(`${guid} ${state}`)),
  }
}
