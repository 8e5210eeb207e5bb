import { randomUUID } from 'node:crypto'
import { deviceInbox, deviceNetworks, deviceStatus } from '@sdd/contract/fleet/device-protocol.ts'
import type { Logger } from 'pino'
import { type Config, ConfigError } from '#server/core/config.ts'
import { addressParts, type BrokerAddress, withoutCredentials } from '#server/core/broker-address.ts'
import { beAsked, keepList } from '#server/core/broker/external/admissions.ts'
import { openExternal } from '#server/core/broker/external/external.ts'
import { type Clock } from '#server/core/clock.ts'
import type { Metrics } from '#server/core/metrics.ts'
import type { From, Topics } from '#server/core/topics.ts'
import type { Database } from '#server/database/open.ts'
import { deviceStore } from '#server/fleet/devices/store.ts'
import type { Live } from '#server/core/live.ts'
import type { Others } from '#server/core/replicas/others.ts'
import type { DevicesAtBroker, Doors } from './transport.ts'
import { watchAtBroker } from './figures.ts'
import { ALONE, startLeading } from './leading.ts'
import { AT_BROKER, openBrokerPresence } from './presence.ts'
import { unlinkedUids } from './store.ts'

type Needs = {
  db: Database
  clock: Clock
  live: Live
  others: Others
  log: Logger
  metrics: Metrics
  doors: Pick<Doors, 'meetAt'>
  received: Topics['received']
  /** How many ms the next received SMS of this device has to wait. `several`: other servers read from the same device. */
  waitForInbox(from: From, several: boolean): Promise<number> | number
  /** Called when a device is connected again. Commands given before `said_ms` are sent again. */
  arrived(device_id: number, said_ms: number): Promise<void>
}

type Settings = Pick<Config, 'MQTT_URL' | 'MQTT_CA' | 'MQTT_AUTH'>

const READY_MS = 15_000

/** Where the settings name a broker; rejects with the `ConfigError` about it where it cannot be used. */
export async function meetAtBroker(needs: Needs, settings: Settings): Promise<DevicesAtBroker | undefined> {
  if (settings.MQTT_URL === undefined) return undefined
  try {
    const atBroker = await startAtBroker(needs, { url: settings.MQTT_URL, ca: settings.MQTT_CA }, settings)
    watchAtBroker(needs.metrics, atBroker)
    needs.doors.meetAt(atBroker)
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
): Promise<DevicesAtBroker> {
  const { db, log, received } = needs
  // Of several, another takes what came while it was away.
  const several = db.channel !== undefined
  const client_id = db.channel ? `${ALONE}-${randomUUID()}` : ALONE
  const { username = '' } = addressParts(address.url)!
  const admissions =
    MQTT_AUTH === 'hook'
      ? beAsked({ address, client_id, log })
      : keepList({ address, client_id, log, username, unlinked: () => unlinkedUids(db.read) })
  const presence = openBrokerPresence({ ...needs, toDevice: (uid, command) => broker.toDevice(uid, command) })

  const broker = openExternal({
    address,
    client_id,
    log,
    admissions,
    rules: {
      leading: presence.begin,
      listening: presence.ask,
      async received(uid, topic, payload) {
        const device = await deviceStore(db.read, 'all').byUid(uid)
        // Unlinked since; what it says is nobody's.
        if (device === undefined) {
          log.debug({ uid }, 'Dropped what a device said that is not linked')
          return true
        }
        const { id: device_id, company_id } = device
        const said_ms = needs.clock.now()
        const connection = await presence.number()
        const from = { connection_id: AT_BROKER, connection, uid, device_id, company_id }
        if (topic === deviceInbox && (await needs.waitForInbox(from, several)) > 0) return false
        await received(from, topic, payload)
        if (topic === deviceStatus) presence.answered(uid)
        if (topic === deviceNetworks && (await presence.heard(from))) await needs.arrived(device_id, said_ms)
        return true
      },
    },
  })
  try {
    await broker.ready(READY_MS)
  } catch (error) {
    await broker.stop()
    throw error
  }
  const leading = startLeading({ ...needs, broker, client_id })

  return {
    toDevice: broker.toDevice,
    lastSeen: broker.lastSeen,
    seen: broker.seen,
    requireReach: admissions.require,
    giveSecret: admissions.admit,
    disconnectDevice: admissions.expel,
    broker,
    async stop() {
      presence.stop()
      await leading.stop()
      await broker.stop()
    },
  }
}
