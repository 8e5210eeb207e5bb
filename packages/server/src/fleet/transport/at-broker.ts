import { randomUUID } from 'node:crypto'
import {
  type Command,
  deviceAnswers,
  deviceInbox,
  deviceTelemetry,
  deviceNetworks,
  deviceReports,
  deviceStatus,
  MAX_PAYLOAD_BYTES,
} from '@sdd/contract/fleet/device-protocol.ts'
import type { Topic } from '@sdd/contract/core/topic.ts'
import { addressParts, type BrokerAddress, withoutCredentials } from '@sdd/mqtt/external/address.ts'
import { admitByList, admitOnRequest } from '@sdd/mqtt/external/admissions.ts'
import { openBrokerClient } from '@sdd/mqtt/external/client.ts'
import type { Logger } from 'pino'
import { type Config, ConfigError } from '#server/core/config.ts'
import { type Clock } from '#server/core/clock.ts'
import type { Metrics } from '#server/core/metrics.ts'
import { errorCodeOf } from '#server/core/refusal.ts'
import type { ConnectedDevice } from '#server/fleet/presence/presence.ts'
import type { Topics } from '#server/fleet/transport/device-topics.ts'
import type { Database } from '#server/database/open.ts'
import { deviceStore } from '#server/fleet/devices/store.ts'
import type { Live } from '#server/core/live.ts'
import type { Peers } from '#server/core/replicas/replicas.ts'
import { acksFor } from './acks.ts'
import {
  DEVICES,
  isServerId,
  listRules,
  notConnected,
  PREFIX,
  PRESENCE_SESSION,
  SERVER_IDS,
  uidOfServer,
  SINGLE_SESSION,
} from './broker-access.ts'
import { commandsOf, everyDevice, publishedTopic } from './device-topics.ts'
import { startLeading } from './leading.ts'
import { watchAtBroker } from './metrics.ts'
import { AT_BROKER, openBrokerPresence } from './presence.ts'
import { unlinkedUids } from './store.ts'
import type { ExternalBrokerDevices, DeviceTransport } from './transport.ts'

type Needs = {
  db: Database
  clock: Clock
  live: Live
  peers: Peers
  log: Logger
  metrics: Metrics
  deviceTransport: Pick<DeviceTransport, 'useBroker'>
  received: Topics['received']
  /** How many ms the device's next received SMS must wait. `several`: other servers also read from this device. */
  waitForInbox(from: ConnectedDevice, several: boolean): Promise<number> | number
  /** Called when a device has reconnected. Commands sent before `received_ms` are sent again. */
  arrived(from: { device_id: number; company_id: number }, received_ms: number): Promise<void>
}

type Settings = Pick<Config, 'MQTT_URL' | 'MQTT_CA' | 'MQTT_AUTH'>

const READY_MS = 15_000

/** How long the broker keeps messages while no server is connected. */
const KEEP_SECS = 86_400

/** Reports, received SMS, telemetry and answers may repeat and arrive in any order, so any free server takes them. */
export const SHARED_FILTERS = [deviceReports, deviceInbox, deviceTelemetry, deviceAnswers].map(
  (topic) => `$share/${PREFIX}/${everyDevice(topic)}`,
)

/** Presence needs messages in order, so one server receives it, and the snapshots that prove a device connected. */
export const ORDERED_FILTERS = [deviceStatus, deviceNetworks].map(everyDevice)

/** Connects if the settings name a broker. Rejects with a `ConfigError` if that broker cannot be used. */
export async function connectToExternalBroker(
  needs: Needs,
  settings: Settings,
): Promise<ExternalBrokerDevices | undefined> {
  if (settings.MQTT_URL === undefined) return undefined
  try {
    const atBroker = await startAtBroker(needs, { url: settings.MQTT_URL, ca: settings.MQTT_CA }, settings)
    watchAtBroker(needs.metrics, atBroker)
    needs.deviceTransport.useBroker(atBroker)
    return atBroker
  } catch (error) {
    const where = withoutCredentials(settings.MQTT_URL)
    throw new ConfigError('MQTT_URL', `the broker at ${where} cannot be used (${(error as Error).message})`)
  }
}

async function startAtBroker(
  needs: Needs,
  address: BrokerAddress,
  { MQTT_AUTH }: Pick<Settings, 'MQTT_AUTH'>,
): Promise<ExternalBrokerDevices> {
  const { db, log, received } = needs
  // With several servers, another one takes the messages that arrive while this one is away.
  const several = db.channel !== undefined
  const client_id = db.channel ? `${SINGLE_SESSION}-${randomUUID()}` : SINGLE_SESSION
  const { username = '' } = addressParts(address.url)!
  const admissions =
    MQTT_AUTH === 'hook'
      ? admitOnRequest({ address, client_id, log, called: DEVICES })
      : admitByList({
          address,
          client_id,
          log,
          rules: listRules(username),
          expelled: async () => [...SERVER_IDS, ...(await unlinkedUids(db.read))],
          notConnected,
        })
  const presence = openBrokerPresence({ ...needs, toDevice })

  const broker = openBrokerClient<Topic>({
    address,
    client_id,
    keep_secs: KEEP_SECS,
    shared: SHARED_FILTERS,
    ordered: ORDERED_FILTERS,
    ordered_client_id: PRESENCE_SESSION,
    log,
    admitted: admissions.ready,
    codeOf: errorCodeOf,
    rules: {
      called: DEVICES,
      leading: presence.begin,
      following: presence.stop,
      listening: presence.ask,
      sourceOf(topic_name, payload) {
        const name = topic_name.split('/')[1] ?? ''
        const topic = publishedTopic(name, topic_name)
        return topic && payload.length <= MAX_PAYLOAD_BYTES ? { name, topic } : undefined
      },
      async received(uid, topic, payload) {
        if (!(await take(uid, topic, payload))) return
        for (const ack of acksFor(topic, payload)) toDevice(uid, ack)
      },
    },
  })

  function toDevice(uid: string, command: Command): boolean {
    return broker.send(commandsOf(uid), JSON.stringify(command))
  }

  /** False if it is not taken. The broker may forget it: without an `ack` the device publishes it again. */
  async function take(uid: string, topic: Topic, payload: Buffer): Promise<boolean> {
    const device = await deviceStore(db.read, 'all').byUid(uid)
    // The device was unlinked in the meantime.
    if (device === undefined) {
      log.debug({ uid }, 'Dropped a message of a device that is not linked')
      return true
    }
    const { id: device_id, company_id } = device
    const received_ms = needs.clock.now()
    const connection = await presence.number()
    const from = { connection_id: AT_BROKER, connection, uid, device_id, company_id }
    if (topic === deviceInbox && (await needs.waitForInbox(from, several)) > 0) return false
    await received(from, topic, payload)
    if (topic === deviceStatus) presence.answered(uid)
    if (topic === deviceNetworks && (await presence.heard(from))) await needs.arrived(from, received_ms)
    return true
  }

  async function stop(): Promise<void> {
    await broker.stop()
    await admissions.stop()
  }

  try {
    await broker.ready(READY_MS)
  } catch (error) {
    await stop()
    throw error
  }
  const leading = startLeading({ ...needs, broker, client_id })

  return {
    toDevice,
    lastSeen: broker.lastHeard,
    seen: broker.heard,
    requireReach(uid) {
      if (uid !== undefined && (isServerId(uid) || uid === username)) throw uidOfServer(uid)
      admissions.require()
    },
    giveSecret: admissions.admit,
    disconnectDevice: admissions.expel,
    broker,
    async stop() {
      presence.stop()
      await leading.stop()
      await stop()
    },
  }
}
